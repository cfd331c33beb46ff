import RealModule

/// How the error of headings changes with time.
///
/// A compass is wrong by what iron is near, which changes as its carrier walks; a gyroscope drifts
/// slowly. Up to 5° of the error come and go within a minute, whatever else of it stays.
enum HeadingDrift {
  /// Seconds.
  private static let time = 60.0
  /// Variance of what comes and goes, at most, rad².
  private static let variance = (5 * Double.pi / 180) * (5 * Double.pi / 180)

  /// What is left after `seconds` of an error with the given variance, rad² above 0; it changes as
  /// fast as what comes and goes of it.
  static func memory(over seconds: Double, variance: Double) -> Double {
    .exp(-seconds / time * min(1, Self.variance / variance))
  }
}

extension TrackMixture {
  /// Lets `seconds` pass for the error of headings, not negative.
  mutating func driftHeading(over seconds: Double) {
    guard state.hasHeading, seconds > 0 else { return }
    state.fadeHeading(
      to: HeadingDrift.memory(over: seconds, variance: headingVariance),
      variance: headingVariance)
  }

  /// The error of headings, counter-clockwise, with its variance, rad²; there has to be one.
  var heading: (value: Double, variance: Double) { moments(of: state.heading) }

  /// Whether the heading is as good as unknown.
  var isHeadingVague: Bool {
    state.hasHeading && heading.variance > TrackState.vagueHeading
  }
}
