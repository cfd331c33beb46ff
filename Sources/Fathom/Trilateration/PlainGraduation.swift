extension PlainEpoch {
  /// Where least squares lead when their loss turns step by step into that of Geman and McClure, as
  /// ``RangeProblem/graduated(from:)`` of any epoch, with one re-weighted step per loss.
  ///
  /// - Parameter start: where the largest residual says how convex the first loss has to be.
  /// - Returns: a start for the loss proper, and how often the cost was evaluated.
  func graduated(
    from start: SIMD3<Double>
  ) -> (position: SIMD3<Double>, evaluations: Int) {
    let largest = squareOfLargestResidual(at: start)
    let final = RobustLoss.gemanMcClure.tuning
    var control = max(1, 2 * largest / (final * final))
    var (position, evaluations) = (start, 0)
    let isSpace = free == 3
    while evaluations < 200 {
      let loss = PlainGemanMcClure(inverseSquare: 1 / (final * final * control))
      let here = PlainExpansion(of: self, at: position, isNewton: false, loss)
      evaluations += 1
      guard let step = here.step(damping: 0, isSpace: isSpace) else { break }
      position += step
      guard control > 1 else { break }
      control = max(1, control / 1.4)
    }
    return (position, evaluations)
  }

  /// The greatest square of a residual in standard deviations.
  private func squareOfLargestResidual(at here: SIMD3<Double>) -> Double {
    var largest = 0.0
    for index in 0..<count {
      let (dx, dy, dz) = (
        here.x - value(Self.anchor, of: index), here.y - value(Self.anchor + 1, of: index),
        here.z - value(Self.anchor + 2, of: index)
      )
      let residual =
        value(Self.range, of: index) - (dx * dx + dy * dy + dz * dz).squareRoot()
      largest = max(largest, value(Self.sharpness, of: index) * (residual * residual))
    }
    return largest
  }
}
