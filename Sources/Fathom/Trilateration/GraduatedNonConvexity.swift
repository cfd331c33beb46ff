extension RangeProblem {
  /// Where least squares lead when their loss turns step by step into that of Geman and McClure.
  ///
  /// Graduated non-convexity [Yang et al. 2020]: with ρ(z) = k²μ z²/(k²μ + z²), μ starts so large that
  /// the loss is convex over all residuals, and falls by the factor 1.4 to 1, one re-weighted step
  /// each. Ranges that are far off lose their weight before they can pin the solution to a wrong
  /// minimum; the result is a start for the loss proper. No heap allocation.
  func graduated(from start: Vector<D>) -> Vector<D> {
    var largest = 0.0
    for index in 0..<count {
      let residual = distances[index] - (start - anchors[index]).length
      largest = max(largest, (residual / sigmas[index]).magnitude)
    }
    let final = RobustLoss.gemanMcClure.tuning
    var control = max(1, 2 * largest * largest / (final * final))
    guard control.isFinite else { return start }
    var position = start
    var problem = self
    while true {
      problem.loss = RobustLoss(
        searchingWith: final * control.squareRoot(), onlyLate: loss.onlyLate)
      position = problem.refine(from: position, limit: 2, by: .gaussNewton).position
      guard control > 1 else { return position }
      control = max(1, control / 1.4)
    }
  }
}
