/// How well a link delivers, over a window of time; nil is "not known", too few ranges.
public struct LinkQuality: Sendable, Equatable {
  /// Ranges per second between the first and the last of the window.
  public var rate: Double?
  /// Share of the expected ranges that are missing, 0...1.
  public var loss: Double?
  /// Robust standard deviation of the ranges about a locally constant rate, metres.
  public var spread: Double?
  /// Share of the ranges that repeat the one before to the bit, 0...1.
  public var hold: Double?
  /// (1 - loss) (1 - hold) / (1 + (spread / reference spread)²), 0...1; 0 for a link that only repeats.
  public var score: Double?
}

/// Statistics of one link's ranges over a sliding window, for recordings at any rate.
///
/// Unlike ``MeasurementQualityEstimator``, which has fixed thresholds, it measures a link against
/// itself:
///
/// - **Loss.** The median T of the intervals between successive instants is the link's own interval.
///   An interval of Δ hides round(Δ/T) - 1 missing ranges; the silence at either end of the window,
///   where ranges came before it, counts likewise. The loss is the missing over the missing and the
///   instants that have ranges. A link that loses more than half of its ranges evenly looks like a
///   slower one.
/// - **Spread.** Each range is compared with the straight line between its neighbours in time; the
///   residual, divided by √(1 + u² + (1 - u)²) with u the place between them, has the variance of a
///   range, and any constant rate cancels [Gasser et al. 1986]. 1.4826 times the median of the
///   magnitudes is the standard deviation of Gaussian noise, and outliers do not blow it up
///   while they are fewer than a sixth: each touches three residuals. Repeats are left out: they bring no new noise.
/// - **Hold.** Phones and gateways repeat the last range when there is no new one.
///
/// ## Edge cases
/// Absent distances (nil, or what ``MeasuredDistance`` calls absent) are missing ranges: they show in
/// the loss. Loss and hold need five ranges, loss five different instants, spread five ranges that
/// are no repeats. Of an even number of values the lower of the two middle ones is the median. Time
/// stamps before the last range are set aside; a step back of more than the window starts anew.
/// Equal time stamps are one instant with several ranges.
///
/// `record` has amortised constant cost, `quality` a cost proportional to the ranges in the window on
/// average. Both allocate nothing; `init` does.
public struct LinkQualityEstimator: Sendable {
  /// Length of the window, seconds.
  public let window: Double
  /// Spread at which the score's third factor is one half, metres.
  public let referenceSpread: Double

  private static let fewest = 5

  private var times: [Timestamp]
  private var distances: [Double]
  private var scratch: [Double]
  private var start = 0
  private var count = 0
  /// When the newest range that has left the window was measured.
  private var previous: Timestamp?
  private var last: Timestamp?

  /// An estimator for one link, nothing seen yet.
  ///
  /// - Parameters:
  ///   - window: seconds, above 0 and finite.
  ///   - capacity: most ranges in the window, at least 8. Where more arrive, the window is shorter.
  ///   - referenceSpread: metres, above 0 and finite.
  public init(window: Double = 5, capacity: Int = 512, referenceSpread: Double = 0.3) {
    precondition(window > 0 && window.isFinite, "window is not positive")
    precondition(capacity >= 8, "capacity is below 8")
    precondition(referenceSpread > 0 && referenceSpread.isFinite, "referenceSpread is not positive")
    self.window = window
    self.referenceSpread = referenceSpread
    times = Array(repeating: Timestamp(nanoseconds: 0), count: capacity)
    distances = Array(repeating: 0, count: capacity)
    scratch = Array(repeating: 0, count: capacity)
  }

  /// Takes a range measured at `time`, metres; nil where there is none.
  public mutating func record(_ distance: Double?, at time: Timestamp) {
    guard let distance, let measured = MeasuredDistance.validated(distance) else { return }
    if let last, time < last {
      guard last.seconds(since: time) > window else { return }
      reset()
    }
    last = time
    removeOld(at: time)
    if count == times.count { removeFirst() }
    let slot = place(count)
    times[slot] = time
    distances[slot] = measured
    count += 1
  }

