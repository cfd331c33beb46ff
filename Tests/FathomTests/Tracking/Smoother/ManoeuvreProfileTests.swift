import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ManoeuvreProfileTests {
  @Test func turnsHaveAHigherProcessNoiseRatio() throws {
    var generator = SeededGenerator(seed: 2401)
    // Straight at 1 m/s, then back within a quarter of a second, every five seconds.
    let walk = SimulatedWalk(
      anchors: SimulatedWalk.room,
      path: { seconds in
        let turn = seconds / 10
        let part = 10 * (turn - turn.rounded(.down))
        return Vector([2.5 + (part < 5 ? part : 10 - part), 4, 1.2])
      }, rate: 60, sigma: 0.03)
    let ranges = walk.ranges(to: 60, using: &generator).map(\.measurement)
    var configuration = Tracker.Configuration()
    configuration.errors.sigma = 0.03
    let profile = ManoeuvreProfile(
      ranges, interruptions: [], anchors: walk.anchors, configuration: configuration)
    var (turning, straight) = (0.0, 0.0)
    var (turns, rest) = (0.0, 0.0)
    let most = configuration.modes.processNoiseRatio
    for point in profile.points where point.time > instant(6) && point.time < instant(54) {
      #expect(point.processNoiseRatio >= 1 / most && point.processNoiseRatio <= most)
      let part = point.time.seconds / 5
      let away = 5 * (part - part.rounded()).magnitude
      if away < 0.25 {
        turning += point.processNoiseRatio
        turns += 1
      } else if away > 1.5 {
        straight += point.processNoiseRatio
        rest += 1
      }
    }
    #expect(turning / turns > 1.5 * straight / rest, "seed 2401: \(turning / turns)")
  }

  /// One point for every range from the start on, near the true position.
  @Test func pointsFollowThePath() throws {
    var generator = SeededGenerator(seed: 2402)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    let ranges = walk.ranges(to: 20, using: &generator)
    let profile = ManoeuvreProfile(
      ranges.map(\.measurement), interruptions: [], anchors: walk.anchors,
      configuration: Tracker.Configuration())
    // The fifth range starts the track: the fourth could only show that one of them is wrong.
    #expect(profile.points.map(\.time) == ranges.dropFirst(4).map(\.time))
    let last = try #require(profile.points.last)
    #expect((last.position - (try #require(ranges.last)).truth).length < 0.5)
    #expect(profile.covarianceFactor >= 0.5 && profile.bias == 0 && profile.scale == 0)
  }

  @Test func hasNoProfileWithoutAPosition() {
    let configuration = Tracker.Configuration()
    let none = ManoeuvreProfile(
      [], interruptions: [instant(1)], anchors: SimulatedWalk.room, configuration: configuration)
    #expect(none.points.isEmpty && none.covarianceFactor == 1)
    let two = (0..<100).map {
      RangeMeasurement(
        time: instant(0.1 * Double($0)), anchor: $0 % 2, distance: 4 + 0.01 * Double($0))
    }
    let undetermined = ManoeuvreProfile(
      two, interruptions: [], anchors: SimulatedWalk.room, configuration: configuration)
    #expect(undetermined.points.isEmpty)
  }

  /// With a single mode the ratio is that of the motion.
  @Test func singleModeHasAConstantRatio() {
    var generator = SeededGenerator(seed: 2403)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    let profile = ManoeuvreProfile(
      walk.ranges(to: 5, using: &generator).map(\.measurement), interruptions: [instant(2)],
      anchors: walk.anchors, configuration: .textbook)
    #expect(!profile.points.isEmpty)
    #expect(profile.points.allSatisfy { $0.processNoiseRatio == 1 })
  }

  /// The earliest time stamp has no negative; the reversed time must tolerate it.
  @Test func acceptsExtremeTimes() {
    let ranges = [Int64.min, .min + 1, 0, .max].flatMap { nanoseconds in
      (0..<6).map {
        RangeMeasurement(
          time: Timestamp(nanoseconds: nanoseconds), anchor: $0, distance: 4 + 0.1 * Double($0))
      }
    }
    let profile = ManoeuvreProfile(
      ranges, interruptions: [Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)],
      anchors: SimulatedWalk.room, configuration: Tracker.Configuration())
    for point in profile.points {
      #expect(
        point.position.isFinite && point.velocity.isFinite && point.processNoiseRatio.isFinite)
    }
  }
}
