import RealModule

/// The assumed errors of inertial data.
///
/// The attitude of the sensor is levelled by gravity and turned by the gyroscope; an error of the
/// level lets a share of gravity appear as a horizontal acceleration. The heading is unknown at
/// first.
public struct InertialErrors: Sendable, Equatable, Codable {
  /// White noise of the acceleration, in (m/s²)/√Hz: vibrations, and what happens between two
  /// readings.
  ///
  /// ``TrackerCalibration`` finds it. A sensor at rest has 0.003, one in a hand or on a drone 0.1.
  public var accelerationNoise = 0.1
  /// Standard deviation of the slow error of the acceleration in the world frame, in m/s²: 0.3 is
  /// that of a level that is wrong by 2°.
  public var levelSigma = 0.3
  /// The time over which gravity levels the attitude, in seconds: within it the accelerations of a
  /// tag nearly cancel.
  ///
  /// It is the correlation time of the slow error, too.
  public var levellingTime = 10.0
  /// Standard deviation of the heading after one second, in rad/√s: noise and drift of the
  /// gyroscope about the vertical.
  public var headingNoise = 0.02
  /// The factor on the acceleration: -1 for a sensor whose acceleration at rest points down.
  ///
  /// ``TrackerCalibration`` finds it.
  public var accelerationFactor = 1.0

  /// Creates the default errors, for the sensors of phones and radio boards.
  public init() {}

  /// Standard deviation of the speed of a tag at rest, in m/s: it may be held by a person.
  static let restSpeed = 0.03
  /// How much the length of the horizontal acceleration may differ from that of the sensor, as a
  /// share: a levelling that follows persistent accelerations takes a part of them off.
  static let lengthSigma = 0.1

  /// Returns the autocorrelation of the slow error after `seconds`.
  func memory(over seconds: Double) -> Double { .exp(-seconds / levellingTime) }
}
