import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Tracks from time differences of arrival.
@Suite struct DifferenceUpdateTests {
  static var configuration: TrackerConfiguration {
    var configuration = TrackerConfiguration()
    configuration.usesDifferences = true
    configuration.errors.correlatedShare = 0
    configuration.calibratesCovariance = false
    return configuration
  }

  /// Transmissions every tenth of a second, whose arrivals at all anchors have independent errors; the
  /// differences to the first anchor.
  static func differences(
    _ anchors: [Anchor], to end: Double, sigma: Double,
    path: (Double) -> Vector<3> = SimulatedWalk.stroll, using generator: inout SeededGenerator
  ) -> [(TimedDifference, Vector<3>)] {
    (0..<Int(10 * end)).flatMap { index in
      let seconds = Double(index) / 10
      let truth = path(seconds)
      let arrivals = anchors.map {
        (truth - $0.position).length + sigma * generator.normal()
      }
      return (1..<anchors.count).map { anchor in
        (
          TimedDifference(
            time: instant(seconds), first: 0, second: anchor,
            difference: arrivals[0] - arrivals[anchor]),
          truth
        )
      }
    }
  }

  /// The covariance of the state with a difference is that of its linearisation, from central
  /// differences of the expected value.
  @Test func derivativesMatchDifferences() {
    var generator = SeededGenerator(seed: 5601)
    for isLevel in [false, true] {
      var kinematics = Gaussian(mean: 3 * Vector<6>.random(using: &generator), covariance: .zero)
      for axis in 0..<6 where !isLevel || axis % 3 != 2 { kinematics.covariance[axis, axis] = 1 }
      if isLevel { kinematics.mean[5] = 0 }
      var state = TrackState(kinematics, isLevel: isLevel, hasCommon: true, hasArrival: true)
      state.introduceArrival(variance: 0.04)
      state.introduceLink(0, variance: 0.01)
      state.introduceLink(1, variance: 0.02)
      let observed = TrackState.Difference(
        metres: 0.7, first: Vector([8, 1, 2]), second: Vector([-3, 7, 1]), links: (0, 1))
      let found = state.expectation(of: observed)
      let size = state.size
      var slopes = [Double](repeating: 0, count: size)
      for index in 0..<size {
        var (low, high) = (state, state)
        low.withMutableElements { $0.mean[index] -= SIMD2(repeating: 1e-6) }
        high.withMutableElements { $0.mean[index] += SIMD2(repeating: 1e-6) }
        // The residual falls as the expected difference rises.
        slopes[index] =
          (low.expectation(of: observed).residual[0] - high.expectation(of: observed).residual[0])
          / 2e-6
      }
      var spread = 0.0
      for row in 0..<size {
        for column in 0..<size {
          spread += slopes[row] * slopes[column] * state.covariance(row, column)[0]
        }
      }
      #expect(isClose(found.spread[0], spread, within: 1e-6))
      #expect(slopes[state.arrival] > 0.999)
    }
  }

