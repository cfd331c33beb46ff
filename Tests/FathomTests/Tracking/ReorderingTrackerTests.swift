import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ReorderingTrackerTests {
  private static let anchors = SimulatedWalk.room

  /// Ranges of a walk, several of them at each instant.
  private func ranges(seed: UInt64) -> [RangeMeasurement] {
    var generator = SeededGenerator(seed: seed)
    let walk = SimulatedWalk(anchors: Self.anchors, path: SimulatedWalk.stroll)
    return walk.ranges(to: 20, using: &generator).map { range in
      RangeMeasurement(time: range.time, anchor: range.anchor, distance: range.distance)
    }.sorted { ($0.time, $0.anchor) < ($1.time, $1.anchor) }
  }

  private func state(_ tracker: Tracker, at time: Timestamp) throws -> [Double] {
    let estimate = try #require(tracker.estimate(at: time))
    return estimate.position.array + estimate.velocity.array
      + (0..<9).map { estimate.covariance[$0 / 3, $0 % 3] }
  }

  /// Any order of arrival within the horizon gives the track of the sorted ranges, bit for bit.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func anyOrderWithinTheHorizonMatchesTheSortedOne(_ seed: UInt64) throws {
    let sorted = ranges(seed: seed)
    let last = try #require(sorted.last).time
    var plain = try Tracker(anchors: Self.anchors)
    for range in sorted { _ = plain.update(range) }

    var generator = SeededGenerator(seed: 100 + seed)
    // Each arrives up to 1.9 s after it was measured.
    let delivered = sorted.map { range in
      (range, range.time.advanced(bySeconds: 1.9 * generator.uniform()))
    }.sorted { $0.1 < $1.1 }.map(\.0)
    #expect(delivered != sorted, "seed \(seed)")
    var reordering = try ReorderingTracker(anchors: Self.anchors, horizon: 2)
    for range in delivered {
      let update = reordering.update(range)
      #expect(update.outcome != .late)
    }
    #expect(
      try state(reordering.tracker, at: last) == state(plain, at: last), "seed \(seed)")
  }

  @Test func rangesBeyondTheHorizonAreLate() throws {
    let sorted = ranges(seed: 9)
    var reordering = try ReorderingTracker(anchors: Self.anchors, horizon: 1)
    for range in sorted.dropFirst(40) { _ = reordering.update(range) }
    let last = try #require(sorted.last).time
    let before = try state(reordering.tracker, at: last)
    #expect(reordering.update(sorted[0]).outcome == .late)
    #expect(try state(reordering.tracker, at: last) == before)
  }

  /// Ranges from before an interruption cannot be inserted afterwards.
  @Test func rangesFromBeforeAnInterruptionAreLate() throws {
    let sorted = ranges(seed: 10)
    var reordering = try ReorderingTracker(anchors: Self.anchors, horizon: 5)
    for range in sorted.prefix(200) { _ = reordering.update(range) }
    reordering.interrupt()
    #expect(reordering.update(sorted[150]).outcome == .late)
    #expect(reordering.update(sorted[230]).outcome == .used)
  }
}
