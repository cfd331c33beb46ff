import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Clocks that are set back, and single ranges with a wrong time.
@Suite struct ClockStepTests {
  private static let walk = SimulatedWalk(
    anchors: SimulatedWalk.room, path: SimulatedWalk.levelStroll)

  private static func ranges(_ seed: UInt64) -> [RangeMeasurement] {
    var generator = SeededGenerator(seed: seed)
    return walk.ranges(to: 20, using: &generator).map(\.measurement)
  }

  private static func shifted(_ ranges: [RangeMeasurement], by seconds: Double)
    -> [RangeMeasurement]
  {
    ranges.map { range in
      var range = range
      range.time = range.time.advanced(bySeconds: seconds)
      return range
    }
  }

  /// After a step of an hour the track is that of the ranges after the step, less the first two.
  @Test(arguments: [3600.0, 30]) func aStepBackRestarts(_ step: Double) throws {
    let (before, after) = (Self.shifted(Self.ranges(1), by: step + 20), Self.ranges(2))
    var tracker = try Tracker(anchors: Self.walk.anchors)
    var reordering = try ReorderingTracker(anchors: Self.walk.anchors, horizon: 1)
    for range in before + after {
      _ = tracker.update(range)
      _ = reordering.update(range)
    }
    var fresh = try Tracker(anchors: Self.walk.anchors)
    for range in after.dropFirst(2) { _ = fresh.update(range) }
    let end = try #require(after.last).time
    let estimate = try #require(fresh.estimate(at: end))
    #expect(tracker.estimate(at: end) == estimate)
    #expect(reordering.estimate(at: end) == estimate)
  }

  @Test func lateRangesAreNoStep() throws {
    let ranges = Self.shifted(Self.ranges(3), by: 100)
    var tracker = try Tracker(anchors: Self.walk.anchors)
    for range in ranges { _ = tracker.update(range) }
    let expected = tracker.estimate(at: tracker.time)
    // Nine seconds late is late, however often; an hour late is a stray if it stays alone.
    for range in Self.shifted(Array(ranges.suffix(20)), by: -9) {
      #expect(tracker.update(range).outcome == .late)
    }
    for seconds in [-3600.0, -7200, -50] {
      let stray = Self.shifted([ranges[ranges.count - 1]], by: seconds)[0]
      #expect(tracker.update(stray).outcome == .late)
    }
    #expect(tracker.estimate(at: tracker.time) == expected)
  }

  /// One stamp far ahead, before the start or after it, does not silence the tracker.
  @Test(arguments: [0, 3, 150]) func aStrayAheadIsOvercome(_ place: Int) throws {
    var ranges = Self.ranges(4)
    ranges[place].time = ranges[place].time.advanced(bySeconds: 3600)
    var tracker = try Tracker(anchors: Self.walk.anchors)
    for range in ranges { _ = tracker.update(range) }
    let end = try #require(ranges.last).time
    let estimate = try #require(tracker.estimate(at: end))
    #expect(estimate.status == .tracking)
    #expect((estimate.position - Self.walk.path(end.seconds)).length < 0.5)
  }

  @Test func resetForgetsEverything() throws {
    let ranges = Self.ranges(5)
    var tracker = try Tracker(anchors: Self.walk.anchors)
    for range in Self.shifted(ranges, by: 5) { _ = tracker.update(range) }
    tracker.reset()
    #expect(!tracker.hasStarted && tracker.estimate(at: tracker.time) == nil)
    var fresh = try Tracker(anchors: Self.walk.anchors)
    for range in ranges {
      #expect(tracker.update(range).outcome == fresh.update(range).outcome)
    }
    let end = try #require(ranges.last).time
    #expect(tracker.estimate(at: end) == fresh.estimate(at: end))
  }

  @Test func anInvalidRangeDoesNotMoveTheClock() throws {
    var tracker = try ReorderingTracker(anchors: Self.walk.anchors, horizon: 1)
    let ranges = Self.ranges(6)
    let ahead = RangeMeasurement(
      time: ranges[0].time.advanced(bySeconds: 100), anchor: 0, distance: -1)
    #expect(tracker.update(ahead).outcome == .invalid)
    #expect(tracker.update(ranges[0]).outcome == .starting)
  }
}
