import RealModule

/// The assumed errors of odometry.
///
/// Wheels slide a little in every metre, and their diameter is known to some percent. Turns are
/// measured by the difference of two wheels, or by a gyroscope that drifts. The heading at the start
/// is unknown. At times the wheels spin, or the vehicle is pushed: then odometry tells little.
public struct OdometryErrors: Sendable, Equatable, Codable {
  /// Standard deviation of a displacement in each direction after one metre, in m/√m: the variance
  /// grows with the distance.
  ///
  /// Wheels on hard floors have 0.01 to 0.03, on grass 0.1.
  public var distanceNoise = 0.05
  /// Standard deviation of the constant scale error of distances.
  public var scaleSigma = 0.03
  /// Standard deviation of the heading after one second, in rad/√s.
  public var headingNoise = 0.003
  /// Standard deviation of a turn, as a share of its angle.
  public var turnNoise = 0.03
  /// Standard deviation of the drift of the heading, in rad/s: 0.6°/s, that of an uncalibrated
  /// gyroscope.
  public var driftSigma = 0.01
  /// The factor on turns: -1 for turns that are positive clockwise.
  ///
  /// ``TrackerCalibration`` finds it, see there.
  public var turnFactor = 1.0
  /// How often the wheels begin to slip, in 1/s.
  public var slipRate = 0.01
  /// How long they slip, in seconds.
  public var slipTime = 2.0

  /// Creates the default errors, for wheels with a gyroscope or two driven wheels.
  public init() {}

  /// Speed of a vehicle whose wheels stand still, in m/s: it creeps, or the wheels were not read at
  /// that instant.
  private static let creep = 0.01
  /// Standard deviation of the heading in one metre, in rad/√m: uneven ground.
  private static let unevenness = 0.01
  /// Standard deviation of a displacement while the wheels slip, as a share of the distance.
  private static let slipNoise = 1.0
  /// Standard deviation of the speed while the wheels slip without turning, in m/s: a vehicle that is
  /// pushed.
  private static let slipSpeed = 0.3
  /// Standard deviation of the heading while the wheels slip, in rad/√s.
  private static let slipTurn = 0.3
  /// Density of the drift's random walk, in rad/s^1.5: 0.1°/s in five minutes.
  static let driftDensity = 1e-4
  /// Density of the acceleration between increments, in (m/s²)/√Hz.
  ///
  /// It must exceed that of any vehicle, since the increments measure the motion: it is three times
  /// that of a person who starts to run.
  static let accelerationDensity = 3.0

  /// Returns the variance of a displacement in each direction, in m².
  func displacementVariance(distance: Double, seconds: Double) -> Double {
    let creep = Self.creep * seconds
    return distanceNoise * distanceNoise * distance + creep * creep
  }

  /// Returns what slip adds to that variance, in m².
  func slipVariance(distance: Double, seconds: Double) -> Double {
    let slip = Self.slipNoise * distance + Self.slipSpeed * seconds
    return slip * slip
  }

  /// Returns the variance of a change of the heading by `turn` radians, in rad².
  func headingVariance(turn: Double, distance: Double, seconds: Double) -> Double {
    headingNoise * headingNoise * seconds + turnNoise * turnNoise * turn * turn
      + Self.unevenness * Self.unevenness * distance
  }

  /// Returns what slip adds to that variance, in rad².
  func slipHeadingVariance(over seconds: Double) -> Double {
    Self.slipTurn * Self.slipTurn * seconds
  }

  /// The share of the time in which the wheels slip.
  var slipShare: Double { slipRate * slipTime / (1 + slipRate * slipTime) }

  /// Returns the probabilities of beginning and of ending to slip within `seconds`.
  func slipChanges(over seconds: Double) -> (begin: Double, end: Double) {
    (1 - .exp(-slipRate * seconds), 1 - .exp(-seconds / slipTime))
  }
}
