/// The result of a ``MedianAverageFilter`` or a ``CircularMedianAverageFilter``.
public struct MedianAverage: Sendable, Equatable {
  /// Weighted mean of the samples kept, in their unit: metres of a distance, radians of an angle.
  public var value: Double
  /// Figure of merit of the mean, Σf²/Σf over the samples kept: between their smallest and largest.
  public var figureOfMerit: Double
  /// Weighted mean age of the samples kept, seconds.
  public var lag: Double
  /// When the newest sample was measured.
  public var time: Timestamp

  /// Weighted mean time of the samples kept.
  public var effectiveTime: Timestamp { time.advanced(bySeconds: -lag) }
}

/// Trimmed mean of the newest ranges, anything between their median and their mean [Android stack].
///
/// The newest `window` ranges are sorted by distance. Of n ranges, k = round(n (1 - c) / 2) are thrown
/// away at each end, halves rounded up, and one fewer where 2k ≥ n would leave none; c is the share
/// kept. The result is the mean of the rest, weighted by figure of merit f. Its time is the weighted
/// mean time, so the latency is visible, and its figure of merit Σf²/Σf.
///
/// With c = 0 that is the median (of an even number, the mean of the middle two), with c = 1 the mean.
///
/// ## Edge cases
/// Ranges of one instant and repeated values each take a place of the window. Among equal distances
/// the earlier counts as the smaller. A figure of merit that is not positive and finite sets its range
/// aside, as if it were absent. Otherwise as every ``DistanceSmoother``.
///
/// Cost proportional to the window; allocates in `init` only. Computed in `Double`, where the source
/// uses 32 bits.
public struct MedianAverageFilter: DistanceSmoother {
  /// Share kept, c: 0 for the median, 1 for the mean.
  public let shareKept: Double

  private var gate: SampleGate
  private var samples: SampleWindow

  /// The median average of the newest `window` ranges.
  ///
  /// - Parameters:
  ///   - window: number of ranges, 1 to 255.
  ///   - shareKept: c, 0 (median) to 1 (mean).
  ///   - restartAfter: longest gap that is bridged, seconds, above 0. The source has no such limit;
  ///     give infinity to go without.
  public init(
    window: Int = 3, shareKept: Double = 0, restartAfter: Double = RangingDefaults.restartAfter
  ) {
    precondition((1...255).contains(window), "window is not in 1...255")
    precondition((0...1).contains(shareKept), "shareKept is not in 0...1")
    self.shareKept = shareKept
    gate = SampleGate(restartAfter: restartAfter)
    samples = SampleWindow(capacity: window)
  }

  /// Largest number of ranges in the window.
  public var window: Int { samples.capacity }

  /// Longest gap that the smoother bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Takes the distance measured at `time` with a figure of merit of 1; see ``DistanceSmoother``.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let average = update(distance, figureOfMerit: 1, at: time) else { return nil }
    return SmoothedDistance(distance: average.value, lag: average.lag, time: time)
  }

  /// Takes the distance measured at `time` with its figure of merit.
  ///
  /// - Parameters:
  ///   - distance: measured distance, metres; nil where there is none.
  ///   - figureOfMerit: f, above 0; the sources use values up to 1.
  ///   - time: when it was measured.
  /// - Returns: the median average, or nil where the input was absent or late.
  public mutating func update(
    _ distance: Double?, figureOfMerit: Double, at time: Timestamp
  ) -> MedianAverage? {
    guard let distance, let measured = MeasuredDistance.validated(distance),
      figureOfMerit > 0, figureOfMerit.isFinite, let step = gate.step(to: time)
    else { return nil }
    if step == .first { samples.removeAll() }
    samples.insert(measured, at: time, weight: figureOfMerit)
    return samples.medianAverage(shareKept: shareKept, at: time)
  }

  /// Forgets everything seen.
  public mutating func reset() { gate.reset() }
}

extension SampleWindow {
  /// The weighted mean of the middle share of the values.
  ///
  /// Not for an empty window. Sums run over differences from one of the values, and weights are relative to the largest: equal
  /// values give their value to the bit, and no figure of merit overflows or vanishes.
  func medianAverage(shareKept: Double, at now: Timestamp) -> MedianAverage {
    var trimmed = Int((Double(count) * (1 - shareKept) / 2).rounded(.toNearestOrAwayFromZero))
    if 2 * trimmed >= count { trimmed -= 1 }
    let kept = trimmed..<count - trimmed

    let origin = values[slot(rank: trimmed)]
    var largest = 0.0
    for rank in kept { largest = max(largest, weights[slot(rank: rank)]) }
    var sum = 0.0
    var sumOfSquares = 0.0
    var difference = 0.0
    var age = 0.0
    for rank in kept {
      let slot = slot(rank: rank)
      let weight = weights[slot] / largest
      sum += weight
      sumOfSquares += weight * weight
      difference += weight * (values[slot] - origin)
      age += weight * now.seconds(since: times[slot])
    }
    return MedianAverage(
      value: origin + difference / sum, figureOfMerit: largest * (sumOfSquares / sum),
      lag: age / sum, time: now)
  }
}
