/// The result of a ``MedianAverageFilter`` or a ``CircularMedianAverageFilter``.
public struct MedianAverage: Sendable, Equatable {
  /// Weighted mean of the retained samples, in their unit: metres for distances, radians for
  /// angles.
  public var value: Double
  /// Figure of merit of the mean, Σf²/Σf over the retained samples: between their smallest and
  /// largest.
  public var figureOfMerit: Double
  /// Weighted mean age of the retained samples, seconds.
  public var lag: Double
  /// The time of the newest sample.
  public var time: Timestamp

  /// Weighted mean time of the retained samples.
  public var effectiveTime: Timestamp { time.advanced(bySeconds: -lag) }
}

/// A trimmed mean of the newest ranges, adjustable from their median to their mean [Android stack].
///
/// The newest `window` ranges are sorted by distance. Of n ranges, k = round(n (1 - c) / 2) are
/// discarded at each end, with halves rounded up and one fewer when 2k ≥ n; c is the fraction kept.
/// The result is the mean of the rest, weighted by figure of merit f. Its time is the weighted mean
/// time, which exposes the latency, and its figure of merit is Σf²/Σf.
///
/// c = 0 gives the median (for an even number, the mean of the middle two), c = 1 the mean.
///
/// ## Edge cases
/// Ranges with the same time stamp and repeated values each occupy a slot of the window. Among
/// equal distances the earlier counts as the smaller. A range whose figure of merit is not positive
/// and finite is rejected as if it were absent. All other cases are as in every
/// ``DistanceSmoother``.
///
/// The cost is proportional to the window. Allocates in `init` only. Computed in `Double`, where
/// the source uses 32 bits.
public struct MedianAverageFilter: DistanceSmoother {
  /// Fraction of ranges kept, c: 0 for the median, 1 for the mean.
  public let shareKept: Double

  private var gate: SampleGate
  private var samples: SampleWindow

  /// Creates the median average of the newest `window` ranges.
  ///
  /// - Parameters:
  ///   - window: The number of ranges, 1 to 255.
  ///   - shareKept: c, 0 (median) to 1 (mean).
  ///   - restartAfter: The longest gap that is bridged, seconds, above 0. The source has no such
  ///     limit; infinity disables it.
  public init(
    window: Int = 3, shareKept: Double = 0, restartAfter: Double = RangingDefaults.restartAfter
  ) {
    precondition((1...255).contains(window), "window is not in 1...255")
    precondition((0...1).contains(shareKept), "shareKept is not in 0...1")
    self.shareKept = shareKept
    gate = SampleGate(restartAfter: restartAfter)
    samples = SampleWindow(capacity: window)
  }

  /// The largest number of ranges in the window.
  public var window: Int { samples.capacity }

  /// The longest gap that the smoother bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Processes the distance measured at `time` with a figure of merit of 1; see
  /// ``DistanceSmoother``.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let average = update(distance, figureOfMerit: 1, at: time) else { return nil }
    return SmoothedDistance(distance: average.value, lag: average.lag, time: time)
  }

  /// Processes the distance measured at `time` with its figure of merit.
  ///
  /// - Parameters:
  ///   - distance: The measured distance, metres; nil when absent.
  ///   - figureOfMerit: f, above 0; the sources use values up to 1.
  ///   - time: The time of the measurement.
  /// - Returns: The median average, or nil when the input was absent or late.
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

  /// Discards all samples.
  public mutating func reset() { gate.reset() }
}

extension SampleWindow {
  /// Returns the weighted mean of the central fraction `shareKept` of the values of a non-empty
  /// window.
  ///
  /// Sums run over differences from one of the values, and weights are relative to the largest.
  /// Equal values therefore give their value bitwise, and no figure of merit overflows or
  /// underflows.
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
