import RealModule

/// The best local minimum of a plain epoch and the one that the ranges cannot tell from it, as
/// ``LocalSolutions`` of any epoch.
struct PlainSolutions {
  /// A position and its cost, see ``StartPair/Loss``.
  typealias Minimum = (position: SIMD3<Double>, cost: Double)

  /// The lowest minimum.
  var best: Minimum
  /// The next one; nil where the ranges tell it apart.
  var other: Minimum?
  /// Evaluations of the cost.
  var evaluations: Int
}

extension PlainEpoch {
  /// The minima that `starts` lead to; nil where that is not plain to see.
  func solutions(from starts: Starts, _ loss: StartPair.Loss) -> PlainSolutions? {
    var pair = StartPair(starts.global, starts.other ?? starts.global)
    guard pair.refine(self, loss) else { return nil }
    var (best, other) = (pair[0], pair[1])
    if other.cost < best.cost { swap(&best, &other) }
    var found = PlainSolutions(best: best, evaluations: pair.evaluations)
    if starts.other != nil, !isSame(best, other) {
      let excess = loss.excess(other.cost, over: best.cost)
      // Too close to call from the last step but one.
      guard excess > 1e-4, (excess - 6.63).magnitude > 1e-4 else { return nil }
      if excess < 6.63 { found.other = other }
    }
    return found
  }

  /// Looks for a better minimum where the first ones leave large residuals, as for any epoch; false
  /// where the answer is not plain to see.
  func search(
    _ isWide: Bool, from starts: Starts, _ found: inout PlainSolutions, _ loss: StartPair.Loss
  ) -> Bool {
    let first = found.best
    var better = first
    func look(_ one: SIMD3<Double>, _ two: SIMD3<Double>) -> Bool {
      var pair = StartPair(one, two)
      guard pair.refine(self, loss, below: better.cost) else { return false }
      found.evaluations += pair.evaluations
      for lane in 0..<2 where pair[lane].cost < better.cost { better = pair[lane] }
      return true
    }
    guard look(starts.image(of: first.position), starts.image(of: first.position, reaching: 0))
    else { return false }
    if isWide {
      guard let consensus = PlainConsensus(self, inverseSquare: loss.inverseSquare),
        consensus.best.score < .infinity,
        look(
          consensus.best.position,
          consensus.second.score < .infinity
            ? consensus.second.position : consensus.best.position)
      else { return false }
    }
    guard !isSame(first, better) else { return true }
    found.best = better
    found.other = nil
    let image = starts.image(of: better.position)
    var pair = StartPair(image, image)
    guard pair.refine(self, loss) else { return false }
    found.evaluations += pair.evaluations
    guard !isSame(pair[0], better) else { return true }
    let excess = loss.excess(pair[0].cost, over: better.cost)
    // Lower even than the best, or too close to call.
    guard excess > 1e-4, (excess - 6.63).magnitude > 1e-4 else { return false }
    if excess < 6.63 { found.other = pair[0] }
    return true
  }

  /// Whether two minima are the same to the precision that a double root allows.
  private func isSame(_ one: PlainSolutions.Minimum, _ two: PlainSolutions.Minimum) -> Bool {
    let apart = one.position - two.position
    return SecularPolynomial.dot(apart, apart) <= 1e-12 * scale * scale
  }
}

extension StartPair.Loss {
  /// 1/k² of Cauchy's loss.
  var inverseSquare: Double {
    guard case .cauchy(let inverseSquare) = self else { return 0 }
    return inverseSquare
  }

  /// Twice the logarithm of how much likelier the second cost is than the first.
  func excess(_ cost: Double, over best: Double) -> Double {
    guard case .cauchy(let inverseSquare) = self else { return cost - best }
    return .log(cost / best) / inverseSquare
  }
}