  /// A disturbance of both links is the same as a new, independent error of each.
  @Test func disturbedLinksHaveGreaterVariances() {
    var kinematics = Gaussian(mean: Vector<6>.zero, covariance: .identity)
    kinematics.mean[0] = 1
    let observed = TrackState.Difference(
      metres: 0.7, first: Vector([8, 1, 2]), second: Vector([-3, 7, 1]), links: (0, 1))
    var states = [0.0, 0.25].map { added in
      var state = TrackState(kinematics, hasArrival: true)
      state.introduceArrival(variance: 0.04)
      state.fadeLinks(to: 0.5)
      for link in 0..<2 { state.introduceLink(link, variance: 0.01 + added) }
      return state
    }
    let before = states[0].expectation(of: observed)
    let disturbed = states[0].disturbed(
      .init(difference: (0, 1)), by: .init(repeating: 0.5), before)
    let expected = states[1].expectation(of: observed)
    #expect(isClose(disturbed.spread[0], expected.spread[0], within: 1e-12))
    #expect(isClose(disturbed.terms[0], expected.terms[0], within: 1e-12))
    states[0].condition(on: disturbed, variance: .init(repeating: 0.01))
    states[1].condition(on: expected, variance: .init(repeating: 0.01))
    for row in 0..<states[0].size {
      #expect(isClose(states[0].mean(row)[0], states[1].mean(row)[0], within: 1e-12))
      for column in 0...row {
        #expect(
          isClose(
            states[0].covariance(row, column)[0], states[1].covariance(row, column)[0],
            within: 1e-12))
      }
    }
  }

  @Test func followsAWalkFromDifferencesAlone() throws {
    var generator = SeededGenerator(seed: 5602)
    var tracker = try Tracker(anchors: SimulatedWalk.room, configuration: Self.configuration)
    var (squares, sum, count) = (0.0, 0.0, 0.0)
    for (difference, truth) in Self.differences(
      SimulatedWalk.room, to: 40, sigma: 0.1, using: &generator)
    {
      _ = tracker.update(difference)
      guard difference.second == SimulatedWalk.room.count - 1, difference.time > instant(5) else {
        continue
      }
      let estimate = try #require(tracker.estimate(at: difference.time))
      sum += try #require(estimate.normalizedSquare(of: truth))
      squares += (estimate.position - truth).squared
      count += 1
    }
    #expect((squares / count).squareRoot() < 0.2, "\((squares / count).squareRoot())")
    #expect((0.4...2).contains(sum / (3 * count)), "\(sum / (3 * count))")
  }

  /// Whatever the order of the differences of a transmission, the estimate is nearly the same: their
  /// common error is in the state.
  @Test func orderOfATransmissionDoesNotMatter() throws {
    var generator = SeededGenerator(seed: 5603)
    let all = Self.differences(SimulatedWalk.room, to: 5, sigma: 0.05, using: &generator).map(\.0)
    var estimates: [TrackEstimate] = []
    for isReversed in [false, true] {
      var tracker = try Tracker(anchors: SimulatedWalk.room, configuration: Self.configuration)
      for begin in stride(from: 0, to: all.count, by: 5) {
        // The start is the same.
        let part = Array(all[begin..<begin + 5])
        for difference in isReversed && begin >= 100 ? part.reversed() : part {
          _ = tracker.update(difference)
        }
      }
      estimates.append(try #require(tracker.estimate(at: all[all.count - 1].time)))
    }
    #expect((estimates[0].position - estimates[1].position).length < 0.01)
  }

  @Test func rejectsWhatCannotBeUsed() throws {
    var generator = SeededGenerator(seed: 5604)
    var tracker = try Tracker(anchors: SimulatedWalk.room, configuration: Self.configuration)
    for (difference, _) in Self.differences(
      SimulatedWalk.room, to: 3, sigma: 0.05, using: &generator)
    {
      _ = tracker.update(difference)
    }
    func outcome(_ first: Int, _ second: Int, _ metres: Double, at time: Double = 3)
      -> TrackUpdate.Outcome
    {
      tracker.update(
        TimedDifference(time: instant(time), first: first, second: second, difference: metres)
      ).outcome
    }
    #expect(outcome(0, 0, 1) == .invalid)
    #expect(outcome(0, 9, 1) == .invalid)
    #expect(outcome(0, 1, .nan) == .invalid)
    // The anchors are 10.3 m apart.
    #expect(outcome(0, 1, 12) == .discounted(weight: 0))
    #expect(outcome(0, 1, 1, at: 1) == .late)
    var plain = try Tracker(anchors: SimulatedWalk.room)
    #expect(
      plain.update(TimedDifference(time: instant(0), first: 0, second: 1, difference: 1)).outcome
        == .invalid)
  }

  /// Under a ceiling both sides explain the differences, and both are reported.
  ///
  /// At first the lower one is taken. The height is hardly determined, so that the track may cross the
  /// plane later.
  @Test func reportsTheMirrorImage() throws {
    var generator = SeededGenerator(seed: 5605)
    var tracker = try Tracker(anchors: SimulatedWalk.ceiling, configuration: Self.configuration)
    var estimates: [(TrackEstimate, Vector<3>)] = []
    for (difference, truth) in Self.differences(
      SimulatedWalk.ceiling, to: 6, sigma: 0.02, using: &generator)
    {
      _ = tracker.update(difference)
      if let estimate = tracker.estimate(at: difference.time) {
        estimates.append((estimate, truth))
      }
    }
    let first = try #require(estimates.first).0
    #expect(first.position[2] < 3 && first.alternative?[2] ?? 0 > 3)
    for (estimate, truth) in estimates {
      #expect(estimate.status == .ambiguous)
      let other = try #require(estimate.alternative)
      let errors = [estimate.position, other].map { ($0 - truth).length }
      #expect(errors.min() ?? 9 < 2.5)
    }
  }

  /// The search finds a standard deviation near the true one.
  @Test(.releaseOnly) func calibrationFindsTheNoise() throws {
    var generator = SeededGenerator(seed: 5606)
    let differences = Self.differences(
      SimulatedWalk.room, to: 60, sigma: 0.03, using: &generator
    ).map(\.0)
    let found = TrackerCalibration(configuration: TrackerConfiguration())
      .withDifferences(differences, anchors: SimulatedWalk.room)
    #expect(found.configuration.usesDifferences)
    #expect((0.015...0.06).contains(found.configuration.errors.sigma), "\(found.configuration)")
  }
}
