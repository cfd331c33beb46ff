import RealModule

/// The motion model of a tag: nearly constant velocity in a low- and a high-noise mode.
///
/// The acceleration densities are ``processNoiseRatio`` times below and above that of ``motion``.
/// The tag switches between the modes at random [Blom & Bar-Shalom 1988]. People, robots and drones
/// move straight for long and then turn, stop or start within a second. No single acceleration
/// density fits both.
public struct MotionModes: Sendable, Equatable, Codable {
  /// The geometric mean of the two modes.
  public var motion = ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.5)
  /// Ratio of the high-noise mode's density to that of ``motion``, and of the latter to that of the
  /// low-noise mode, at least 1; 1 for a single mode.
  public var processNoiseRatio = 3.5
  /// Rate at which the mode is drawn anew, in 1/s, not negative.
  ///
  /// Both modes are equally likely at each draw, so the mode changes at half this rate.
  public var switchingRate = 0.4

  /// Creates the default model for a walking person or a small robot.
  public init() {}

  /// The motion in the low-noise mode.
  var lowNoise: ConstantVelocity { motion.scaled(by: 1 / max(1, processNoiseRatio)) }

  /// The motion in the high-noise mode.
  var highNoise: ConstantVelocity { motion.scaled(by: processNoiseRatio) }

  /// Whether there is only one mode.
  var isSingle: Bool { processNoiseRatio <= 1 }

  /// Returns the probability of being in the other mode after `seconds`.
  func changeProbability(over seconds: Double) -> Double {
    // Both modes are equally likely in the long run.
    0.5 * (1 - .exp(-switchingRate * seconds))
  }
}

extension ConstantVelocity {
  /// Returns the motion with at least the given density of the horizontal acceleration.
  func horizontally(atLeast density: Double) -> Self {
    Self(
      horizontalDensity: max(horizontalDensity, density), verticalDensity: verticalDensity)
  }

  /// Returns the motion with `factor` times the acceleration.
  func scaled(by factor: Double) -> Self {
    Self(
      horizontalDensity: factor * horizontalDensity, verticalDensity: factor * verticalDensity)
  }
}
