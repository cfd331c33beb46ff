import Testing

@testable import Fathom

@Suite struct ThinnedRangesTests {
  /// Two links in turn, 25 ranges per second each.
  private static let ranges = (0..<300).map {
    RangeMeasurement(time: instant(0.02 * Double($0)), anchor: $0 % 2, distance: 3)
  }

  private func thinned(anchorCount: Int, limit: Int = .max) -> ThinnedRanges {
    var result = ThinnedRanges(anchorCount: anchorCount, limit: limit)
    for range in Self.ranges { result.add(range) }
    return result
  }

  /// At most ten per second and link, the first of each tenth.
  @Test func keepsTenPerSecond() {
    let kept = thinned(anchorCount: 2).ranges
    // Each link every 40 ms: every third range is at least 99.9 ms after the previous one.
    #expect(kept.count == 100)
    for anchor in 0..<2 {
      let times = kept.filter { $0.anchor == anchor }.map(\.time)
      for (earlier, later) in zip(times, times.dropFirst()) {
        #expect(later.seconds(since: earlier) > 0.0998)
      }
    }
  }

  @Test func rejectsUnknownAnchors() {
    let kept = thinned(anchorCount: 1).ranges
    #expect(kept.count == 50 && kept.allSatisfy { $0.anchor == 0 })
  }

  @Test func keepsTheFirstRangesUpToTheLimit() {
    let all = thinned(anchorCount: 2)
    let few = thinned(anchorCount: 2, limit: 7)
    #expect(few.ranges == Array(all.ranges.prefix(7)))
    #expect(few.isFull && !all.isFull)
  }
}
