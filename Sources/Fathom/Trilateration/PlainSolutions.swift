import RealModule

/// The best local minimum of a plain epoch and the one that the ranges cannot tell from it, as
/// ``LocalSolutions`` of any epoch.
struct PlainSolutions<Loss: PlainLoss> {
  /// The lowest minimum.
  private(set) var best: PlainDescent
  /// The next one; nil where the ranges tell it apart.
  private(set) var other: PlainDescent?
  /// Evaluations of the cost.
  private(set) var evaluations = 0
  private let loss: Loss

  /// By how much less likely an alternative may be: the 99 % point of chi-square with one degree of
  /// freedom, for twice the logarithm of the ratio.
  static var mostExcess: Double { 6.63 }

  /// By how much a position of the search may be less likely than the best minimum: it is then not
  /// looked at.
  static var mostPromise: Double { 30 }

  /// No minima yet.
  init(_ loss: Loss) {
    self.loss = loss
    best = PlainDescent(from: .zero)
  }

  /// Finds the minima that `starts` lead to; false where that is not plain to see.
  @inline(__always)
  mutating func descend(_ epoch: PlainEpoch, from starts: borrowing PlainStarts) -> Bool {
    guard let start = starts.global else { return false }
    best = PlainDescent(from: start)
    guard best.refine(epoch, loss), best.position.isPlain else { return false }
    evaluations = best.evaluations
    guard !starts.isAlone else { return true }
    // Whatever is not much less likely than the best has residuals so small that the squared ranges
    // cost no more than this there.
    let squares = loss.mostSquares(of: best.cost, raisedBy: Self.mostExcess)
    let root = squares.squareRoot()
    switch starts.other(belowSquareOf: 2 * root + root * root / epoch.leastRatio) {
    case .none: return true
    case .unclear: return false
    case .position(let start): return take(start, of: epoch)
    }
  }

  /// Settles on one of the two.
  mutating func choose(_ one: PlainDescent) {
    best = one
    other = nil
  }

  /// Refines another start; false where it is too close to call.
  private mutating func take(_ start: SIMD3<Double>, of epoch: PlainEpoch) -> Bool {
    var next = PlainDescent(from: start)
    guard next.refine(epoch, loss), next.position.isPlain else { return false }
    evaluations += next.evaluations
    guard !epoch.isSame(next, best) else { return true }
    if next.cost < best.cost { swap(&next, &best) }
    let excess = loss.excess(next.cost, over: best.cost)
    guard excess > 1e-4, (excess - Self.mostExcess).magnitude > 1e-4 else { return false }
    if excess < Self.mostExcess { other = next }
    return true
  }

  /// Looks for a better minimum where the first ones leave large residuals, as for any epoch; false
  /// where the answer is not plain to see.
  ///
  /// Across the plane of the anchors, and where the search `isWide` for outliers as well.
  mutating func search(
    _ epoch: PlainEpoch, from starts: borrowing PlainStarts, isWide: Bool
  ) -> Bool {
    guard let normal = starts.normal() else { return false }
    let first = best
    var better = first
    func look(_ start: SIMD3<Double>) -> Bool {
      var next = PlainDescent(from: start)
      guard next.refine(epoch, loss, against: better) else { return false }
      evaluations += next.evaluations
      if next.cost < better.cost { better = next }
      return true
    }
    if isWide {
      // What three ranges alone determine costs more than the minimum that it leads to.
      let ceiling = loss.cost(first.cost, raisedBy: Self.mostPromise)
      guard let consensus = PlainConsensus(epoch, loss, below: ceiling) else { return false }
      if consensus.best.score < .infinity, !look(consensus.best.position) { return false }
      if consensus.second.score < .infinity, !look(consensus.second.position) { return false }
      let graduated = epoch.graduated(from: first.position)
      evaluations += graduated.evaluations
      if graduated.position.isPlain, !look(graduated.position) { return false }
    } else if !look(starts.image(of: first.position, across: normal, reaching: 0)) {
      return false
    }
    guard look(starts.image(of: first.position, across: normal)) else { return false }
    guard !epoch.isSame(first, better) else { return true }
    best = better
    other = nil
    let chosen = best
    // Lower even than the best is not plain either.
    return take(starts.image(of: chosen.position, across: normal), of: epoch)
      && epoch.isSame(chosen, best)
  }
}

extension PlainEpoch {
  /// Whether two minima are the same to the precision that a double root allows.
  func isSame(_ one: PlainDescent, _ two: PlainDescent) -> Bool {
    let apart = one.position - two.position
    return SecularPolynomial.dot(apart, apart) <= 1e-12 * scale * scale
  }
}

extension SIMD3 where Scalar == Double {
  /// Whether all numbers are finite.
  var isPlain: Bool { x.isFinite && y.isFinite && z.isFinite }
}
