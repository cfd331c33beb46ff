import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Tracks that follow odometry.
@Suite struct OdometryUpdateTests {
  /// A state in space with odometry and random numbers.
  private static func state(using generator: inout SeededGenerator) -> TrackState {
    var kinematics = Gaussian(mean: Vector<6>.random(using: &generator), covariance: .zero)
    kinematics.covariance = .identity
    var state = TrackState(kinematics, hasCommon: true, hasHeading: true, hasOdometry: true)
    state.introduceOdometry(OdometryErrors())
    state.introduceLink(0, variance: 0.5)
    let (size, odometry) = (state.size, state.odometry)
    let root = (0..<size * size).map { _ in generator.normal() }
    let means = (0..<size).map { _ in generator.normal() }
    state.withMutableElements { p in
      for row in 0..<size {
        if row >= odometry { p.mean[row] = SIMD2(means[row], 0.5 * means[row] + 0.1) }
        for column in 0...row {
          var sum = 0.0
          for inner in 0..<size { sum += root[size * row + inner] * root[size * column + inner] }
          p[row, column] = SIMD2(sum, 2 * sum)
        }
      }
    }
    return state
  }

  private static func dense(_ state: TrackState, mode: Int) -> [[Double]] {
    (0..<state.size).map { row in (0..<state.size).map { state.covariance(row, $0)[mode] } }
  }

