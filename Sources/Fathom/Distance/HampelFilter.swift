/// The result of screening a range with a ``HampelFilter``.
public struct HampelVerdict: Sendable, Equatable {
  /// The range as measured, metres.
  public var measured: Double
  /// Median of the window including this range, metres.
  public var median: Double
  /// Robust standard deviation of the window, metres: 1.4826 times the median absolute deviation,
  /// and at least the filter's `rangeSigma`.
  public var sigma: Double
  /// Whether the range lies more than `threshold` times `sigma` from the median.
  public var isOutlier: Bool
  /// The range itself, or the median when the range is an outlier.
  public var smoothed: SmoothedDistance
}

/// A filter that replaces outliers by the median of the newest ranges and passes all other ranges.
///
/// A range further than `threshold` times S from the median of the window is an outlier, with S =
/// max(1.4826 MAD, range sigma). MAD is the median absolute deviation; the factor 1.4826 makes it
/// the standard deviation for Gaussian noise [Pearson et al. 2016]. The standard Hampel filter has
/// no lower bound on S: when more than half of the window is one repeated value, its MAD is 0 and
/// every other range an outlier. The known range noise is the lower bound here.
///
/// The filter does not reduce noise; use it before a smoother. Ordinary ranges pass without lag. A
/// real step passes once it fills half of the window.
///
/// ## Edge cases
/// The window holds the ranges as measured, not as replaced. Ranges with the same time stamp and
/// repeated values each occupy a slot. Fewer than three ranges contain no outlier. All other cases
/// are as in every ``DistanceSmoother``.
///
/// Cost proportional to the window; allocates in `init` only.
public struct HampelFilter: DistanceSmoother {
  /// Threshold for the deviation from the median, in robust standard deviations.
  public let threshold: Double
  /// Lower bound of the window's standard deviation, metres.
  public let rangeSigma: Double

  private var gate: SampleGate
  private var samples: SampleWindow

  /// Creates a filter over the newest `window` ranges.
  ///
  /// - Parameters:
  ///   - window: The number of ranges, at least 3.
  ///   - threshold: The deviation that makes an outlier, in robust standard deviations, above 0.
  ///   - rangeSigma: The lower bound of the standard deviation, metres, 0 or more; 0 for the
  ///     standard Hampel filter.
  ///   - restartAfter: The longest gap that is bridged, seconds, above 0.
  public init(
    window: Int = 7, threshold: Double = 3, rangeSigma: Double = RangingDefaults.rangeSigma,
    restartAfter: Double = RangingDefaults.restartAfter
  ) {
    precondition(window >= 3, "window is less than 3")
    precondition(threshold > 0, "threshold is not positive")
    precondition(rangeSigma >= 0 && rangeSigma.isFinite, "rangeSigma is negative or not finite")
    self.threshold = threshold
    self.rangeSigma = rangeSigma
    gate = SampleGate(restartAfter: restartAfter)
    samples = SampleWindow(capacity: window)
  }

  /// The largest number of ranges in the window.
  public var window: Int { samples.capacity }

  /// The longest gap that the filter bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Processes the distance measured at `time`; see ``DistanceSmoother``.
  ///
  /// - Returns: The distance with a lag of 0, or for an outlier the median with the lag of a
  ///   ``MovingMedian``; nil when the input was absent or late.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    screen(distance, at: time)?.smoothed
  }

  /// Processes the distance measured at `time` and returns whether it is an outlier.
  ///
  /// - Parameters:
  ///   - distance: The measured distance, metres; nil when absent.
  ///   - time: The time of the measurement.
  /// - Returns: The verdict, or nil when the input was absent or late.
  public mutating func screen(_ distance: Double?, at time: Timestamp) -> HampelVerdict? {
    guard let (measured, step) = gate.admit(distance, at: time) else { return nil }
    if step == .first { samples.removeAll() }
    samples.insert(measured, at: time)
    let median = samples.median
    let sigma = max(1.4826 * samples.medianDeviation(from: median), rangeSigma)
    let isOutlier = samples.count >= 3 && (measured - median).magnitude > threshold * sigma
    let smoothed =
      isOutlier
      ? SmoothedDistance(distance: median, lag: samples.medianAge(at: time), time: time)
      : SmoothedDistance(distance: measured, lag: 0, time: time)
    return HampelVerdict(
      measured: measured, median: median, sigma: sigma, isOutlier: isOutlier, smoothed: smoothed)
  }

  /// Discards all samples.
  public mutating func reset() { gate.reset() }
}
