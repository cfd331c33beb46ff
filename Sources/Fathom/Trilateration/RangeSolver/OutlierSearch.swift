import RealModule

extension RangeProblem {
  /// The position that most ranges agree on, however many do not.
  ///
  /// Consensus of random samples [Fischler & Bolles 1981], scored by what is to be minimised [Torr
  /// & Zisserman 2000]: every smallest set of ranges, as many as there are unknowns, is solved for
  /// both of its positions, and the position where all ranges cost least wins; where the loss is
  /// squared, each costs 9 at most. All sets are tried where they are no more than 120, otherwise
  /// 120 that the golden ratio picks: the answer is the same every time. Allocates.
  ///
  /// - Returns: the position relative to the centre; nil where no set determines one.
  func consensusPosition() -> Vector<D>? {
    guard count > free, free > 0 else { return nil }
    var best: Vector<D>?
    var least = Double.infinity
    func judge(_ position: Vector<D>) {
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
      judge(minima.global)
      if let other = minima.other { judge(other) }
    }
    return best
  }

  /// The problem of some of the ranges.
  private func subset(_ members: [Int]) -> Self {
    RangeProblem(
      span: span, anchors: members.map { anchors[$0] }, distances: members.map { distances[$0] },
      sigmas: members.map { sigmas[$0] }, free: free, given: given, known: known)
  }
}

extension RangeProblem {
  /// Where least squares lead when their loss turns step by step into that of Geman and McClure.
  ///
  /// Graduated non-convexity [Yang et al. 2020]: with ρ(z) = k²μ z²/(k²μ + z²), μ starts so large
  /// that the loss is convex over all residuals, and falls by the factor 1.4 to 1, one re-weighted
  /// step each. Ranges that are far off lose their weight before they can pin the solution to a
  /// wrong minimum; the result is a start for the loss proper. No heap allocation.
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
