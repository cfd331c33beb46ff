/// A causal smoother of one link's distances.
///
/// Feed it every range of one pair of devices in the order of time; each accepted range gives one
/// smoothed distance. All smoothers of Fathom keep the same rules:
///
/// - **Absent distances.** Nil, and whatever ``MeasuredDistance`` calls absent (NaN, infinite,
///   sentinel, negative, zero), is no input: `update` returns nil and nothing changes, except that
///   the gap since the last distance goes on.
/// - **Gaps.** A distance more than ``restartAfter`` seconds after the last one starts anew: from
///   there on the smoother behaves to the bit like a fresh one.
/// - **Equal time stamps** are legitimate (two ranges of one scan) and never divide by zero; each
///   method documents what it does with them.
/// - **Late distances.** A time stamp before the last one is set aside (`update` returns nil, nothing
///   changes). A step back of more than ``restartAfter`` seconds is a clock that was set: the smoother
///   starts anew.
/// - **Cost.** No allocation after `init`.
public protocol DistanceSmoother: Sendable {
  /// Longest gap that the smoother bridges, seconds; above 0, may be infinite.
  var restartAfter: Double { get }

  /// Takes the distance measured at `time` and returns the smoothed one.
  ///
  /// - Parameters:
  ///   - distance: measured distance, metres; nil where there is none.
  ///   - time: when it was measured.
  /// - Returns: the smoothed distance, or nil where the input was absent or late.
  mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance?

  /// Forgets everything seen; the settings stay.
  mutating func reset()
}

/// What a ``DistanceSmoother`` says about a distance.
public struct SmoothedDistance: Sendable, Equatable {
  /// Smoothed distance, metres; never negative.
  ///
  /// Where a method that extrapolates overshoots beyond zero, 0 is reported.
  public var distance: Double
  /// Standard deviation of the smoothed distance, metres; nil where the method does not estimate it.
  public var sigma: Double?
  /// Rate of change, m/s, positive when the devices move apart; nil where the method has none.
  public var rate: Double?
  /// Seconds by which the distance trails one that changes at a constant rate, given the weights
  /// that were used for this very output; the start of the smoother is included.
  ///
  /// Zero for a method that follows without delay. A method with a rate can lead for a while after
  /// an overshoot, which is a negative lag.
  public var lag: Double
  /// When the newest range in the output was measured.
  public var time: Timestamp

  /// A smoothed distance of `distance` metres, for the range measured at `time`.
  public init(
    distance: Double, sigma: Double? = nil, rate: Double? = nil, lag: Double, time: Timestamp
  ) {
    self.distance = distance
    self.sigma = sigma
    self.rate = rate
    self.lag = lag
    self.time = time
  }

  /// The instant that the distance belongs to: `time` less the lag.
  public var effectiveTime: Timestamp { time.advanced(bySeconds: -lag) }
}

/// What the smoothers assume of ultra-wideband ranges between people and things unless told
/// otherwise.
public enum RangingDefaults {
  /// Standard deviation of a range in line of sight, metres.
  public static let rangeSigma = 0.10
  /// Density of the acceleration that a walking person gives the distance, (m/s²)/√Hz: within one
  /// second the rate changes by 0.5 m/s (one standard deviation).
  public static let accelerationDensity = 0.5
  /// Standard deviation of a rate of which nothing is known, m/s: walking speed.
  public static let rateSigma = 1.5
  /// Longest gap that is bridged, seconds: at walking speed the distance has changed by 3 m.
  public static let restartAfter = 2.0
}
