extension UsableRanges {
  /// How many standard deviations two ranges of one place may differ beyond the distance of their anchors.
  private static var mostSigmas: Double { 5 }

  /// Discounts ranges that cannot be, whatever the position: two ranges differ by no more than their anchors
  /// are apart, and their errors.
  ///
  /// Of two that contradict each other, the one that contradicts most others is wrong. If that does not
  /// tell them apart, the longer one is, provided that the other were too short by more than the anchors are
  /// apart: a range of 338 km, from a counter that overflowed, beside one of 5 m. All else is left to the
  /// loss.
  ///
  /// ## Cost
  /// Quadratic in the number of ranges, a few nanoseconds a pair.
  mutating func discountImpossible() {
    var places = Array(indices.indices)
    while let wrong = impossible(among: places) { places.removeAll { $0 == wrong } }
    guard places.count < indices.count else { return }
    let kept = Set(places)
    discounted = (discounted + indices.indices.filter { !kept.contains($0) }.map { indices[$0] })
      .sorted()
    indices = places.map { indices[$0] }
    distances = places.map { distances[$0] }
    anchors = places.map { anchors[$0] }
    sigmas = places.map { sigmas[$0] }
  }

  /// Returns the one of `places` that is wrong for certain; nil without one.
  private func impossible(among places: [Int]) -> Int? {
    var contradictions = [Int](repeating: 0, count: indices.count)
    var longest: Int?
    for (order, one) in places.enumerated() {
      for other in places[(order + 1)...] {
        let baseline = (anchors[one] - anchors[other]).length
        let errors =
          Self.mostSigmas * (sigmas[one] * sigmas[one] + sigmas[other] * sigmas[other]).squareRoot()
        let difference = (distances[one] - distances[other]).magnitude
        guard difference > baseline + errors else { continue }
        contradictions[one] += 1
        contradictions[other] += 1
        let longer = distances[one] > distances[other] ? one : other
        if difference > 2 * baseline + errors,
          longest.map({ distances[longer] > distances[$0] }) ?? true
        {
          longest = longer
        }
      }
    }
    guard let most = contradictions.max(), most > 0 else { return nil }
    let suspects = places.filter { contradictions[$0] == most }
    return suspects.count == 1 && most > 1 ? suspects[0] : longest
  }
}
