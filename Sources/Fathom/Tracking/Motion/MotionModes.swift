import RealModule

/// How a tag moves: mostly gently, now and then not.
///
/// Nearly constant velocity in two modes, with accelerations ``processNoiseRatio`` times below and
/// above those of ``motion``; the tag changes between them at random [Blom & Bar-Shalom 1988]. People,
/// robots and drones go straight for long and then turn, stop or start within a second: no single
/// density of the acceleration suits both.
public struct MotionModes: Sendable, Equatable {
  /// The geometric mean of the two modes.
  public var motion = ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.5)
  /// The high-noise mode's density over ``motion``'s, and ``motion``'s over the low-noise mode's, at
  /// least 1; 1 for a single mode.
  public var processNoiseRatio = 3.5
  /// Changes of mode per second, not negative.
  public var switchingRate = 0.4

  /// The defaults: a walking person or a small robot.
  public init() {}

  /// The motion in the low-noise mode.
  var lowNoise: ConstantVelocity { motion.scaled(by: 1 / max(1, processNoiseRatio)) }

  /// The motion in the high-noise mode.
  var highNoise: ConstantVelocity { motion.scaled(by: processNoiseRatio) }

  /// Whether there is one mode only.
  var isSingle: Bool { processNoiseRatio <= 1 }

  /// The probability of being in the other mode after `seconds`.
  func changeProbability(over seconds: Double) -> Double {
    // Both modes are as likely in the long run.
    0.5 * (1 - .exp(-switchingRate * seconds))
  }
}

extension ConstantVelocity {
  /// The same motion with accelerations `factor` times as strong.
  func scaled(by factor: Double) -> Self {
    Self(
      horizontalDensity: factor * horizontalDensity, verticalDensity: factor * verticalDensity)
  }
}
