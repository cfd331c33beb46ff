/// The most likely track of a tag, given all ranges of a recording.
public struct SmoothedTrack: Sendable {
  /// Where the tag was at each instant that brought ranges, in order of time.
  public var estimates: [TrackEstimate]
  /// What was made of each range, in the order in which they were given.
  public var verdicts: [RangeVerdict]
  /// The bias common to all ranges, metres; nil where none was looked for.
  public var bias: (value: Double, sigma: Double)?
  /// The scale common to all ranges less 1; nil where none was looked for.
  public var scale: (value: Double, sigma: Double)?
  /// What the ranges to each anchor read too much beyond that, metres; nil where they do not differ
  /// beyond doubt, and nil for an anchor without ranges.
  public var offsets: [(value: Double, sigma: Double)?]
  /// Where each anchor stands, metres, of those whose survey left an error
  /// (``Anchor/positionSigma``); nil for the others, for an anchor without ranges, and for all where
  /// more than 16 are uncertain.
  public var anchorPositions: [Gaussian<3>?] = []
  /// Factor on the variance of ranges, where errors last longer than assumed or residuals are
  /// smaller than they would be; from 0.005.
  public var covarianceFactor: Double
  /// How often the ranges were linearised.
  public var iterations: Int
  /// What ranges read too much by the strength of their signals, and what that costs of what was
  /// known before, nats; nil where it was not looked for.
  var signals: (curve: RSSIBiasCurve, cost: Double)?
  /// Whether the last step moved no position by more than a millimetre.
  public var isConverged: Bool
}

/// What a smoother made of a range.
public enum RangeVerdict: Sendable, Hashable {
  /// It counts, with nearly its full weight.
  case used
  /// It disagrees with the rest and counts with this weight, below one half.
  case discounted(weight: Double)
  /// It is so much longer than the rest allow that it came on a detour, and counts with this
  /// weight.
  case nonLineOfSight(weight: Double)
  /// It repeats the range before it and was left out.
  case duplicate
  /// No distance, or an anchor that is not known.
  case invalid
}

extension SmoothedTrack {
  /// Where the tag was at `time`, between instants with ranges.
  ///
  /// - Parameters:
  ///   - time: an instant from the first to the last estimate.
  ///   - configuration: of the smoother; it says which stretches without ranges are gaps, over
  ///     which the velocity means nothing.
  /// - Returns: The estimate, with the covariance of a tag that may have strayed from the way
  ///   meanwhile; nil before the first and after the last estimate.
  public func estimate(
    at time: Timestamp, configuration: TrackerConfiguration = TrackerConfiguration()
  ) -> TrackEstimate? {
    guard let first = estimates.first, let last = estimates.last, time >= first.time,
      time <= last.time
    else { return nil }
    // The first estimate after `time`.
    var low = 0
    var high = estimates.count
    while low < high {
      let middle = (low + high) / 2
      if estimates[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    let before = estimates[low - 1]
    guard before.time < time, low < estimates.count else { return before }
    let after = estimates[low]
    let seconds = after.time.seconds(since: before.time)
    let share = time.seconds(since: before.time) / seconds
    let isGap = seconds > configuration.longestGap
    var result = before
    result.time = time
    if min(share, 1 - share) * seconds > configuration.coastAfter { result.status = .coasting }
    // Hermite's cubic through both positions along both velocities; a straight line over a gap.
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
    // The wandering between two known ends: of a random walk over a gap, otherwise of its integral.
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
