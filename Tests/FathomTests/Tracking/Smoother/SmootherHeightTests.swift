import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// A height with a standard deviation, over a whole recording.
@Suite struct SmootherHeightTests {
  @Test(arguments: [0.9, 1.2, 1.5])
  func heightResolvesTheAmbiguityUnderACeiling(_ height: Double) throws {
    var generator = SeededGenerator(seed: 70)
    let walk = SimulatedWalk(anchors: SimulatedWalk.ceiling, path: SimulatedWalk.levelStroll)
    let ranges = walk.ranges(to: 25, using: &generator)
    let configuration = Tracker.Configuration.withHeight(height, sigma: 0.3)
    let smoother = try TrackSmoother(anchors: SimulatedWalk.ceiling, configuration: configuration)
    let track = try #require(smoother.smoothed(ranges.map(\.measurement)))
    var (squares, count) = (0.0, 0)
    for range in ranges {
      let estimate = try #require(track.estimate(at: range.time, configuration: configuration))
      #expect(estimate.status == .tracking)
      #expect((estimate.position[2] - 1.2).magnitude < 0.5)
      #expect(estimate.covariance[2, 2] > 0 && estimate.covariance[2, 2] < 0.45 * 0.45)
      squares += try #require(estimate.normalizedSquare(of: range.truth))
      count += 1
    }
    let mean = squares / Double(3 * count)
    // The smoother assumes correlated errors, and the simulation has none.
    #expect((0.02...2).contains(mean), "seed 70: \(mean)")
  }

  @Test func spansExactAndUnknownHeights() throws {
    var generator = SeededGenerator(seed: 71)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.levelStroll)
    let ranges = walk.ranges(to: 20, using: &generator)
    func track(_ configuration: Tracker.Configuration) throws -> [Vector<3>] {
      let smoother = try TrackSmoother(anchors: SimulatedWalk.room, configuration: configuration)
      let track = try #require(smoother.smoothed(ranges.map(\.measurement)))
      return try ranges.map {
        try #require(track.estimate(at: $0.time, configuration: configuration)).position
      }
    }
    func largest(_ first: [Vector<3>], _ second: [Vector<3>]) -> Double {
      zip(first, second).map { ($0 - $1).length }.max() ?? .infinity
    }
    let plane = try track(.withHeight(1.2, sigma: nil))
    let space = try track(.withHeight(nil, sigma: nil))
    #expect(largest(try track(.withHeight(1.2, sigma: 1e-3)), plane) < 0.02)
    #expect(largest(try track(.withHeight(1.2, sigma: 1e4)), space) < 0.01)
    #expect(largest(plane, space) > 0.05)
  }
}
