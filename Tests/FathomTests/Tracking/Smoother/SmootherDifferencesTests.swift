import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Smoothed tracks from time differences of arrival.
@Suite struct SmootherDifferencesTests {
  private static var configuration: TrackerConfiguration {
    var configuration = DifferenceUpdateTests.configuration
    configuration.errors.commonModeSigma = 0
    return configuration
  }

  /// The right-hand side of the equations is minus the derivative of their cost, also by the offsets of
  /// the anchors, whose arrivals the transmissions share.
  @Test func gradientMatchesDifferences() throws {
    var generator = SeededGenerator(seed: 5701)
    let all = DifferenceUpdateTests.differences(
      SimulatedWalk.room, to: 4, sigma: 0.1, using: &generator
    ).map(\.0)
    var configuration = Self.configuration
    configuration.errors.persistentSigma = 0.1
    let problem = SmootherProblem(
      [], sensors: SensorReadings(differences: all), interruptions: [],
      anchors: SimulatedWalk.room, configuration: configuration)
    let found: SmootherRun<6>? = problem.run()
    var run = try #require(found).withOffsets
    for index in run.common.indices { run.common[index] = 0.02 * generator.normal() }
    let empty = ChainEquations<6>(count: run.knots.times.count, shared: run.common.count)
    var chain = empty
    _ = run.linearise(into: &chain)
    func cost(_ change: (inout SmootherRun<6>) -> Void) -> Double {
      var other = run
      change(&other)
      var chain = empty
      return other.linearise(into: &chain)
    }
    let delta = 1e-5
    for index in [0, 2, 6 * 7, 6 * 7 + 1, 6 * 7 + 2, 6 * 9 + 4] {
      let slope =
        (cost { $0.states[index] += delta } - cost { $0.states[index] -= delta }) / (2 * delta)
      #expect(isClose(chain.right[index], -slope, within: 1e-4 * max(1, slope.magnitude)))
    }
    for index in run.common.indices {
      let slope =
        (cost { $0.common[index] += delta } - cost { $0.common[index] -= delta }) / (2 * delta)
      #expect(isClose(chain.common[index], -slope, within: 1e-4 * max(1, slope.magnitude)))
    }
  }

  /// Whichever anchor is the reference, the track is the same.
  @Test func referenceDoesNotMatter() throws {
    var generator = SeededGenerator(seed: 5702)
    let all = DifferenceUpdateTests.differences(
      SimulatedWalk.room, to: 8, sigma: 0.1, using: &generator
    ).map(\.0)
    let other = 3
    var turned: [TimedDifference] = []
    for begin in stride(from: 0, to: all.count, by: 5) {
      let instant = all[begin..<begin + 5]
      let own = try #require(instant.first { $0.second == other })
      for difference in instant {
        // d(other) - d(i) = (d(0) - d(i)) - (d(0) - d(other)).
        let second = difference.second == other ? 0 : difference.second
        turned.append(
          TimedDifference(
            time: difference.time, first: other, second: second,
            difference: (second == 0 ? 0 : difference.difference) - own.difference))
      }
    }
    // Motion and normal errors whose weights do not depend on the order of the differences.
    var configuration = Self.configuration
    configuration.errors.degreesOfFreedom = .infinity
    configuration.modes.processNoiseRatio = 1
    let smoother = try TrackSmoother(anchors: SimulatedWalk.room, configuration: configuration)
    let one = try #require(smoother.smoothed([], sensors: SensorReadings(differences: all)))
    let same = try #require(smoother.smoothed([], sensors: SensorReadings(differences: turned)))
    #expect(one.estimates.count == 80 && one.isConverged)
    for (first, second) in zip(one.estimates, same.estimates) {
      #expect((first.position - second.position).length < 1e-4)
      #expect(isClose(first.covariance.trace, second.covariance.trace, within: 1e-6))
    }
  }

  /// Thirty walks: smoothing is better than filtering, and its errors are consistent.
  @Test(.releaseOnly) func errorsAreConsistent() throws {
    var generator = SeededGenerator(seed: 5703)
    let smoother = try TrackSmoother(
      anchors: SimulatedWalk.room, configuration: Self.configuration)
    var (sum, with, without) = (0.0, 0.0, 0.0)
    let walks = 30
    for _ in 0..<walks {
      let all = DifferenceUpdateTests.differences(
        SimulatedWalk.room, to: 20, sigma: 0.1, using: &generator)
      let readings = SensorReadings(differences: all.map(\.0))
      let track = try #require(smoother.smoothed([], sensors: readings))
      var tracker = try Tracker(anchors: SimulatedWalk.room, configuration: Self.configuration)
      let (last, truth) = all[all.count / 2 - 1]
      for (difference, _) in all.prefix(all.count / 2) { _ = tracker.update(difference) }
      let own = try #require(tracker.estimate(at: last.time))
      let smoothed = try #require(track.estimate(at: last.time))
      sum += try #require(smoothed.normalizedSquare(of: truth))
      with += (smoothed.position - truth).squared
      without += (own.position - truth).squared
    }
    let mean = sum / Double(3 * walks)
    #expect((0.4...2).contains(mean), "normalised error squared \(mean)")
    #expect(with < 0.8 * without, "\(with / without)")
  }

  /// Wrong arrivals at one anchor, its reference included, are recognised.
  @Test func wrongArrivalsHaveLittleWeight() throws {
    var generator = SeededGenerator(seed: 5704)
    var all = DifferenceUpdateTests.differences(
      SimulatedWalk.room, to: 20, sigma: 0.05, using: &generator)
    for begin in stride(from: 0, to: all.count, by: 5) where (begin / 5) % 4 == 0 {
      // All differences of a late arrival at the reference are wrong.
      for index in begin..<begin + 5 { all[index].0.difference += 1.5 }
    }
    let smoother = try TrackSmoother(
      anchors: SimulatedWalk.room, configuration: Self.configuration)
    let track = try #require(
      smoother.smoothed([], sensors: SensorReadings(differences: all.map(\.0))))
    var squares = 0.0
    for (difference, truth) in all {
      let estimate = try #require(track.estimate(at: difference.time))
      squares += (estimate.position - truth).squared
    }
    #expect((squares / Double(all.count)).squareRoot() < 0.12)
  }

  /// The series has the same order in both directions.
  @Test func orderIsTheSameInBothDirections() {
    let ranges = [0, 1, 1, 3].map {
      RangeMeasurement(time: instant($0), anchor: 0, distance: 1, sigma: nil)
    }
    let differences = [0, 0.5, 1, 1, 4].map {
      TimedDifference(time: instant($0), first: 0, second: 1, difference: 1)
    }
    let order = MeasurementOrder(ranges: ranges, differences: differences)
    var (forward, backward): ([String], [String]) = ([], [])
    order.forEach { forward.append("\($0) \($1)") }
    order.forEachReversed { backward.append("\($0) \($1)") }
    #expect(forward == backward.reversed())
    #expect(forward.count == 9)
  }
}
