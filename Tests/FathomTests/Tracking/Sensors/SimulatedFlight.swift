import FathomEvaluation
import RealModule

@testable import Fathom

/// A tag with an inertial sensor that stands, and then flies curves among eight anchors.
struct SimulatedFlight {
  static let anchors: [Anchor] = [
    (-8, -6, 0), (8, -6, 3), (8, 6, 0), (-8, 6, 3), (-8, 0, 3), (8, 0, 0.5), (0, 7, 3),
    (0, -7, 0.2),
  ].map { Anchor(position: Vector([$0.0, $0.1, $0.2])) }

  private(set) var ranges: [SimulatedWalk.Range] = []
  private(set) var readings: [InertialMeasurement] = []

  /// What a flight is like.
  struct Options {
    /// Ranges and inertial readings per second.
    var rangeRate = 16.0
    var inertialRate = 200.0
    var sigma = 0.1
    /// How long the tag stands before it moves, in seconds.
    var standing = 3.0
    /// White noise of the accelerometer in (m/s²)/√Hz, and its bias along each axis in m/s².
    var noise = 0.003
    var bias = 0.05
    /// Vibrations in flight: standard deviation of the acceleration in m/s².
    var vibration = 0.3
    /// The bias of the gyroscope about each axis, in rad/s.
    var rotationBias = 0.01
    /// The time without ranges.
    var gap = -2.0...(-1.0)
    var isLevel = false
  }

  /// The position after `time` seconds in flight.
  static func place(_ time: Double, isLevel: Bool) -> Vector<3> {
    // Position, velocity and acceleration begin at zero.
    let s = time - Double.sin(0.9 * time) / 0.9
    return Vector([
      3 * Double.sin(0.6 * s), 2.5 * Double.sin(0.45 * s + 1) - 2.5 * Double.sin(1.0),
      isLevel ? 1 : 1.5 + 0.5 * Double.sin(0.7 * s),
    ])
  }

  /// The attitude in flight: the heading turns, and the tag tilts to and fro.
  private static func attitude(_ time: Double, mounting: Attitude) -> Matrix<3, 3> {
    let heading = 0.7 * Double.sin(0.2 * time) + 2
    let tilt = 0.15 * Double.sin(0.8 * time)
    let turn: Matrix<3, 3> = Matrix([
      [Double.cos(heading), -Double.sin(heading), 0],
      [Double.sin(heading), Double.cos(heading), 0],
      [0, 0, 1],
    ])
    let lean: Matrix<3, 3> = Matrix([
      [Double.cos(tilt), 0, Double.sin(tilt)], [0, 1, 0], [-Double.sin(tilt), 0, Double.cos(tilt)],
    ])
    return turn * lean * mounting.axes
  }

  init(to end: Double, _ options: Options = Options(), using generator: inout SeededGenerator) {
    func drawn() -> Vector<3> {
      Vector([generator.normal(), generator.normal(), generator.normal()])
    }
    let mounting = Attitude.random(using: &generator)
    let (bias, rotationBias) = (options.bias * drawn(), options.rotationBias * drawn())
    let step = 1 / options.inertialRate
    func place(_ time: Double) -> Vector<3> {
      Self.place(max(0, time - options.standing), isLevel: options.isLevel)
    }
    func axes(_ time: Double) -> Matrix<3, 3> {
      Self.attitude(max(0, time - options.standing), mounting: mounting)
    }
    for index in 0...Int(end / step) {
      let time = Double(index) * step
      let delta = 1e-3
      var force =
        (1 / (delta * delta)) * (place(time + delta) - 2 * place(time) + place(time - delta))
      force[2] += 9.80665
      let own = axes(time)
      // The rotation in the axes of the sensor: Rᵀ times the rate of R.
      let rate = own.transposed() * ((1 / (2 * delta)) * (axes(time + delta) - axes(time - delta)))
      let shake = time > options.standing ? options.vibration : 0
      let noise = (options.noise * options.noise / step + shake * shake).squareRoot()
      readings.append(
        InertialMeasurement(
          time: instant(time), acceleration: own.transposed() * force + bias + noise * drawn(),
          rotation: Vector([rate[2, 1], rate[0, 2], rate[1, 0]]) + rotationBias + 0.002 * drawn()))
    }
    for index in 0..<Int(end * options.rangeRate) {
      let time = (Double(index) + 0.37) / options.rangeRate
      guard !options.gap.contains(time) else { continue }
      let anchor = index % Self.anchors.count
      let truth = place(time)
      let distance = (truth - Self.anchors[anchor].position).length
      ranges.append(
        SimulatedWalk.Range(
          time: instant(time), anchor: anchor,
          distance: distance + options.sigma * generator.normal(), truth: truth))
    }
  }

  /// The settings of a tracker that uses the inertial data.
  static func configuration(isLevel: Bool = false) -> TrackerConfiguration {
    var configuration = isLevel ? TrackerConfiguration.withHeight(1) : TrackerConfiguration()
    configuration.inertial = InertialErrors()
    configuration.errors.correlatedShare = 0
    configuration.errors.commonModeSigma = 0
    configuration.calibratesCovariance = false
    return configuration
  }

  /// Passes ranges and inertial data to `tracker`; calls `body` after each range.
  func track(
    _ tracker: inout Tracker, _ body: (SimulatedWalk.Range, inout Tracker) -> Void = { _, _ in }
  ) {
    tracker.update(ranges, SensorReadings(inertial: readings), body)
  }
}

extension Attitude {
  /// Returns a random attitude.
  fileprivate static func random(using generator: inout SeededGenerator) -> Attitude {
    while true {
      let parts = (0..<4).map { _ in generator.normal() }
      let length = parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
      if let found = Attitude(
        w: parts[0] / length, x: parts[1] / length, y: parts[2] / length, z: parts[3] / length)
      {
        return found
      }
    }
  }
}
