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
  public var window: Double { span.seconds }
  /// Spread at which the score's third factor is one half, metres.
  public let referenceSpread: Double

  private static let fewest = 5

  private let span: TimeLimit

  /// A range of the window.
  private struct Sample: Sendable {
    var time: Timestamp
    var distance: Double
  }

  /// The ranges of the window, a ring that begins at ``start``.
  private var samples: [Sample]
  /// Room for those that are no repeats, one after the other.
  private var changes: [Sample]
  /// Room for what medians are taken of.
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
    span = TimeLimit(seconds: window)
    self.referenceSpread = referenceSpread
    let none = Sample(time: Timestamp(nanoseconds: 0), distance: 0)
    samples = Array(repeating: none, count: capacity)
    changes = samples
    scratch = Array(repeating: 0, count: capacity)
  }

  /// Takes a range measured at `time`, metres; nil where there is none.
  public mutating func record(_ distance: Double?, at time: Timestamp) {
    guard let distance, let measured = MeasuredDistance.validated(distance) else { return }
    if let last, time < last {
      guard span.isExceeded(from: time, to: last) else { return }
      reset()
    }
    last = time
    removeOld(at: time)
    if count == samples.count { removeFirst() }
    samples[place(count)] = Sample(time: time, distance: measured)
    count += 1
  }

  /// The quality of the link over the window that ends at `now`.
  ///
  /// Where the last range is later than `now`, the window ends there. What is older than the window is
  /// gone for good.
  public mutating func quality(at now: Timestamp) -> LinkQuality {
    var now = now
    if let last, now <= last {
      // What is older went when that range came.
      now = last
    } else {
      removeOld(at: now)
    }
    var quality = LinkQuality()
    guard count >= 2 else { return quality }
    let span = samples[place(count - 1)].time.seconds(since: samples[start].time)
    if span > 0 { quality.rate = Double(count - 1) / span }
    guard count >= Self.fewest else { return quality }
    let changes = collectChanges()
    let hold = Double(count - changes) / Double(count - 1)
    quality.hold = hold
    quality.loss = loss(at: now)
    quality.spread = spread(of: changes)
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
    return slot < samples.count ? slot : slot - samples.count
  }

  private mutating func removeFirst() {
    previous = samples[start].time
    start = place(1)
    count -= 1
  }

  private mutating func removeOld(at now: Timestamp) {
    while count > 0, span.isExceeded(from: samples[start].time, to: now) { removeFirst() }
  }

  /// Puts the first range of the window and those that differ from the one before them into
  /// ``changes``, and says how many they are; there has to be one.
  private mutating func collectChanges() -> Int {
    changes[0] = samples[start]
    var found = 1
    var before = samples[start].distance
    for index in 1..<count {
      let sample = samples[place(index)]
      // Written in any case: a branch would often be guessed wrongly.
      changes[found] = sample
      found += sample.distance == before ? 0 : 1
      before = sample.distance
    }
    return found
  }

  private mutating func loss(at now: Timestamp) -> Double? {
    var intervals = 0
    for index in 1..<count {
      let interval = samples[place(index)].time.seconds(since: samples[place(index - 1)].time)
      guard interval > 0 else { continue }
      scratch[intervals] = interval
      intervals += 1
    }
    guard intervals >= Self.fewest - 1 else { return nil }
    var missing = 0.0
    let usual = scratch.lowerMedian(ofFirst: intervals)
    func missed(in interval: Double) -> Double {
      // Mostly none, which takes no quotient to see.
      interval < 1.4 * usual ? 0 : max((interval / usual).rounded() - 1, 0)
    }
    for index in 0..<intervals { missing += missed(in: scratch[index]) }
    missing += missed(in: now.seconds(since: samples[place(count - 1)].time))
    if let previous {
      let first = samples[start].time
      missing += missed(
        in: min(first.seconds(since: previous), window - now.seconds(since: first)))
    }
    return missing / (missing + Double(intervals + 1))
  }

  /// The spread by the first `count` of ``changes``.
  private mutating func spread(of count: Int) -> Double? {
    let residuals = count - 2
    guard residuals >= Self.fewest - 2 else { return nil }
    // Two at a time, since it takes as long to divide one number as two; the last alone twice.
    for first in stride(from: 0, to: residuals, by: 2) {
      let second = min(first + 1, residuals - 1)
      let (left, other) = (changes[first], changes[second])
      let (middle, next) = (changes[first + 1], changes[second + 1])
      let (right, last) = (changes[first + 2], changes[second + 2])
      let span = SIMD2(
        right.time.seconds(since: left.time), last.time.seconds(since: other.time))
      let elapsed = SIMD2(
        middle.time.seconds(since: left.time), next.time.seconds(since: other.time))
      let share = (elapsed / span).replacing(with: 0.5, where: span .<= 0)
      let start = SIMD2(left.distance, other.distance)
      let line = start + (SIMD2(right.distance, last.distance) - start) * share
      let norm = (1 + share * share + (1 - share) * (1 - share)).squareRoot()
      let residual = (SIMD2(middle.distance, next.distance) - line) / norm
      scratch[first] = residual[0].magnitude
      scratch[second] = residual[1].magnitude
    }
    return 1.4826 * scratch.lowerMedian(ofFirst: residuals)
  }
}
