import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// The attitude of an inertial sensor.
@Suite struct LevelAttitudeTests {
  /// Returns the steps of a flight.
  private static func steps(_ flight: SimulatedFlight) -> [(time: Timestamp, LevelAttitude.Step)] {
    var attitude = LevelAttitude()
    var steps: [(time: Timestamp, LevelAttitude.Step)] = []
    for reading in flight.readings {
      if case .step(let step) = attitude.add(reading, errors: InertialErrors()) {
        steps.append((reading.time, step))
      }
    }
    return steps
  }

  /// Whatever the mounting, the acceleration in the level frame is that of the path, turned by one
  /// heading.
  @Test func accelerationIsThatOfThePath() throws {
    var generator = SeededGenerator(seed: 5801)
    for trial in 0..<5 {
      var options = SimulatedFlight.Options()
      (options.noise, options.vibration, options.bias) = (0, 0, 0)
      let flight = SimulatedFlight(to: 30, options, using: &generator)
      // The heading that turns the one into the other, and what it leaves.
      var (dot, cross, squares, leftover) = (0.0, 0.0, 0.0, 0.0)
      var pairs: [(found: Vector<3>, true: Vector<3>)] = []
      for (time, step) in Self.steps(flight) {
        let middle = time.seconds(since: instant(0)) - 0.5 * step.seconds - options.standing
        guard middle > 0 else { continue }
        func place(_ shift: Double) -> Vector<3> {
          SimulatedFlight.place(max(0, middle + shift), isLevel: false)
        }
        let truth = 1e4 * (place(0.01) - 2 * place(0) + place(-0.01))
        pairs.append((step.acceleration, truth))
        dot += step.acceleration[0] * truth[0] + step.acceleration[1] * truth[1]
        cross += step.acceleration[0] * truth[1] - step.acceleration[1] * truth[0]
      }
      let heading = Double.atan2(y: cross, x: dot)
      for (found, truth) in pairs {
        let turned: Vector<3> = Vector([
          Double.cos(heading) * found[0] - Double.sin(heading) * found[1],
          Double.sin(heading) * found[0] + Double.cos(heading) * found[1], found[2],
        ])
        leftover += (turned - truth).squared
        squares += truth.squared
      }
      // The levelling takes a part of the persistent accelerations off.
      #expect(leftover < 0.12 * squares, "seed 5801, trial \(trial): \(leftover / squares)")
    }
  }

  /// At rest the bias of the gyroscope and the length of gravity are learnt.
  @Test func restShowsBiasAndGravity() throws {
    var attitude = LevelAttitude()
    var generator = SeededGenerator(seed: 5802)
    let bias: Vector<3> = Vector([0.02, -0.01, 0.03])
    let force: Vector<3> = Vector([0.6 * 9.7, 0, 0.8 * 9.7])
    var rests = 0
    var last: LevelAttitude.Step?
    for index in 0..<1000 {
      func noise(_ sigma: Double) -> Vector<3> {
        sigma * Vector([generator.normal(), generator.normal(), generator.normal()])
      }
      let reading = InertialMeasurement(
        time: instant(0.01 * Double(index)), acceleration: force + noise(0.02),
        rotation: bias + noise(0.001))
      guard case .step(let step) = attitude.add(reading, errors: InertialErrors()) else { continue }
      last = step
      if step.restBegan != nil { rests += 1 }
    }
    #expect(rests == 19)
    #expect((attitude.bias - bias).length < 1e-3)
    #expect(isClose(attitude.gravity, 9.7, within: 5e-3))
    #expect(try #require(last).acceleration.length < 0.1)
  }

  /// A tag that is carried, a constant rotation and weightlessness are no rest.
  @Test(arguments: [(0.3, 0.0, 9.8), (0.02, 0.5, 9.8), (0.02, 0.0, 0.0)])
  func motionIsNoRest(shake: Double, rate: Double, gravity: Double) {
    var generator = SeededGenerator(seed: 5803)
    var attitude = LevelAttitude()
    for index in 0..<500 {
      let reading = InertialMeasurement(
        time: instant(0.01 * Double(index)),
        acceleration: Vector([shake * generator.normal(), 0, gravity + shake * generator.normal()]),
        rotation: Vector([0, 0, rate]))
      if case .step(let step) = attitude.add(reading, errors: InertialErrors()) {
        #expect(step.restBegan == nil)
        #expect(step.acceleration.isFinite)
      }
    }
  }

  /// A gap begins a new frame; readings of the past are rejected.
  @Test func gapsBeginANewFrame() {
    var attitude = LevelAttitude()
    func add(_ time: Double) -> LevelAttitude.Outcome {
      attitude.add(
        InertialMeasurement(
          time: instant(time), acceleration: Vector([0, 0, 9.8]), rotation: .zero),
        errors: InertialErrors())
    }
    guard case .first = add(1), case .step = add(1.1), case .late = add(1.1), case .late = add(0.5),
      case .first = add(2), case .step = add(2.4)
    else {
      Issue.record("the outcomes are others")
      return
    }
    #expect(!attitude.isOver(at: instant(2.8)) && attitude.isOver(at: instant(3)))
  }
}

/// What readings tell about a sensor.
@Suite struct InertialSensorReportTests {
  @Test func findsNoiseBiasAndAxes() throws {
    var generator = SeededGenerator(seed: 5805)
    var options = SimulatedFlight.Options()
    (options.standing, options.bias) = (10, 0)
    let flight = SimulatedFlight(to: 40, options, using: &generator)
    let report = InertialSensorReport(flight.readings)
    #expect(report.count == 8001)
    #expect(isClose(try #require(report.interval), 0.005, within: 1e-9))
    #expect((8...10).contains(report.restSeconds))
    #expect(isClose(try #require(report.gravity), 9.80665, within: 0.01))
    #expect(isClose(try #require(report.accelerationNoise), 0.003, within: 3e-4))
    // 0.002 rad/s at 200 Hz.
    #expect(isClose(try #require(report.rotationNoise), 0.002 * 0.005.squareRoot(), within: 2e-5))
  }

  /// A sensor that turns about its x axis: gravity turns the other way.
  @Test(arguments: [[1.0, 0, 0, 1], [-1, 0, 0, -1], [0, 1.4, 0, 0]])
  func findsWhetherTheAxesAgree(rateAndShare: [Double]) throws {
    let rate: Vector<3> = Vector([
      rateAndShare[0], rateAndShare[1], rateAndShare[2],
    ])
    let share = rateAndShare[3]
    let readings = (0..<2000).map { index in
      let time = 0.02 * Double(index)
      return InertialMeasurement(
        time: instant(time),
        acceleration: 9.8 * Vector([0.1, Double.sin(time), Double.cos(time)]), rotation: rate)
    }
    let found = try #require(InertialSensorReport(readings).axesAgreement)
    #expect(isClose(found, share, within: 0.1))
  }

  /// A drone in flight: its accelerations, not its tilt, turn the specific force.
  @Test func claimsNothingInFlight() throws {
    var generator = SeededGenerator(seed: 5806)
    for _ in 0..<5 {
      let flight = SimulatedFlight(to: 40, using: &generator)
      if let found = InertialSensorReport(flight.readings).axesAgreement {
        #expect(found > 0.5, "seed 5806: \(found)")
      }
    }
  }

  @Test func saysWhatItDoesNotKnow() {
    #expect(InertialSensorReport([]).interval == nil)
    let one = InertialMeasurement(time: instant(0), acceleration: .zero, rotation: .zero)
    #expect(InertialSensorReport([one, one]).gravity == nil)
    #expect(InertialSensorReport([one]).axesAgreement == nil)
  }
}
