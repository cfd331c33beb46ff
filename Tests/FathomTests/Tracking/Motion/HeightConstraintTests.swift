import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// A height with a standard deviation in a filter.
@Suite struct HeightConstraintTests {
  /// Compares with a dense update by a measurement of z; no effect in the plane.
  @Test func heightIsAMeasurementOfZ() throws {
    try TrackState.onRandomStates(seed: 2011) { state, modes, generator in
      let height = 3 * generator.normal()
      let variances = TrackState.Pair(
        generator.exponential(mean: 0.1), generator.exponential(mean: 0.1))
      state.condition(onHeight: height, variance: variances)
      guard state.axes == 3 else { return }
      for mode in 0..<2 {
        let own = modes[mode].covariance
        let spread = own[2, 2] + variances[mode]
        let residual = height - modes[mode].mean[2, 0]
        for row in 0..<state.size {
          modes[mode].mean[row, 0] += own[row, 2] * residual / spread
          for other in 0..<state.size {
            modes[mode].covariance[row, other] -= own[row, 2] * own[2, other] / spread
          }
        }
      }
    }
  }

  /// Position and velocity along one axis with their covariance, computed directly.
  private struct Axis {
    var pp = 100.0
    var pv = 0.0
    var vv = 100.0

    mutating func step(_ seconds: Double, density: Double, noise: Double) {
      let power = density * density
      pp += 2 * seconds * pv + seconds * seconds * vv + power * seconds * seconds * seconds / 3
      pv += seconds * vv + power * seconds * seconds / 2
      vv += power * seconds
      let spread = pp + noise
      (pp, pv, vv) = (pp - pp * pp / spread, pv - pv * pp / spread, vv - pv * pv / spread)
    }
  }

  /// The height alone holds its standard deviation, from the past in a filter and from both sides
  /// in a smoother, for any motion and update rate.
  @Test(arguments: [0.05, 0.3, 2], [0.1, 0.5, 4])
  func heightAloneHoldsItsStandardDeviation(_ sigma: Double, _ density: Double) {
    for knowledge in [HeightInformation.Knowledge.past, .pastAndFuture] {
      let information = HeightInformation(
        (1, sigma), acceleration: density, knowledge: knowledge)
      var axis = Axis()
      // A thousandth of the memory time.
      let seconds = 1e-3 * Double.pow(information.density / (density * density), 0.25)
      for _ in 0..<40_000 {
        axis.step(seconds, density: density, noise: information.density / seconds)
      }
      var variance = axis.pp
      if knowledge == .pastAndFuture {
        // The future is the past with reversed velocity: the informations add.
        let determinant = axis.pp * axis.vv - axis.pv * axis.pv
        let (a, c) = (2 * axis.vv / determinant, 2 * axis.pp / determinant)
        variance = 1 / a
        #expect(c > 0)
      }
      #expect(isClose(variance / (sigma * sigma), 1, within: 0.01), "\(knowledge): \(variance)")
    }
  }

  @Test func varianceIsAtLeastThatOfTheHeight() {
    let information = HeightInformation((1, 0.5), acceleration: 0.5, knowledge: .past)
    #expect(information.variance(over: 1e6) == 0.25)
    #expect(information.variance(over: 1e-3) > 0.25)
    let still = HeightInformation((1, 0.5), acceleration: 0, knowledge: .past)
    #expect(still.variance(over: 1) == .infinity)
  }

  private func walk(_ anchors: [Anchor]) -> SimulatedWalk {
    SimulatedWalk(anchors: anchors, path: SimulatedWalk.levelStroll)
  }

  /// Under a ceiling of anchors, where ranges allow two heights, the height decides at once.
  @Test(arguments: [0.9, 1.2, 1.5])
  func heightResolvesTheAmbiguityUnderACeiling(_ height: Double) throws {
    var generator = SeededGenerator(seed: 60)
    var tracker = try Tracker(
      anchors: SimulatedWalk.ceiling, configuration: .withHeight(height, sigma: 0.3))
    var (squares, count) = (0.0, 0)
    for range in walk(SimulatedWalk.ceiling).ranges(to: 120, using: &generator) {
      tracker.update(range)
      guard let estimate = tracker.estimate(at: range.time), range.time > instant(2) else {
        continue
      }
      #expect(estimate.status == .tracking)
      let error = estimate.position - range.truth
      #expect(error[2].magnitude < 0.5)
      #expect(estimate.covariance[2, 2] > 0 && estimate.covariance[2, 2] < 0.45 * 0.45)
      squares += try #require(estimate.normalizedSquare(of: range.truth))
      count += 1
    }
    #expect(count > 4000)
    let mean = squares / Double(3 * count)
    // The filter assumes correlated errors, and the simulation has none.
    #expect((0.02...2).contains(mean), "seed 60: \(mean)")
  }

  /// An almost exact height gives the track in the plane, a vague one the track in space.
  @Test func spansExactAndUnknownHeights() throws {
    var generator = SeededGenerator(seed: 61)
    let ranges = walk(SimulatedWalk.room).ranges(to: 60, using: &generator)
    func track(_ configuration: Tracker.Configuration) throws -> [Vector<3>] {
      var tracker = try Tracker(anchors: SimulatedWalk.room, configuration: configuration)
      return ranges.compactMap { range in
        tracker.update(range)
        return range.time > instant(3) ? tracker.estimate(at: range.time)?.position : nil
      }
    }
    func largest(_ first: [Vector<3>], _ second: [Vector<3>]) -> Double {
      zip(first, second).map { ($0 - $1).length }.max() ?? .infinity
    }
    let plane = try track(.withHeight(1.2, sigma: nil))
    let space = try track(.withHeight(nil, sigma: nil))
    #expect(plane.count == space.count && plane.count > 2000)
    #expect(largest(try track(.withHeight(1.2, sigma: 1e-4)), plane) < 0.01)
    #expect(largest(try track(.withHeight(1.2, sigma: 1e4)), space) < 0.01)
    #expect(largest(plane, space) > 0.05)
  }

  /// For anchors on a wall both sides are indistinguishable; the bounds contain the tag.
  @Test func boundsSelectTheSideOfAWall() throws {
    let wall = [
      Anchor(position: Vector([0, 0, 0.5])), Anchor(position: Vector([4, 0, 2.5])),
      Anchor(position: Vector([8, 0, 0.7])), Anchor(position: Vector([6, 0, 3])),
    ]
    let walk = SimulatedWalk(anchors: wall) { Vector([3 + 0.2 * $0, 3, 1.2]) }
    for side in [1.0, -1] {
      var generator = SeededGenerator(seed: 62)
      var configuration = Tracker.Configuration()
      configuration.bounds = PositionBounds(
        lower: Vector([-1, side > 0 ? 0 : -9, -.infinity]),
        upper: Vector([9, side > 0 ? 9 : 0, .infinity]))
      var tracker = try Tracker(anchors: wall, configuration: configuration)
      let ranges = walk.ranges(to: 10, using: &generator)
      for range in ranges { tracker.update(range) }
      let smoother = try TrackSmoother(anchors: wall, configuration: configuration)
      let track = try #require(smoother.smoothed(ranges.map(\.measurement)))
      let end = try #require(ranges.last)
      for found in [
        tracker.estimate(at: end.time), track.estimate(at: end.time, configuration: configuration),
      ] {
        let estimate = try #require(found)
        #expect(estimate.status == .tracking)
        #expect((estimate.position[1] - side * 3).magnitude < 0.5, "\(estimate.position)")
      }
    }
  }
}