  /// The quality of the link over the window that ends at `now`.
  ///
  /// Where the last range is later than `now`, the window ends there. What is older than the window is
  /// gone for good.
  public mutating func quality(at now: Timestamp) -> LinkQuality {
    let now = last.map { max($0, now) } ?? now
    removeOld(at: now)
    var quality = LinkQuality()
    guard count >= 2 else { return quality }
    let span = times[place(count - 1)].seconds(since: times[place(0)])
    if span > 0 { quality.rate = Double(count - 1) / span }
    guard count >= Self.fewest else { return quality }
    let hold = self.hold()
    quality.hold = hold
    quality.loss = loss(at: now)
    quality.spread = spread()
    if hold == 1 {
      quality.score = 0
    } else if let loss = quality.loss, let spread = quality.spread {
      let ratio = spread / referenceSpread
      quality.score = (1 - loss) * (1 - hold) / (1 + ratio * ratio)
    }
    return quality
  }

  /// Forgets everything seen.
  public mutating func reset() {
    count = 0
    start = 0
    previous = nil
    last = nil
  }

  /// The slot of the range at `index`, counted from the oldest.
  private func place(_ index: Int) -> Int {
    let slot = start + index
    return slot < times.count ? slot : slot - times.count
  }

  private mutating func removeFirst() {
    previous = times[start]
    start = place(1)
    count -= 1
  }

  private mutating func removeOld(at now: Timestamp) {
    while count > 0, now.seconds(since: times[start]) > window { removeFirst() }
  }

  private func hold() -> Double {
    let (start, count) = (start, count)
    let repeats = distances.withUnsafeBufferPointer { distances in
      var repeats = 0
      var before = distances[start]
      var slot = start
      for _ in 1..<count {
        slot = slot + 1 < distances.count ? slot + 1 : 0
        if distances[slot] == before { repeats += 1 }
        before = distances[slot]
      }
      return repeats
    }
    return Double(repeats) / Double(count - 1)
  }

  private mutating func loss(at now: Timestamp) -> Double? {
    var intervals = 0
    for index in 1..<count {
      let interval = times[place(index)].seconds(since: times[place(index - 1)])
      guard interval > 0 else { continue }
      scratch[intervals] = interval
      intervals += 1
    }
    guard intervals >= Self.fewest - 1 else { return nil }
    var missing = 0.0
    let usual = scratch.median(ofFirst: intervals)
    func missed(in interval: Double) -> Double {
      // Mostly none, which takes no quotient to see.
      interval < 1.4 * usual ? 0 : max((interval / usual).rounded() - 1, 0)
    }
    for index in 0..<intervals { missing += missed(in: scratch[index]) }
    missing += missed(in: now.seconds(since: times[place(count - 1)]))
    if let previous {
      let first = times[place(0)]
      missing += missed(
        in: min(first.seconds(since: previous), window - now.seconds(since: first)))
    }
    return missing / (missing + Double(intervals + 1))
  }

  private mutating func spread() -> Double? {
    var residuals = 0
    var left = place(0)
    var middle: Int?
    for index in 1..<count {
      let right = place(index)
      guard distances[right] != distances[place(index - 1)] else { continue }
      if let middle {
        let span = times[right].seconds(since: times[left])
        let share = span > 0 ? times[middle].seconds(since: times[left]) / span : 0.5
        let line = distances[left] + (distances[right] - distances[left]) * share
        let norm = (1 + share * share + (1 - share) * (1 - share)).squareRoot()
        scratch[residuals] = (distances[middle] - line).magnitude / norm
        residuals += 1
        left = middle
      }
      middle = right
    }
    return residuals >= Self.fewest - 2 ? 1.4826 * scratch.median(ofFirst: residuals) : nil
  }
}

extension [Double] {
  /// The median of the first `count` elements (at least one), of two middle ones the lower.
  ///
  /// Hoare's selection: puts them into another order, at a cost proportional to `count` on average.
  fileprivate mutating func median(ofFirst count: Int) -> Double {
    precondition(count >= 1 && count <= self.count, "a median of nothing")
    return withUnsafeMutableBufferPointer { $0.median(ofFirst: count) }
  }
}

extension UnsafeMutableBufferPointer<Double> {
  /// The median of the first `count` elements, which are there.
  fileprivate func median(ofFirst count: Int) -> Double {
    let rank = (count - 1) / 2
    var low = 0
    var high = count - 1
    while low < high {
      let pivot = self[low + (high - low) / 2]
      var left = low
      var right = high
      while left <= right {
        while self[left] < pivot { left += 1 }
        while self[right] > pivot { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if rank <= right {
        high = right
      } else if rank >= left {
        low = left
      } else {
        return pivot
      }
    }
    return self[rank]
  }
}
