import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Tracks that follow inertial data.
@Suite struct InertialUpdateTests {
  /// A state in space with inertial data, and random numbers.
  private static func state(using generator: inout SeededGenerator) -> TrackState {
    var kinematics = Gaussian(mean: Vector<6>.random(using: &generator), covariance: .zero)
    kinematics.covariance = .identity
    var state = TrackState(kinematics, hasCommon: true, hasHeightOffset: true, hasInertial: true)
    state.introduceInertial(InertialErrors())
    state.introduceLink(0, variance: 0.5)
    let size = state.size
    let root = (0..<size * size).map { _ in generator.normal() }
    let means = (0..<size).map { _ in generator.normal() }
    state.withMutableElements { p in
      for row in 0..<size {
        p.mean[row] = SIMD2(means[row], 0.5 * means[row] + 0.1)
        for column in 0...row {
          var sum = 0.0
          for inner in 0..<size { sum += root[size * row + inner] * root[size * column + inner] }
          p[row, column] = SIMD2(sum, 2 * sum)
        }
      }
    }
    return state
  }

  /// The covariance after the motion is F P Fᵀ, with F from differences of the means.
  @Test func motionMatchesDifferences() {
    var generator = SeededGenerator(seed: 5811)
    var errors = InertialErrors()
    // Without noise, and with a slow error that does not fade.
    (errors.levellingTime, errors.headingNoise) = (1e9, 0)
    for trial in 0..<10 {
      let before = Self.state(using: &generator)
      let size = before.size
      var input = InertialInput()
      for _ in 0..<3 {
        input.append(
          LevelAttitude.Step(
            seconds: 0.1,
            acceleration: Vector([generator.normal(), generator.normal(), generator.normal()])))
      }
      var after = before
      after.move(by: input, over: 0.3, errors: errors)
      for mode in 0..<2 {
        var jacobian = (0..<size).map { row in (0..<size).map { $0 == row ? 1.0 : 0 } }
        for column in 0..<size {
          var (low, high) = (before, before)
          low.withMutableElements { $0.mean[column] -= SIMD2(repeating: 0.5) }
          high.withMutableElements { $0.mean[column] += SIMD2(repeating: 0.5) }
          low.move(by: input, over: 0.3, errors: errors)
          high.move(by: input, over: 0.3, errors: errors)
          for row in 0..<size {
            jacobian[row][column] = high.mean(row)[mode] - low.mean(row)[mode]
          }
        }
        for row in 0..<size {
          for column in 0..<size {
            var sum = 0.0
            for first in 0..<size {
              for second in 0..<size {
                sum +=
                  jacobian[row][first] * before.covariance(first, second)[mode]
                  * jacobian[column][second]
              }
            }
            let found = after.covariance(row, column)[mode]
            #expect(
              isClose(found, sum, within: 1e-7 * (1 + sum.magnitude)),
              "seed 5811, trial \(trial): \(row), \(column)")
          }
        }
      }
    }
  }

  /// Velocity and displacement of a body with constant acceleration.
  @Test func inputIntegratesTwice() {
    var input = InertialInput()
    for _ in 0..<10 {
      input.append(LevelAttitude.Step(seconds: 0.1, acceleration: Vector([2, 0, -1])))
    }
    #expect(isClose(input.seconds, 1, within: 1e-12))
    #expect(isClose(input.velocity[0], 2, within: 1e-12))
    #expect(isClose(input.displacement[0], 1, within: 1e-12))
    #expect(isClose(input.displacement[2], -0.5, within: 1e-12))
  }

  /// The errors of twenty flights are consistent, and smaller than without inertial data.
  @Test(.releaseOnly, arguments: [false, true]) func errorsAreConsistent(isLevel: Bool) throws {
    var generator = SeededGenerator(seed: 5812)
    var (sum, with, without) = (0.0, 0.0, 0.0)
    var count = 0
    for _ in 0..<20 {
      var options = SimulatedFlight.Options()
      options.isLevel = isLevel
      let flight = SimulatedFlight(to: 30, options, using: &generator)
      var configuration = SimulatedFlight.configuration(isLevel: isLevel)
      var tracker = try Tracker(anchors: SimulatedFlight.anchors, configuration: configuration)
      configuration.inertial = nil
      var plain = try Tracker(anchors: SimulatedFlight.anchors, configuration: configuration)
      flight.track(&tracker) { range, tracker in
        plain.update(range)
        guard range.time > instant(12), let estimate = tracker.estimate(at: range.time),
          let other = plain.estimate(at: range.time)
        else { return }
        count += 1
        with += (estimate.position - range.truth).squared
        without += (other.position - range.truth).squared
        sum += estimate.normalizedSquare(of: range.truth) ?? .nan
      }
    }
    let mean = sum / Double((isLevel ? 2 : 3) * count)
    #expect((0.5...2).contains(mean), "seed 5812: normalised error squared \(mean)")
    #expect(with < 0.5 * without, "seed 5812: \((with / without).squareRoot())")
  }

  /// Inertial data carry a track over three and a half seconds without ranges.
  @Test(.releaseOnly) func carriesOverGaps() throws {
    var generator = SeededGenerator(seed: 5813)
    var (worst, plainWorst) = (0.0, 0.0)
    var squares = 0.0
    for _ in 0..<20 {
      var options = SimulatedFlight.Options()
      options.gap = 20...23.5
      let flight = SimulatedFlight(to: 30, options, using: &generator)
      var configuration = SimulatedFlight.configuration()
      var tracker = try Tracker(anchors: SimulatedFlight.anchors, configuration: configuration)
      configuration.inertial = nil
      var plain = try Tracker(anchors: SimulatedFlight.anchors, configuration: configuration)
      var sensors = SensorQueue(SensorReadings(inertial: flight.readings))
      for range in flight.ranges where range.time < instant(20) {
        while let reading = sensors.next(upTo: range.time) { tracker.update(reading) }
        tracker.update(range)
        plain.update(range)
      }
      let end = instant(23.4)
      while let reading = sensors.next(upTo: end) { tracker.update(reading) }
      let truth = SimulatedFlight.place(23.4 - options.standing, isLevel: false)
      let estimate = try #require(tracker.estimate(at: end))
      squares += try #require(estimate.normalizedSquare(of: truth))
      worst += (estimate.position - truth).squared
      plainWorst += (try #require(plain.estimate(at: end)).position - truth).squared
    }
    #expect(worst < 0.25 * plainWorst, "seed 5813: \((worst / plainWorst).squareRoot())")
    // The slow error is smaller than assumed.
    #expect(
      (0.03...2).contains(squares / 60), "seed 5813: normalised error squared \(squares / 60)")
  }

  /// Calibration finds the sign of the acceleration, and rejects data that have nothing to do with the
  /// ranges.
  @Test(.releaseOnly) func calibrationChecksTheData() throws {
    var generator = SeededGenerator(seed: 5814)
    let flight = SimulatedFlight(to: 40, using: &generator)
    let ranges = flight.ranges.map(\.measurement)
    let start = TrackerCalibration.calibrated(on: ranges, anchors: SimulatedFlight.anchors)
    func agreement(_ readings: [InertialMeasurement]) -> InertialAgreement? {
      start.withInertial(
        SensorReadings(inertial: readings), on: ranges, anchors: SimulatedFlight.anchors
      ).inertial
    }
    let good = try #require(agreement(flight.readings))
    #expect(good.isUsed && good.accelerationFactor == 1 && good.gain > 20)
    let down = try #require(
      agreement(
        flight.readings.map {
          InertialMeasurement(
            time: $0.time, acceleration: -1 * $0.acceleration, rotation: $0.rotation)
        }))
    #expect(down.isUsed && down.accelerationFactor == -1)
    #expect(isClose(down.gain, good.gain, within: 1e-6))
    // The accelerations of the flight backwards, in axes that do not turn.
    let wrong = try #require(
      agreement(
        zip(flight.readings, flight.readings.reversed()).map {
          InertialMeasurement(
            time: $0.time, acceleration: $1.acceleration, rotation: $0.rotation)
        }))
    #expect(!wrong.isUsed || wrong.gain < 0.2 * good.gain, "\(wrong.gain) of \(good.gain)")
  }

  /// Readings that are no numbers, out of order, huge, or far apart leave finite estimates.
  @Test func survivesHostileReadings() throws {
    var generator = SeededGenerator(seed: 5815)
    let flight = SimulatedFlight(to: 15, using: &generator)
    var readings = flight.readings
    for index in stride(from: 100, to: readings.count, by: 37) {
      switch index % 5 {
      case 0: readings[index].acceleration[0] = .nan
      case 1: readings[index].rotation[2] = .infinity
      case 2: readings[index].acceleration = Vector([900, -900, 0])
      case 3: readings[index].rotation = Vector([99, 0, 0])
      default: readings[index].time = readings[index].time.advanced(bySeconds: -3)
      }
    }
    var tracker = try Tracker(
      anchors: SimulatedFlight.anchors, configuration: SimulatedFlight.configuration())
    var next = 0
    for range in flight.ranges {
      while next < readings.count, readings[next].time <= range.time {
        _ = tracker.update(readings[next])
        next += 1
      }
      tracker.update(range)
      if let estimate = tracker.estimate(at: range.time) {
        #expect(estimate.position.isFinite && estimate.covariance.isFinite)
      }
    }
    #expect(
      tracker.update(
        InertialMeasurement(
          time: instant(1), acceleration: Vector([0, 0, 9.8]), rotation: .zero)
      ).outcome == .late)
    var without = try Tracker(anchors: SimulatedFlight.anchors)
    #expect(without.update(flight.readings[0]).outcome == .invalid)
  }
}
