/// A range that one tag measured to another.
public struct TagRange: Sendable, Equatable, Codable {
  /// The time of the measurement.
  public var time: Timestamp
  /// The index of the tag that measured.
  public var first: Int
  /// The index of the tag that responded.
  public var second: Int
  /// The measured distance, in metres.
  public var distance: Double
  /// Standard deviation of the distance, in metres; nil when unknown.
  public var sigma: Double?

  /// Creates a range of `distance` metres between the tags of two indices.
  public init(
    time: Timestamp, between first: Int, and second: Int, distance: Double, sigma: Double? = nil
  ) {
    self.time = time
    self.first = first
    self.second = second
    self.distance = distance
    self.sigma = sigma
  }

  /// Whether distance and standard deviation are usable numbers and the tags are different ones of
  /// `count`.
  package func isUsable(among count: Int) -> Bool {
    first != second && (0..<count).contains(first) && (0..<count).contains(second)
      && MeasuredDistance.validated(distance) != nil
      && sigma.map { $0 > 0 && $0.isFinite } ?? true
  }
}

/// The last range of every pair of tags: repeated readings and the time between ranges.
struct TagPairHistory: Sendable {
  private struct Latest: Sendable {
    var distance: Double
    var time: Timestamp
  }

  private var latest: [Int: Latest] = [:]
  private let count: Int

  init(count: Int) { self.count = count }

  /// Records a range, whichever of the two tags measured it.
  ///
  /// - Returns: The time since the last range of the pair, in seconds, infinite without one; nil for a
  ///   repeated reading.
  mutating func interval(of range: TagRange, _ errors: RangeErrors) -> Double? {
    let key = min(range.first, range.second) * count + max(range.first, range.second)
    guard let last = latest[key] else {
      latest[key] = Latest(distance: range.distance, time: range.time)
      return .infinity
    }
    let elapsed = range.time.seconds(since: last.time)
    if last.distance == range.distance, errors.isRepetition(after: elapsed) { return nil }
    latest[key] = Latest(distance: range.distance, time: range.time)
    // Both tags may report one exchange, each with its own rounding.
    return max(elapsed, 0)
  }
}

extension RangeErrors {
  /// Returns the variance of an independent error with the same effect as that of a range, in m².
  ///
  /// `sigma` is nil for the assumed one. `interval` is the time since the last range of the pair in
  /// seconds; infinite without one.
  func variance(ofTagRange sigma: Double?, interval: Double) -> Double {
    let ratio = (sigma ?? self.sigma) / self.sigma
    return ratio * ratio * effectiveVariance(interval: max(interval, 1e-3))
  }
}
