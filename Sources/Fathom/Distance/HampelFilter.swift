/// What a ``HampelFilter`` found about a range.
public struct HampelVerdict: Sendable, Equatable {
  /// The range as measured, metres.
  public var measured: Double
  /// Median of the window, this range included, metres.
  public var median: Double
  /// Robust standard deviation of the window, metres: 1.4826 times the median absolute deviation, but
  /// at least the filter's `rangeSigma`.
  public var sigma: Double
  /// Whether the range lies more than `threshold` times `sigma` from the median.
  public var isOutlier: Bool
  /// The range itself, or the median where it is an outlier.
  public var smoothed: SmoothedDistance
}

/// Replaces outliers by the median of the newest ranges and leaves all others as they are.
///
/// A range further than `threshold` times S from the median of the window is an outlier, with
/// S = max(1.4826 MAD, range sigma); MAD is the median absolute deviation, and 1.4826 makes it the
/// standard deviation of Gaussian noise [Pearson et al. 2016]. The plain Hampel filter has no lower
/// bound on S: once more than half of the window is one repeated value, its MAD is 0 and any other
/// range an outlier. Here the known noise of ranges is that bound.
///
/// Not a smoother in the sense of noise: put it before one. Ordinary ranges pass without lag; a real
/// step passes once it fills half of the window.
///
/// ## Edge cases
/// The window holds the ranges as measured, not as replaced. Ranges of one instant and repeated values
/// each take a place of it. Of fewer than three ranges none is an outlier. Otherwise as every
/// ``DistanceSmoother``.
///
/// Cost proportional to the window; allocates in `init` only.
public struct HampelFilter: DistanceSmoother {
  /// Distance from the median that makes an outlier, in robust standard deviations.
  public let threshold: Double
  /// Standard deviation below which the window's is not believed, metres.
  public let rangeSigma: Double

  private var gate: SampleGate
  private var samples: SampleWindow

  /// A filter over the newest `window` ranges.
  ///
  /// - Parameters:
  ///   - window: number of ranges, at least 3.
  ///   - threshold: robust standard deviations that make an outlier, above 0.
  ///   - rangeSigma: least standard deviation assumed, metres, 0 or more; 0 for the plain filter.
  ///   - restartAfter: longest gap that is bridged, seconds, above 0.
  public init(
    window: Int = 7, threshold: Double = 3, rangeSigma: Double = RangingDefaults.rangeSigma,
    restartAfter: Double = RangingDefaults.restartAfter
  ) {
    precondition(window >= 3, "a window of fewer than three ranges has no outliers")
    precondition(threshold > 0, "threshold is not positive")
    precondition(rangeSigma >= 0 && rangeSigma.isFinite, "rangeSigma is negative or not finite")
    self.threshold = threshold
    self.rangeSigma = rangeSigma
    gate = SampleGate(restartAfter: restartAfter)
    samples = SampleWindow(capacity: window)
  }

  /// Largest number of ranges in the window.
  public var window: Int { samples.capacity }

  /// Longest gap that the filter bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Takes the distance measured at `time`; see ``DistanceSmoother``.
  ///
  /// - Returns: the distance with a lag of 0, or for an outlier the median with the lag of a
  ///   ``MovingMedian``; nil where the input was absent or late.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    screen(distance, at: time)?.smoothed
  }

  /// Takes the distance measured at `time` and says whether it is an outlier.
  ///
  /// - Parameters:
  ///   - distance: measured distance, metres; nil where there is none.
  ///   - time: when it was measured.
  /// - Returns: the verdict, or nil where the input was absent or late.
  public mutating func screen(_ distance: Double?, at time: Timestamp) -> HampelVerdict? {
    guard let distance, let measured = MeasuredDistance.validated(distance),
      let step = gate.step(to: time)
    else { return nil }
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

  /// Forgets everything seen.
  public mutating func reset() { gate.reset() }
}
