import RealModule

/// The model of the heading error over time.
///
/// Iron nearby disturbs a compass, and the disturbance changes as its carrier walks. A gyroscope
/// drifts slowly. Up to 5° of the error vary within a minute; the rest is constant.
enum HeadingDrift {
  /// Correlation time of the varying part, in seconds.
  private static let time = 60.0
  /// Maximum variance of the varying part, in rad².
  private static let variance = (5 * Double.pi / 180) * (5 * Double.pi / 180)

  /// Returns the autocorrelation after `seconds` of an error with the given variance in rad², above
  /// 0.
  ///
  /// Its initial rate is that of the varying part.
  static func memory(over seconds: Double, variance: Double) -> Double {
    .exp(-seconds / time * min(1, Self.variance / variance))
  }
}

extension TrackMixture {
  /// Predicts the heading error over `seconds`, not negative.
  mutating func driftHeading(over seconds: Double) {
    guard state.hasHeading, seconds > 0 else { return }
    state.fadeHeading(
      to: HeadingDrift.memory(over: seconds, variance: headingVariance),
      variance: headingVariance)
  }

  /// The heading error, counter-clockwise, and its variance in rad²; requires a heading in the
  /// state.
  var heading: (value: Double, variance: Double) { moments(of: state.heading) }

  /// Whether the heading is practically unknown.
  var isHeadingVague: Bool {
    state.hasHeading && heading.variance > TrackState.vagueHeading
  }
}
