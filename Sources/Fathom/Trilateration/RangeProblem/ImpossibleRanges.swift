extension UsableRanges {
  /// How many standard deviations a range may be beyond what the layout allows.
  private static var mostSigmas: Double { 5 }
  /// How many times the extent of the anchors ranges of one place may differ by: once if all are right, and
  /// twice if the usual one is wrong by as much.
  private static var mostExtents: Double { 2 }

  /// Discounts ranges that cannot be, whatever the position: those of one place differ by no more than their
  /// anchors are apart, and their errors.
  ///
  /// A range that exceeds the median by twice the extent of the anchors is one, such as 338 km from a counter
  /// that overflowed, beside 5 m. All nearer ones are left to the loss, which weighs which of them is wrong.
  mutating func discountImpossible() {
    guard let first = anchors.first, indices.count > 1 else { return }
    var (least, most) = (first, first)
    for anchor in anchors {
      for axis in 0..<D {
        least[axis] = min(least[axis], anchor[axis])
        most[axis] = max(most[axis], anchor[axis])
      }
    }
    let usual = distances.sorted()[(distances.count - 1) / 2]
    let reach = usual + Self.mostExtents * (most - least).length
    let places = indices.indices.filter { distances[$0] <= reach + Self.mostSigmas * sigmas[$0] }
    guard places.count < indices.count else { return }
    let kept = Set(places)
    discounted = (discounted + indices.indices.filter { !kept.contains($0) }.map { indices[$0] })
      .sorted()
    indices = places.map { indices[$0] }
    distances = places.map { distances[$0] }
    anchors = places.map { anchors[$0] }
    sigmas = places.map { sigmas[$0] }
  }
}
