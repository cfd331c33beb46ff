import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Estimates that wait for later ranges.
@Suite struct FixedLagTrackSmootherTests {
  /// Passes a walk through tracker and smoother, and returns the errors of both, and the estimates with
  /// the time at which each was released.
  private static func walk(
    lag: Double, seed: UInt64
  ) throws -> (own: Double, smoothed: Double, released: [(TrackEstimate, at: Timestamp)], held: Int)
  {
    var generator = SeededGenerator(seed: seed)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    let ranges = walk.ranges(to: 60, using: &generator)
    var tracker = try Tracker(anchors: walk.anchors)
    var smoother = try FixedLagTrackSmoother(anchors: walk.anchors, lag: lag)
    var released: [(TrackEstimate, at: Timestamp)] = []
    var (own, held) = (0.0, 0)
    for range in ranges {
      smoother.add(range.measurement)
      tracker.update(range)
      if let estimate = tracker.estimate(at: range.time) {
        smoother.hold(estimate)
        held += 1
        if range.time >= instant(10) { own += (estimate.position - range.truth).squared }
      }
      released += smoother.release(at: range.time).map { ($0, range.time) }
    }
    released += smoother.finish().map { ($0, instant(60)) }
    var smoothed = 0.0
    for (estimate, _) in released where estimate.time >= instant(10) {
      let truth = walk.path(estimate.time.seconds(since: instant(0)))
      smoothed += (estimate.position - truth).squared
    }
    return (own, smoothed, released, held)
  }

  @Test(.releaseOnly) func laterRangesReduceTheError() throws {
    let found = try Self.walk(lag: 2, seed: 5901)
    #expect(found.smoothed < 0.7 * found.own, "\(found.smoothed / found.own)")
  }

  /// Every estimate comes once, in order, after one to one and a quarter times the lag.
  @Test func everyEstimateComesInTime() throws {
    let found = try Self.walk(lag: 1, seed: 5902)
    #expect(found.released.count == found.held)
    #expect(zip(found.released, found.released.dropFirst()).allSatisfy { $0.0.time < $1.0.time })
    for (estimate, time) in found.released where time < instant(59.9) {
      #expect((0.999...1.3).contains(time.seconds(since: estimate.time)))
    }
  }

  /// Where the ranges of the stretch contradict the track, its own estimate stays; an ambiguous one
  /// stays with its alternative.
  @Test func theTrackersEstimateStaysWhereItKnowsMore() throws {
    var generator = SeededGenerator(seed: 5903)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    var smoother = try FixedLagTrackSmoother(anchors: walk.anchors, lag: 1)
    for range in walk.ranges(to: 12, using: &generator) { smoother.add(range.measurement) }
    var estimate = TrackEstimate(
      time: instant(11), position: walk.path(11), velocity: .zero, covariance: .identity,
      status: .tracking)
    estimate.position[0] += 40
    smoother.hold(estimate)
    estimate.time = instant(11.5)
    estimate.position = walk.path(11.5)
    estimate.status = .ambiguous
    estimate.alternative = Vector([1, 2, 3])
    smoother.hold(estimate)
    estimate.time = instant(11.6)
    (estimate.status, estimate.alternative) = (.tracking, nil)
    smoother.hold(estimate)
    let found = smoother.finish()
    #expect(found.count == 3)
    #expect(found[0].position[0] > 30)
    #expect(found[1].alternative == Vector([1, 2, 3]))
    #expect((found[2].position - walk.path(11.6)).length < 0.3)
    #expect(found[2].covariance.trace < 0.1)
  }

  @Test func refusesAWrongLag() {
    for lag in [0, -1, 61, Double.nan] {
      #expect(throws: ConfigurationError.self) {
        try FixedLagTrackSmoother(anchors: SimulatedWalk.room, lag: lag)
      }
    }
  }
}