  /// The covariance after a drift is F P Fᵀ, with F from central differences of the means.
  @Test func turnByDriftMatchesDifferences() {
    var generator = SeededGenerator(seed: 5101)
    for trial in 0..<20 {
      let before = Self.state(using: &generator)
      let size = before.size
      let seconds = 0.5
      var after = before
      after.turnOdometry(over: seconds)
      for mode in 0..<2 {
        var jacobian = (0..<size).map { row in (0..<size).map { $0 == row ? 1.0 : 0 } }
        let step = 1e-6
        for column in before.odometry..<before.odometry + TrackState.odometryCount {
          var (low, high) = (before, before)
          low.withMutableElements { $0.mean[column] -= SIMD2(repeating: step) }
          high.withMutableElements { $0.mean[column] += SIMD2(repeating: step) }
          low.turnOdometry(over: seconds)
          high.turnOdometry(over: seconds)
          for row in 0..<size {
            jacobian[row][column] = (high.mean(row)[mode] - low.mean(row)[mode]) / (2 * step)
          }
        }
        let own = Self.dense(before, mode: mode)
        let found = Self.dense(after, mode: mode)
        for row in 0..<size {
          for column in 0..<size {
            var sum = 0.0
            for first in 0..<size where jacobian[row][first] != 0 {
              for second in 0..<size {
                sum += jacobian[row][first] * own[first][second] * jacobian[column][second]
              }
            }
            #expect(
              isClose(found[row][column], sum, within: 1e-6 * (1 + sum.magnitude)),
              "seed 5101, trial \(trial): \(row), \(column)")
          }
        }
      }
    }
  }

  /// The mark has the mean, the variances and the covariances of the position.
  @Test func markCopiesThePosition() {
    var generator = SeededGenerator(seed: 5102)
    var state = Self.state(using: &generator)
    state.markPosition()
    for axis in 0..<2 {
      let mark = state.odometry + axis
      #expect(state.mean(mark) == state.mean(axis))
      for other in 0..<state.size {
        #expect(state.covariance(mark, other) == state.covariance(axis, other))
      }
    }
  }

  /// K = P Hᵀ / S for p - m - C d, with dense matrices.
  @Test func closureIsAMeasurementOfTheDisplacement() {
    var generator = SeededGenerator(seed: 5103)
    var state = Self.state(using: &generator)
    let first = state.odometry
    let own = Self.dense(state, mode: 1)
    for (axis, factors) in [(0, [1.0, -1, -3, 2]), (1, [1, -1, -2, -3])] {
      // d = (3, 2): C d = (3 c - 2 s, 2 c + 3 s).
      let sum = state.closure(of: (x: 3, y: 2), axis: axis)
      let indices = [axis, first + axis, first + 2, first + 3]
      let found = state.expectation(of: 0, as: sum)
      var (expected, spread) = (0.0, 0.0)
      for (one, factor) in zip(indices, factors) {
        expected += factor * state.mean(one)[1]
        for (two, other) in zip(indices, factors) { spread += factor * other * own[one][two] }
      }
      #expect(isClose(found.residual[1], -expected, within: 1e-9))
      #expect(isClose(found.spread[1], spread, within: 1e-9 * (1 + spread.magnitude)))
    }
  }

  /// A chord of a quarter circle of radius 1: from (0, 0) with heading 0 to (1, 1).
  @Test func displacementIsTheChordOfAnArc() {
    let quarter = OdometryIncrement(
      begin: instant(0), end: instant(1), forward: .pi / 2, turn: Angle(degrees: 90))
    let moved = quarter.displacement(heading: 0)
    #expect(isClose(moved.x, 1, within: 1e-12) && isClose(moved.y, 1, within: 1e-12))
    let turned = quarter.displacement(heading: .pi / 2)
    #expect(isClose(turned.x, -1, within: 1e-12) && isClose(turned.y, 1, within: 1e-12))
  }

  @Test func rejectsWhatCannotBeUsed() throws {
    var tracker = try Tracker(
      anchors: SimulatedVehicle.anchors, configuration: SimulatedVehicle.configuration)
    let good = OdometryIncrement(begin: instant(0), end: instant(0.1), forward: 0.1, turn: .zero)
    #expect(tracker.update(good).outcome == .starting)
    #expect(tracker.update(good).outcome == .late)
    var bad = good
    bad.end = bad.begin
    #expect(tracker.update(bad).outcome == .invalid)
    bad = good
    bad.forward = .nan
    #expect(tracker.update(bad).outcome == .invalid)
    var plain = try Tracker(anchors: SimulatedVehicle.anchors)
    #expect(plain.update(good).outcome == .invalid)
  }

  /// From unknown heading, the track finds the frame of the odometry, its scale and its drift; over
  /// 30 s without ranges it stays within a metre.
  @Test func followsOdometryThroughAGap() throws {
    var generator = SeededGenerator(seed: 5104)
    var errors = SimulatedVehicle.Errors()
    (errors.scale, errors.drift) = (0.03, 0.008)
    let drive = SimulatedVehicle(to: 120, errors: errors, gap: 60...90, using: &generator)
    var tracker = try Tracker(
      anchors: SimulatedVehicle.anchors, configuration: SimulatedVehicle.configuration)
    var (afterGap, isFirst) = (Double.infinity, true)
    var sensors = SensorQueue(SensorReadings(odometry: drive.odometry))
    for range in drive.ranges {
      while let reading = sensors.next(upTo: range.time) { tracker.update(reading) }
      if range.time > instant(90), isFirst {
        let estimate = try #require(tracker.estimate(at: range.time))
        #expect(estimate.status == .coasting)
        afterGap = (estimate.position - range.truth).length
        isFirst = false
      }
      tracker.update(range)
    }
    #expect(afterGap < 1)
    #expect(tracker.leading.mixture.odometryHeading != nil)
  }

  /// Of forty drives with the assumed errors and with slip, the errors at one instant each count.
  @Test(.releaseOnly, arguments: [false, true])
  func errorsAreConsistent(slips: Bool) throws {
    var generator = SeededGenerator(seed: 5105)
    var errors = SimulatedVehicle.Errors()
    errors.slips = slips
    var (sum, plain, following) = (0.0, 0.0, 0.0)
    let drives = 40
    for _ in 0..<drives {
      let drive = SimulatedVehicle(to: 60, errors: errors, using: &generator)
      var tracker = try Tracker(
        anchors: SimulatedVehicle.anchors, configuration: SimulatedVehicle.configuration)
      drive.track(&tracker)
      var other = try Tracker(
        anchors: SimulatedVehicle.anchors, configuration: SimulatedVehicle.configuration)
      for range in drive.ranges { other.update(range) }
      let last = try #require(drive.ranges.last)
      let estimate = try #require(tracker.estimate(at: last.time))
      let without = try #require(other.estimate(at: last.time))
      sum += try #require(estimate.normalizedSquare(of: last.truth))
      following += (estimate.position - last.truth).squared
      plain += (without.position - last.truth).squared
    }
    let mean = sum / Double(2 * drives)
    #expect((0.5...2).contains(mean), "normalised error squared \(mean)")
    #expect(following < 0.7 * plain, "\(following / plain)")
  }

  /// A mirror makes left turns right turns: the frame of the odometry is searched for anew.
  @Test func reflectionForgetsTheHeading() throws {
    var generator = SeededGenerator(seed: 5106)
    let drive = SimulatedVehicle(to: 30, using: &generator)
    var tracker = try Tracker(
      anchors: SimulatedVehicle.anchors, configuration: SimulatedVehicle.configuration)
    drive.track(&tracker)
    #expect(tracker.leading.mixture.odometryHeading != nil)
    tracker.leading.mixture.reflect(in: .zero, normal: Vector([1, 0, 0]))
    #expect(tracker.leading.mixture.odometryHeading == nil)
  }

  /// Without increments the track moves as before.
  @Test func followsTheMotionAfterTheLastIncrement() throws {
    var generator = SeededGenerator(seed: 5107)
    var drive = SimulatedVehicle(to: 60, using: &generator)
    drive.keepOdometry(to: 30)
    var tracker = try Tracker(
      anchors: SimulatedVehicle.anchors, configuration: SimulatedVehicle.configuration)
    var squares = 0.0
    var count = 0.0
    drive.track(&tracker) { range, tracker in
      guard range.time > instant(40), let estimate = tracker.estimate(at: range.time) else {
        return
      }
      squares += estimate.normalizedSquare(of: range.truth) ?? .infinity
      count += 2
    }
    #expect(tracker.leading.mixture.odometryHeading == nil)
    #expect((0.3...2.5).contains(squares / count), "\(squares / count)")
  }
}

extension SimulatedVehicle {
  mutating func keepOdometry(to end: Double) { odometry.removeAll { $0.end > instant(end) } }
}
