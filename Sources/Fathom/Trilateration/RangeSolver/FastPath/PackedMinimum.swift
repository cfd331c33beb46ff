/// The only local minimum of a packed epoch that can matter.
struct PackedMinimum<Loss: PackedLoss> {
  /// The descent to it.
  private(set) var descent: PackedDescent
  /// Number of evaluations of the cost.
  private(set) var evaluations = 0
  /// Whether the cost is so low that no outliers need to be searched, whatever the ranges are.
  private(set) var isClear = true

  /// The excess cost beyond which another minimum cannot matter: ``PositionLimits/mostExcess``, and
  /// what an outlier costs more under the loss than by its odds.
  private static var mostExcess: Double { 20 }

  /// The excess cost beyond which another minimum that exists cannot matter: two errors of a hundred
  /// standard deviations cost 54 more under Cauchy's loss than by their odds.
  private static var mostExcessOfOther: Double { 60 }

  /// Finds the minimum reached from the global minimum of the squared ranges.
  ///
  /// Returns nil if another minimum may be as likely: if the cost is so high that outliers must be
  /// searched, or if the squared ranges have another minimum of comparable cost.
  @inline(__always)
  init?(_ epoch: PackedEpoch, _ loss: Loss, from starts: borrowing PackedStarts) {
    guard let start = starts.global else { return nil }
    descent = PackedDescent(from: start)
    guard descent.refine(epoch, loss), descent.position.isAllFinite else { return nil }
    // Least squares with larger residuals are inconsistent, which the assessment finds.
    isClear =
      loss.inverseSquare == 0
      || descent.cost <= loss.cost(Loss.costOfNothing, raisedBy: PositionLimits.clearCost)
    guard isClear || epoch.count >= epoch.free + PositionLimits.leastSpare else { return nil }
    evaluations = descent.evaluations
    guard !starts.isAlone else { return }
    // An alternative of similar likelihood has residuals so small that its squared ranges cost no
    // more than this.
    let squares = loss.mostSquares(of: descent.cost, raisedBy: Self.mostExcess)
    let root = squares.squareRoot()
    switch starts.other(belowSquareOf: 2 * root + root * root / epoch.leastRatio) {
    case .none: return
    case .unclear: return nil
    case .position(let start):
      var other = PackedDescent(from: start)
      guard other.refine(epoch, loss), other.position.isAllFinite else { return nil }
      evaluations += other.evaluations
      guard
        epoch.isSame(other, descent)
          || loss.excess(other.cost, over: descent.cost) > Self.mostExcessOfOther
      else { return nil }
    }
  }
}

extension PackedEpoch {
  /// Returns whether two minima are the same within the accuracy of a double root.
  func isSame(_ one: PackedDescent, _ two: PackedDescent) -> Bool {
    let apart = one.position - two.position
    return SecularPolynomial.dot(apart, apart) <= 1e-12 * scale * scale
  }
}

extension SIMD3 where Scalar == Double {
  /// Whether all numbers are finite.
  var isAllFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}
