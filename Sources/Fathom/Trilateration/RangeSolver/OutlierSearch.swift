import RealModule

extension RangeProblem {
  /// Returns the position that most ranges agree on, for any number of outliers.
  ///
  /// Consensus of samples [Fischler & Bolles 1981], scored by the cost to be minimised [Torr &
  /// Zisserman 2000]. Every minimal subset, with as many ranges as unknowns, is solved for both of
  /// its positions. The position with the lowest cost of all ranges wins; for the squared loss each
  /// range costs at most 9. Up to 120 subsets are all tried; from more, 120 are selected
  /// deterministically by the golden ratio. Allocates.
  ///
  /// - Returns: The position relative to the centre, or nil if no subset determines one.
  func consensusPosition() -> Vector<D>? {
    guard count > free, free > 0 else { return nil }
    var best: Vector<D>?
    var least = Double.infinity
    func evaluate(_ position: Vector<D>) {
      guard position.isFinite else { return }
      var (score, product) = (0.0, 1.0)
      for index in 0..<count {
        let scaled = (distances[index] - (position - anchors[index]).length) / sigmas[index]
        let terms = loss.terms(of: scaled)
        score += loss.shape == .squared ? min(9, terms.cost) : terms.cost
        product *= terms.product
        if score >= least { return }
      }
      if product != 1 { score += loss.tuning * loss.tuning * .log(product) }
      if score < least { (best, least) = (position, score) }
    }
    for members in minimalSubsets(of: free, among: count, limit: 120) {
      guard let squares = SquaredRanges(subset(members)) else { continue }
      let minima = squares.minima()
      evaluate(minima.global)
      if let other = minima.other { evaluate(other) }
    }
    return best
  }

  /// Returns the problem of a subset of the ranges.
  private func subset(_ members: [Int]) -> Self {
    RangeProblem(
      span: span, anchors: members.map { anchors[$0] }, distances: members.map { distances[$0] },
      sigmas: members.map { sigmas[$0] }, free: free, given: given, known: known)
  }
}

extension RangeProblem {
  /// Returns the position that least squares reach while their loss changes gradually into that of
  /// Geman and McClure.
  ///
  /// Graduated non-convexity [Yang et al. 2020]: with ρ(z) = k²μ z²/(k²μ + z²), μ starts large
  /// enough to make the loss convex over all residuals. It falls to 1 by a factor of 1.4 per
  /// re-weighted step. Outliers lose their weight before they can hold the solution in a wrong
  /// minimum. The result is a starting point for the actual loss. No heap allocation.
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
