/// Default noise and motion parameters for ultra-wideband ranges between people and things.
public enum RangingDefaults {
  /// Standard deviation of a line-of-sight range, metres.
  public static let rangeSigma = 0.10
  /// Density of the acceleration along the range for a walking person, (m/s²)/√Hz: within one
  /// second the rate changes by 0.5 m/s (one standard deviation).
  public static let accelerationDensity = 0.5
  /// Prior standard deviation of an unknown rate, m/s: walking speed.
  public static let rateSigma = 1.5
  /// The longest gap that is bridged, seconds: at walking speed the distance changes by 3 m within
  /// it.
  public static let restartAfter = 2.0
}
