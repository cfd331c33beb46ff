/// Median of the newest ranges: removes single outliers whole, keeps steps sharp.
///
/// With an odd window of n ranges, up to (n - 1)/2 outliers within the window have no influence
/// beyond shifting the rank. The lag is half of the window's duration. Of Gaussian noise it removes
/// less than the mean does: the standard deviation falls to about 1.25 σ/√n.
///
/// ## Edge cases
/// Ranges of one instant and repeated values each take a place of the window: a device that repeats
/// its last value often shortens the window in effect. While fewer than `window` ranges are there,
/// the median of those is returned; of an even number, the mean of the middle two. Otherwise as
/// every ``DistanceSmoother``.
///
/// Cost proportional to the window; allocates in `init` only.
public struct MovingMedian: DistanceSmoother {
  private var gate: SampleGate
  private var samples: SampleWindow

  /// The median of the newest `window` ranges.
  ///
  /// - Parameters:
  ///   - window: number of ranges, at least 1.
  ///   - restartAfter: longest gap that is bridged, seconds, above 0.
  public init(window: Int = 5, restartAfter: Double = RangingDefaults.restartAfter) {
    gate = SampleGate(restartAfter: restartAfter)
    samples = SampleWindow(capacity: window)
  }

  /// Largest number of ranges in the median.
  public var window: Int { samples.capacity }

  /// Longest gap that the smoother bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Takes the distance measured at `time` and returns the smoothed one; see ``DistanceSmoother``.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let distance, let measured = MeasuredDistance.validated(distance),
      let step = gate.step(to: time)
    else { return nil }
    if step == .first { samples.removeAll() }
    samples.insert(measured, at: time)
    return SmoothedDistance(
      distance: samples.median, lag: samples.medianAge(at: time), time: time)
  }

  /// Forgets everything seen.
  public mutating func reset() { gate.reset() }
}
