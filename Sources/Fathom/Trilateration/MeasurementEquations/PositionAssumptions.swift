/// Known facts about a position besides its measurements, and the loss of their errors: the common
/// options of all solvers.
struct PositionAssumptions<let D: Int> {
  /// The common options, without the standard deviation of a height that is not known.
  let options: PositionOptions
  let prior: PositionPrior<D>?
  let bounds: PositionBounds<D>?

  /// Throws an error for a height that is not finite, or a standard deviation that is not positive
  /// and finite.
  init(
    _ options: PositionOptions, _ prior: PositionPrior<D>?, _ bounds: PositionBounds<D>?
  ) throws(TrilaterationError) {
    var options = options
    if options.height == nil { options.heightSigma = nil }
    if let height = options.height, !height.isFinite { throw .heightNotFinite }
    if let sigma = options.heightSigma, !(sigma > 0 && sigma.isFinite) {
      throw .heightSigmaNotPositive
    }
    (self.options, self.prior, self.bounds) = (options, prior, bounds)
  }

  /// The known value of the last coordinate, metres.
  var height: Double? { options.height }
  /// Standard deviation of ``height``, metres; nil for an exact height.
  var heightSigma: Double? { options.heightSigma }
  var side: AnchorSide? { options.side }
  var loss: RobustLoss { options.loss }
  var searchesForOutliers: Bool { options.searchesForOutliers }
  var scalesCovariance: Bool { options.scalesCovariance }

  /// The height if it is exact.
  var hardHeight: Double? { heightSigma == nil ? height : nil }

  /// The number of unknown coordinates.
  var free: Int { hardHeight == nil ? D : D - 1 }

  /// Returns the prior of the free coordinates relative to `centre`.
  func priorRows(around centre: Vector<D>) -> [PriorRow] {
    var rows: [PriorRow] = []
    if let prior, let root = Cholesky(prior.information)?.factor {
      let offset = prior.position - centre
      for column in 0..<D {
        // (x - m)ᵀ L Lᵀ (x - m) is the sum of the squared products with the columns of L.
        var row = PriorRow(slopes: [], target: 0)
        for axis in 0..<D {
          row.target += root[axis, column] * offset[axis]
          if axis < free {
            row.slopes.append(root[axis, column])
          } else if let height {
            row.target -= root[axis, column] * (height - centre[axis])
          }
        }
        if row.slopes.contains(where: { $0 != 0 }) { rows.append(row) }
      }
    }
    if let height, let heightSigma {
      var row = PriorRow(slopes: [Double](repeating: 0, count: D), target: 0)
      row.slopes[D - 1] = 1 / heightSigma
      row.target = (height - centre[D - 1]) / heightSigma
      rows.append(row)
    }
    return rows
  }
}

/// A linear prior of free coordinates, in standard deviations.
struct PriorRow {
  var slopes: [Double]
  var target: Double

  /// Returns the prior minus its value at `unknowns`.
  func residual(_ unknowns: [Double]) -> Double {
    var residual = target
    for (axis, slope) in slopes.enumerated() { residual -= slope * unknowns[axis] }
    return residual
  }
}
