import FathomEvaluation
import RealModule

@testable import Fathom

/// A vehicle with odometry that drives loops among four anchors at its own height.
struct SimulatedVehicle {
  static let anchors = [
    Anchor(position: Vector([-20, -20, 0])), Anchor(position: Vector([20, -20, 0])),
    Anchor(position: Vector([20, 20, 0])), Anchor(position: Vector([-20, 20, 0])),
  ]

  private(set) var ranges: [SimulatedWalk.Range] = []
  var odometry: [OdometryIncrement] = []
  private(set) var positions: [Vector<3>] = []

  /// Time between increments, in seconds.
  static let interval = 0.1

  /// Errors of the odometry.
  struct Errors {
    var assumed = OdometryErrors()
    /// The scale error and the drift in rad/s; drawn from the assumed ones if nil.
    var scale: Double?
    var drift: Double?
    /// Whether the wheels slip as often and as long as assumed.
    var slips = false
    /// The heading of the odometry's frame, in radians.
    var heading = 2.0
  }

  /// Drives for `end` seconds, with a range every tenth of a second except in `gap`.
  init(
    to end: Double, sigma: Double = 0.1, errors: Errors = Errors(),
    gap: ClosedRange<Double> = -2...(-1),
    using generator: inout SeededGenerator
  ) {
    let assumed = errors.assumed
    let scale = errors.scale ?? assumed.scaleSigma * generator.normal()
    let drift = errors.drift ?? assumed.driftSigma * generator.normal()
    var place = Vector<3>([3, -2, 0])
    var heading = 0.4
    var isSlipping = false
    var time = 0.0
    var index = 0
    while time < end {
      if !gap.contains(time) {
        let anchor = index % Self.anchors.count
        let distance = (place - Self.anchors[anchor].position).length
        ranges.append(
          SimulatedWalk.Range(
            time: instant(time), anchor: anchor, distance: distance + sigma * generator.normal(),
            truth: place))
      }
      index += 1
      let speed = 1 + 0.5 * Double.sin(0.3 * time)
      let turn = Self.interval * (0.15 + 0.3 * Double.sin(0.37 * time))
      if errors.slips {
        let changes = assumed.slipChanges(over: Self.interval)
        isSlipping = generator.uniform() < (isSlipping ? 1 - changes.end : changes.begin)
      }
      let wheels = speed * Self.interval
      let distance = isSlipping ? 0.2 * wheels : wheels
      let arc = OdometryIncrement(
        begin: instant(0), end: instant(1), forward: distance, turn: Angle(radians: turn))
      let moved = arc.displacement(heading: heading)
      place[0] += moved.x
      place[1] += moved.y
      heading += turn
      positions.append(place)
      let noise = assumed.displacementVariance(distance: wheels, seconds: Self.interval)
        .squareRoot()
      let turning = assumed.headingVariance(turn: turn, distance: wheels, seconds: Self.interval)
      odometry.append(
        OdometryIncrement(
          begin: instant(time), end: instant(time + Self.interval),
          forward: (wheels + noise * generator.normal()) / (1 + scale),
          left: noise * generator.normal() / (1 + scale),
          turn: Angle(
            radians: (turn - drift * Self.interval + turning.squareRoot() * generator.normal()))))
      time = Double(index) * Self.interval
    }
  }

  /// The settings of a tracker that uses the odometry.
  static var configuration: TrackerConfiguration {
    var configuration = TrackerConfiguration.withHeight(0)
    configuration.odometry = OdometryErrors()
    configuration.errors.correlatedShare = 0
    configuration.errors.commonModeSigma = 0
    configuration.calibratesCovariance = false
    return configuration
  }

  /// Passes ranges and odometry to `tracker`; calls `body` after each range.
  func track(
    _ tracker: inout Tracker, _ body: (SimulatedWalk.Range, inout Tracker) -> Void = { _, _ in }
  ) {
    tracker.update(ranges, SensorReadings(odometry: odometry), body)
  }
}

extension Vector<3> {
  /// The square of the length.
  var squared: Double { dot(self) }
}
