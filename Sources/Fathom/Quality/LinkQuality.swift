/// The delivery quality of a link over a time window; a value is nil if there are too few ranges.
public struct LinkQuality: Sendable, Equatable {
  /// Ranges per second between the first and the last range of the window.
  public var rate: Double?
  /// Fraction of the expected ranges that are missing, 0...1.
  public var loss: Double?
  /// Robust standard deviation of the ranges about a locally constant rate, in metres.
  public var spread: Double?
  /// Fraction of the ranges that are bitwise equal to the previous one, 0...1.
  public var hold: Double?
  /// (1 - loss) (1 - hold) / (1 + (spread / reference spread)²), 0...1; 0 for a link that only
  /// repeats.
  public var score: Double?

  /// Returns the score, 0...1, of a link whose ranges agree with the track in the given share.
  ///
  /// It is the lesser of both: a link that delivers all its ranges without noise is of no use if
  /// they are wrong. Nil if `score`, that of the link alone, is unknown; `consistent` is nil
  /// without a track.
  package static func score(_ score: Double?, consistent: Double?) -> Double? {
    score.map { min($0, consistent ?? 1) }
  }
}

/// Computes statistics of one link's ranges over a sliding window, for recordings at any rate.
///
/// ``MeasurementQualityEstimator`` has fixed thresholds; this estimator measures a link relative to
/// its own interval and noise:
///
/// - **Loss.** The median T of the intervals between successive instants is the link's own
///   interval. An interval Δ contains round(Δ/T) - 1 missing ranges. A silence at either end of the
///   window counts likewise if a range came before it. The loss is the number of missing ranges
///   divided by the missing ranges plus the instants with ranges. A link that evenly loses more
///   than half of its ranges is indistinguishable from a slower one.
/// - **Spread.** Each range is compared with the straight line between its neighbours in time. The
///   residual is divided by √(1 + u² + (1 - u)²), where u is its relative position between them. It
///   then has the variance of a range, and any constant rate cancels [Gasser et al. 1986]. 1.4826
///   times the median magnitude is the standard deviation of Gaussian noise. The estimate tolerates
///   outliers up to a sixth of the ranges, since each affects three residuals. Repeats are
///   excluded, because they contain no new noise.
/// - **Hold.** Phones and gateways repeat the last range when there is no new one.
///
/// ## Edge cases
/// Absent distances (nil, or absent by the rules of ``MeasuredDistance``) are missing ranges and
/// raise the loss. Loss and hold need five ranges, loss five different instants, spread five ranges
/// that are not repeats. The median of an even number of values is the lower of the two middle
/// ones. A range with a time stamp before the last one is rejected; a step back by more than the
/// window resets the estimator. Equal time stamps are one instant with several ranges.
///
/// `record` has amortised constant cost; `quality` has an average cost linear in the number of
/// ranges in the window. Both run without allocation; `init` allocates.
public struct LinkQualityEstimator: Sendable {
  /// Length of the window, in seconds.
  public var window: Double { span.seconds }
  /// Spread at which the third factor of the score is one half, in metres.
  public let referenceSpread: Double

  private static let fewest = 5

  private let span: TimeLimit
  private let capacity: Int

  /// A range in the window.
  private struct Sample: Sendable {
    var time: Timestamp
    var distance: Double
  }

  /// The ranges of the window: a ring buffer that begins at ``start``.
  private var samples: [Sample]
  /// Buffer for the ranges that are not repeats, in order.
  private var changes: [Sample]
  /// Buffer for the values of a median.
  private var scratch: [Double]
  private var start = 0
  private var count = 0
  /// The time of the newest range that has left the window.
  private var previous: Timestamp?
  private var last: Timestamp?

  /// Creates an estimator for one link, without ranges.
  ///
  /// - Parameters:
  ///   - window: The length of the window in seconds, above 0 and finite.
  ///   - capacity: The maximum number of ranges in the window, at least 8. If more arrive, the
  ///     effective window is shorter.
  ///   - referenceSpread: The reference spread in metres, above 0 and finite.
  public init(window: Double = 5, capacity: Int = 512, referenceSpread: Double = 0.3) {
    precondition(window > 0 && window.isFinite, "window must be positive and finite")
    precondition(capacity >= 8, "capacity must be at least 8")
    precondition(
      referenceSpread > 0 && referenceSpread.isFinite, "referenceSpread must be positive and finite"
    )
    span = TimeLimit(seconds: window)
    self.referenceSpread = referenceSpread
    self.capacity = capacity
    samples = Array(repeating: Self.none, count: Self.firstCapacity)
    changes = samples
    scratch = Array(repeating: 0, count: Self.firstCapacity)
  }

  /// A link with few ranges must not need the memory of a full window: there may be millions.
  private static let firstCapacity = 8
  private static let none = Sample(time: Timestamp(nanoseconds: 0), distance: 0)

  /// Doubles the memory, up to the capacity.
  private mutating func grow() {
    let more = min(2 * samples.count, capacity)
    var next = Array(repeating: Self.none, count: more)
    for index in 0..<count { next[index] = samples[place(index)] }
    samples = next
    start = 0
    changes = next
    scratch = Array(repeating: 0, count: more)
  }

  /// Records a range measured at `time`, in metres; nil without one.
  public mutating func record(_ distance: Double?, at time: Timestamp) {
    guard let distance, let measured = MeasuredDistance.validated(distance) else { return }
    if let last, time < last {
      guard span.isExceeded(from: time, to: last) else { return }
      reset()
    }
    last = time
    removeOld(at: time)
    if count == samples.count {
      if count < capacity { grow() } else { removeFirst() }
    }
    samples[place(count)] = Sample(time: time, distance: measured)
    count += 1
  }

  /// Returns the quality of the link over the window that ends at `now`.
  ///
  /// If the last range is later than `now`, the window ends at the last range. Ranges older than
  /// the window are permanently removed.
  public mutating func quality(at now: Timestamp) -> LinkQuality {
    var now = now
    if let last, now <= last {
      // Recording that range removed the older ones.
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

  /// Removes all ranges.
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

  /// Copies the first range of the window and all ranges that differ from the previous one into
  /// ``changes``.
  ///
  /// Returns their number. The window must contain a range.
  private mutating func collectChanges() -> Int {
    changes[0] = samples[start]
    var found = 1
    var before = samples[start].distance
    for index in 1..<count {
      let sample = samples[place(index)]
      // Written unconditionally: a branch would often be mispredicted.
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
      // The usual case of no missing range needs no division.
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

  /// Returns the spread of the first `count` ranges of ``changes``.
  private mutating func spread(of count: Int) -> Double? {
    let residuals = count - 2
    guard residuals >= Self.fewest - 2 else { return nil }
    // Two at a time: one SIMD division takes as long as a scalar one. A single last one is done
    // twice.
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
