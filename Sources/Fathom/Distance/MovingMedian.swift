/// The median of the newest ranges, which removes isolated outliers completely and preserves steps.
///
/// With an odd window of n ranges, up to (n - 1)/2 outliers in the window only shift the rank. The
/// lag is half of the window's duration. For Gaussian noise the median is less efficient than the
/// mean: its standard deviation is about 1.25 σ/√n.
///
/// ## Edge cases
/// Ranges with the same time stamp and repeated values each occupy a slot of the window: frequent
/// repeats shorten the effective window. With fewer than `window` ranges, returns the median of
/// those; for an even number, the mean of the middle two. All other cases are as in every
/// ``DistanceSmoother``.
///
/// The cost is proportional to the window. Allocates in `init` only.
public struct MovingMedian: DistanceSmoother {
  private var gate: SampleGate
  private var samples: SampleWindow

  /// Creates the median of the newest `window` ranges.
  ///
  /// - Parameters:
  ///   - window: The number of ranges, at least 1.
  ///   - restartAfter: The longest gap that is bridged, seconds, above 0.
  public init(window: Int = 5, restartAfter: Double = RangingDefaults.restartAfter) {
    gate = SampleGate(restartAfter: restartAfter)
    samples = SampleWindow(capacity: window)
  }

  /// The largest number of ranges in the median.
  public var window: Int { samples.capacity }

  /// The longest gap that the smoother bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Processes the distance measured at `time` and returns the smoothed one; see
  /// ``DistanceSmoother``.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let (measured, step) = gate.admit(distance, at: time) else { return nil }
    if step == .first { samples.removeAll() }
    samples.insert(measured, at: time)
    return SmoothedDistance(
      distance: samples.median, lag: samples.medianAge(at: time), time: time)
  }

  /// Discards all samples.
  public mutating func reset() { gate.reset() }
}
