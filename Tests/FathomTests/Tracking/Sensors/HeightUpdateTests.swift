import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Tracks with measured heights.
@Suite struct HeightUpdateTests {
  private static func configuration() -> TrackerConfiguration {
    var configuration = TrackerConfiguration()
    configuration.heights = HeightErrors()
    return configuration
  }

  /// Heights every tenth of a second with white errors and an offset.
  private static func heights(
    to end: Double, offset: Double, sigma: Double = 0.07, using generator: inout SeededGenerator
  ) -> [HeightMeasurement] {
    (0..<Int(10 * end)).map { index in
      let seconds = Double(index) / 10
      return HeightMeasurement(
        time: instant(seconds),
        height: SimulatedWalk.stroll(seconds)[2] + offset + sigma * generator.normal())
    }
  }

  /// Errors of the heights of a walk with and without heights, and the mean normalised square along z.
  private static func errors(
    offset: Double, using generator: inout SeededGenerator
  ) throws -> (with: Double, without: Double, square: Double) {
    let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.stroll)
    let ranges = walk.ranges(to: 60, using: &generator)
    let heights = heights(to: 60, offset: offset, using: &generator)
    var (with, without, square, count) = (0.0, 0.0, 0.0, 0.0)
    var configuration = Self.configuration()
    configuration.side = .below
    var tracker = try Tracker(anchors: walk.anchors, configuration: configuration)
    var plain = tracker
    var sensors = SensorQueue(SensorReadings(heights: heights))
    for range in ranges {
      while let reading = sensors.next(upTo: range.time) { tracker.update(reading) }
      tracker.update(range)
      plain.update(range)
      guard range.time > instant(20), let own = tracker.estimate(at: range.time),
        let other = plain.estimate(at: range.time)
      else { continue }
      let (error, plainly) = (own.position[2] - range.truth[2], other.position[2] - range.truth[2])
      with += error * error
      without += plainly * plainly
      square += error * error / own.covariance[2, 2]
      count += 1
    }
    return (
      (with / count).squareRoot(), (without / count).squareRoot(), square / count
    )
  }

  @Test func heightsImproveTheHeight() throws {
    var generator = SeededGenerator(seed: 5201)
    let found = try Self.errors(offset: 0.05, using: &generator)
    #expect(found.with < 0.8 * found.without, "\(found)")
    #expect(found.square < 2, "\(found)")
  }

  /// The zero of a barometer may be anywhere: its changes count then.
  @Test func findsTheZeroOfABarometer() throws {
    var generator = SeededGenerator(seed: 5202)
    let found = try Self.errors(offset: 35, using: &generator)
    #expect(found.with < 1.1 * found.without, "\(found)")
    #expect(found.square < 3, "\(found)")
  }

  /// One height that is far off hardly moves the track.
  @Test func outlierHasLittleWeight() throws {
    var generator = SeededGenerator(seed: 5203)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    var tracker = try Tracker(anchors: walk.anchors, configuration: Self.configuration())
    let ranges = walk.ranges(to: 10, using: &generator)
    for range in ranges { tracker.update(range) }
    let time = try #require(ranges.last?.time)
    let before = try #require(tracker.estimate(at: time)).position[2]
    let update = tracker.update(HeightMeasurement(time: time, height: before + 20))
    guard case .discounted = update.outcome else {
      Issue.record("\(update.outcome)")
      return
    }
    let after = try #require(tracker.estimate(at: time)).position[2]
    #expect((after - before).magnitude < 0.05)
  }

  @Test func rejectsWhatCannotBeUsed() throws {
    var tracker = try Tracker(anchors: SimulatedWalk.room, configuration: Self.configuration())
    #expect(tracker.update(HeightMeasurement(time: instant(0), height: .nan)).outcome == .invalid)
    #expect(tracker.update(HeightMeasurement(time: instant(1), height: 1)).outcome == .starting)
    #expect(tracker.update(HeightMeasurement(time: instant(0), height: 1)).outcome == .late)
    var level = try Tracker(
      anchors: SimulatedWalk.room, configuration: .withHeight(1.2))
    #expect(level.update(HeightMeasurement(time: instant(0), height: 1)).outcome == .invalid)
  }

  /// A height rules out the mirror image above the ceiling.
  @Test func heightSupportsTheStart() throws {
    var generator = SeededGenerator(seed: 5204)
    let anchors = Array(SimulatedWalk.ceiling.prefix(3))
    let truth = Vector<3>([4, 3, 1.2])
    var configuration = Self.configuration()
    configuration.startWindow = 0.5
    var tracker = try Tracker(anchors: anchors, configuration: configuration)
    for index in 0..<12 {
      let time = instant(0.1 * Double(index))
      _ = tracker.update(HeightMeasurement(time: time, height: 1.2))
      let anchor = index % 3
      _ = tracker.update(
        distance: (truth - anchors[anchor].position).length + 0.01 * generator.normal(),
        anchor: anchor, at: time)
    }
    let estimate = try #require(tracker.estimate(at: instant(1.1)))
    #expect(estimate.alternative == nil)
    #expect((estimate.position - truth).length < 0.3, "\(estimate.position)")
  }
}
