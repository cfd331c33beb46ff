import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// A common-mode error of all links of a tag, seen from far away: estimates cannot show it, and
/// covariances must include it.
@Suite(.releaseOnly) struct TrackerCommonModeTests {
  /// Four anchors around a room, and a tag that walks outside, 20 to 30 m away.
  private static let walk = SimulatedWalk(
    anchors: [
      Anchor(position: Vector([0, 0, 0.5])), Anchor(position: Vector([6, 0, 2.5])),
      Anchor(position: Vector([6, 5, 0.5])), Anchor(position: Vector([0, 5, 2.5])),
    ],
    path: { SimulatedWalk.levelStroll($0) + Vector([20, 5, 0]) })

  private static func configuration(commonModeSigma: Double) -> Tracker.Configuration {
    var configuration = Tracker.Configuration()
    configuration.height = 1.2
    (configuration.errors.commonModeSigma, configuration.errors.commonModeTime) = (
      commonModeSigma, 20
    )
    configuration.calibratesCovariance = false
    return configuration
  }

  /// Ranges of two minutes with a common Gauss-Markov process of 5 cm and 20 s.
  private static func ranges(
    using generator: inout SeededGenerator
  ) -> [SimulatedWalk.Range] {
    var walk = walk
    walk.correlatedShare = 0.4
    var ranges = walk.ranges(to: 120, using: &generator)
    let memory = Double.exp(-1 / (walk.rate * 20))
    var drift = 0.05 * generator.normal()
    for index in ranges.indices {
      ranges[index].distance += drift
      drift = memory * drift + 0.05 * (1 - memory * memory).squareRoot() * generator.normal()
    }
    return ranges
  }

  /// The squared error along the line to the room at the end of a walk, relative to its predicted
  /// variance, over twenty walks.
  private static func square(
    commonModeSigma: Double,
    _ end: ([SimulatedWalk.Range], Tracker.Configuration) throws -> TrackEstimate?
  ) throws -> Double {
    var generator = SeededGenerator(seed: 2951)
    var sum = 0.0
    for _ in 0..<20 {
      let ranges = ranges(using: &generator)
      let estimate = try #require(try end(ranges, configuration(commonModeSigma: commonModeSigma)))
      let truth = try #require(ranges.first { $0.time == estimate.time }).truth
      let away = estimate.position - Vector([3, 2.5, 1.2])
      let along = (1 / away.length) * away
      let error = along.dot(estimate.position - truth)
      sum += error * error / along.dot(estimate.covariance * along)
    }
    return sum / 20
  }

  @Test func filterIncludesTheCommonModeError() throws {
    func end(
      _ ranges: [SimulatedWalk.Range], _ configuration: Tracker.Configuration
    ) throws -> TrackEstimate? {
      var tracker = try Tracker(anchors: Self.walk.anchors, configuration: configuration)
      for range in ranges { tracker.update(range) }
      return ranges.last.flatMap { tracker.estimate(at: $0.time) }
    }
    // The central 99 % of chi-square with 20 degrees of freedom, over 20: 0.37 to 2.0.
    let modelled = try Self.square(commonModeSigma: 0.05, end)
    #expect(modelled > 0.37 && modelled < 2, "\(modelled)")
    let unmodelled = try Self.square(commonModeSigma: 0, end)
    #expect(unmodelled > 2, "\(unmodelled)")
  }

  @Test func smootherIncludesTheCommonModeError() throws {
    func middle(
      _ ranges: [SimulatedWalk.Range], _ configuration: Tracker.Configuration
    ) throws -> TrackEstimate? {
      let smoother = try TrackSmoother(anchors: Self.walk.anchors, configuration: configuration)
      let track = smoother.smoothed(ranges.map(\.measurement))
      return track.map { $0.estimates[$0.estimates.count / 2] }
    }
    let modelled = try Self.square(commonModeSigma: 0.05, middle)
    #expect(modelled > 0.2 && modelled < 2, "\(modelled)")
    let unmodelled = try Self.square(commonModeSigma: 0, middle)
    #expect(unmodelled > 1.8 * modelled, "\(unmodelled)")
  }

  /// The common-mode error changes the covariance of a smoothed track; its position hardly changes.
  @Test func smoothedTrackIgnoresTheStartingBias() throws {
    var generator = SeededGenerator(seed: 2952)
    let ranges = Self.ranges(using: &generator).map(\.measurement)
    let (with, without) = try (
      #require(try Self.smoothed(ranges, commonModeSigma: 0.05)),
      #require(try Self.smoothed(ranges, commonModeSigma: 0))
    )
    for (one, other) in zip(with.estimates, without.estimates) {
      #expect((one.position - other.position).length < 0.02)
      #expect(one.covariance[0, 0] > other.covariance[0, 0])
    }
  }

  private static func smoothed(
    _ ranges: [RangeMeasurement], commonModeSigma: Double
  ) throws -> SmoothedTrack? {
    try TrackSmoother(
      anchors: walk.anchors, configuration: configuration(commonModeSigma: commonModeSigma)
    )
    .smoothed(ranges)
  }
}
