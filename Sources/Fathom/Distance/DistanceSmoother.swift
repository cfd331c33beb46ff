/// A causal smoother of one link's distances.
///
/// Call `update` with every range of one pair of devices in time order. Each accepted range gives
/// one smoothed distance. All smoothers of Fathom follow the same rules:
///
/// - **Absent distances.** Nil and every value that ``MeasuredDistance`` rejects (NaN, infinite,
///   sentinel, negative, zero) leave the state unchanged, and `update` returns nil. The gap since
///   the last distance continues.
/// - **Gaps.** A distance more than ``restartAfter`` seconds after the last one restarts the
///   smoother: from there on its output is bitwise that of a new one.
/// - **Equal time stamps** are valid (two ranges of one scan) and never cause a division by zero.
///   Each method documents how it handles them.
/// - **Late distances.** A distance with a time stamp before the last one is rejected: `update`
///   returns nil and the state is unchanged. A step back of more than ``restartAfter`` seconds
///   counts as a clock reset and restarts the smoother.
/// - **Cost.** No allocation after `init`.
public protocol DistanceSmoother: Sendable {
  /// The longest gap that the smoother bridges, seconds; above 0, may be infinite.
  var restartAfter: Double { get }

  /// Processes the distance measured at `time` and returns the smoothed one.
  ///
  /// - Parameters:
  ///   - distance: The measured distance, metres; nil when absent.
  ///   - time: The time of the measurement.
  /// - Returns: The smoothed distance, or nil when the input was absent or late.
  mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance?

  /// Discards all samples and keeps the settings.
  mutating func reset()
}

/// The output of a ``DistanceSmoother``.
public struct SmoothedDistance: Sendable, Equatable {
  /// The smoothed distance, metres; never negative.
  ///
  /// When an extrapolating method overshoots below zero, 0 is reported.
  public var distance: Double
  /// Standard deviation of the smoothed distance, metres; nil when the method does not estimate it.
  public var sigma: Double?
  /// Rate of change, m/s, positive when the devices move apart; nil when the method does not
  /// estimate it.
  public var rate: Double?
  /// The delay in seconds behind a distance that changes at a constant rate, for the weights used
  /// in this output.
  ///
  /// It includes the transient after the start.
  ///
  /// Zero for a method without delay. A method with a rate can lead temporarily after an overshoot,
  /// which is a negative lag.
  public var lag: Double
  /// The time of the newest range in the output.
  public var time: Timestamp

  /// Creates a smoothed distance of `distance` metres, for the range measured at `time`.
  public init(
    distance: Double, sigma: Double? = nil, rate: Double? = nil, lag: Double, time: Timestamp
  ) {
    self.distance = distance
    self.sigma = sigma
    self.rate = rate
    self.lag = lag
    self.time = time
  }

  /// The instant that the distance refers to: `time` less the lag.
  public var effectiveTime: Timestamp { time.advanced(bySeconds: -lag) }
}
