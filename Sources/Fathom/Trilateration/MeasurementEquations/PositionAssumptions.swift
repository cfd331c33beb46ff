/// Known facts about a position besides its measurements, and the loss of their errors: the common
/// options of all solvers.
struct PositionAssumptions<let D: Int> {
  /// The known value of the last coordinate, metres.
  var height: Double?
  /// Standard deviation of ``height``, metres; nil for an exact height.
  var heightSigma: Double?
  /// The side of the anchors on which the position lies; nil if unknown.
  var side: AnchorSide?
  var loss: RobustLoss
  var searchesForOutliers: Bool
  var scalesCovariance: Bool
  var prior: PositionPrior<D>?
  var bounds: PositionBounds<D>?

  /// The height if it is exact.
  var hardHeight: Double? { heightSigma == nil ? height : nil }

  /// The number of unknown coordinates.
  var free: Int { hardHeight == nil ? D : D - 1 }

  /// Throws an error for a height that is not finite, or a standard deviation that is not positive
  /// and finite.
  func check() throws(TrilaterationError) {
    if let height, !height.isFinite { throw .heightNotFinite }
    if let heightSigma, !(heightSigma > 0 && heightSigma.isFinite) {
      throw .heightSigmaNotPositive
    }
  }

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
