/// The most likely track of a tag, given all ranges of a recording.
public struct SmoothedTrack: Sendable {
  /// The estimates at all instants with ranges, in order of time.
  public var estimates: [TrackEstimate]
  /// How each range was used, in the order of the ranges.
  public var verdicts: [RangeVerdict]
  /// The bias common to all ranges and its standard deviation in metres; nil if it was not
  /// estimated.
  public var bias: (value: Double, sigma: Double)?
  /// The scale common to all ranges less 1, and its standard deviation; nil if it was not
  /// estimated.
  public var scale: (value: Double, sigma: Double)?
  /// The range offset of each anchor beyond the common bias in metres; nil if offsets are not
  /// significant, and for an anchor without ranges.
  public var offsets: [(value: Double, sigma: Double)?]
  /// The estimated positions in metres of anchors with a survey error (``Anchor/positionSigma``).
  ///
  /// nil for the others and for an anchor without ranges. All are nil with more than 16 uncertain
  /// anchors.
  public var anchorPositions: [Gaussian<3>?] = []
  /// Factor on the variance of ranges, at least 0.005; above 1 for errors that are correlated for
  /// longer than assumed, below 1 for smaller residuals than expected.
  public var covarianceFactor: Double
  /// The number of linearisations.
  public var iterations: Int
  /// The RSSI-dependent range bias and its cost against the prior in nats; nil if it was not
  /// estimated.
  var signals: (curve: RSSIBiasCurve, cost: Double)?
  /// Whether the last step moved every position by less than a millimetre.
  public var isConverged: Bool
}

/// How a smoother used a range.
public enum RangeVerdict: Sendable, Hashable {
  /// The range has at least half its weight.
  case used
  /// The range deviates from the rest and has this weight, below one half.
  case discounted(weight: Double)
  /// The range is too long by more than three standard deviations, which indicates a reflected
  /// path; it has this weight.
  case nonLineOfSight(weight: Double)
  /// The range is a repeated reading and was left out.
  case duplicate
  /// The range has no valid distance, or an unknown anchor.
  case invalid
}

extension SmoothedTrack {
  /// Returns the estimate at `time`, between instants with ranges.
  ///
  /// - Parameters:
  ///   - time: A time from the first to the last estimate.
  ///   - configuration: The configuration of the smoother; it defines which stretches without
  ///     ranges are gaps, over which the velocity is not used.
  /// - Returns: The estimate. Its covariance includes the uncertainty of the motion between the
  ///   neighbouring estimates. nil before the first and after the last estimate.
  public func estimate(
    at time: Timestamp, configuration: TrackerConfiguration = TrackerConfiguration()
  ) -> TrackEstimate? {
    guard let first = estimates.first, let last = estimates.last, time >= first.time,
      time <= last.time
    else { return nil }
    let place = estimates.firstPlace { $0.time > time }
    let before = estimates[place - 1]
    guard before.time < time, place < estimates.count else { return before }
    let after = estimates[place]
    let seconds = after.time.seconds(since: before.time)
    let share = time.seconds(since: before.time) / seconds
    let isGap = seconds > configuration.longestGap
    var result = before
    result.time = time
    if min(share, 1 - share) * seconds > configuration.coastAfter { result.status = .coasting }
    // Cubic Hermite interpolation; linear over a gap.
    let bend = isGap ? 0 : share * (1 - share) * seconds
    let span = after.position - before.position
    let mean = (1 / seconds) * span
    result.position = before.position + share * span
    for axis in 0..<3 where !isGap {
      let start = before.velocity[axis] - mean[axis]
      let end = after.velocity[axis] - mean[axis]
      result.position[axis] += bend * ((1 - share) * start - share * end)
      result.velocity[axis] =
        mean[axis] + (1 - share) * (1 - 3 * share) * start - share * (2 - 3 * share) * end
    }
    if isGap { result.velocity = mean }
    if let first = before.alternative, let second = after.alternative {
      result.alternative = first + share * (second - first)
    }
    // The variance of a bridge between two known ends: of a random walk over a gap, otherwise of an
    // integrated one.
    let (own, other) = (1 - share, share)
    for axis in 0..<3 {
      for second in 0...axis {
        let value =
          own * before.covariance[axis, second] + other * after.covariance[axis, second]
        result.covariance[axis, second] = value
        result.covariance[second, axis] = value
      }
      guard before.covariance[axis, axis] > 0 else { continue }
      let density =
        axis < 2
        ? configuration.modes.motion.horizontalDensity
        : configuration.modes.motion.verticalDensity
      let speed = configuration.startVelocitySigma
      let bridge = own * other
      result.covariance[axis, axis] +=
        isGap
        ? speed * speed * seconds * seconds * bridge
        : density * density * seconds * seconds * seconds * bridge * bridge * bridge / 3
    }
    return result
  }
}
