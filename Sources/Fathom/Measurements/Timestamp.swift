/// An instant, in whole nanoseconds from an origin that the recording chooses.
///
/// Integer nanoseconds keep differences exact over 292 years either side of the origin. Seconds in
/// a `Double` lose a quarter of a microsecond at present Unix times.
@frozen
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Nanoseconds since the origin.
  public var nanoseconds: Int64

  /// Creates the instant `nanoseconds` after the origin.
  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Creates the instant `seconds` after the origin, rounded to the nearest nanosecond.
  ///
  /// ## Edge cases
  /// Returns nil when `seconds` is not finite or lies beyond ±9.2e9 s (292 years).
  @inlinable
  public init?(seconds: Double) {
    guard let nanoseconds = Int64(exactly: (seconds * 1e9).rounded(.toNearestOrEven)) else {
      return nil
    }
    self.nanoseconds = nanoseconds
  }

  /// Seconds since the origin, to `Double` precision.
  @inlinable
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Returns the seconds from `earlier` to this instant, negative when this instant is the earlier
  /// one.
  ///
  /// Saturates when the difference exceeds 292 years.
  @inlinable
  public func seconds(since earlier: Timestamp) -> Double {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    if overflow { return earlier.nanoseconds < 0 ? 9.3e9 : -9.3e9 }
    return Double(difference) / 1e9
  }

  /// Returns the instant `seconds` later, to the nearest nanosecond, saturating at the ends of the
  /// range.
  @inlinable
  public func advanced(bySeconds seconds: Double) -> Timestamp {
    guard let step = Int64(exactly: (seconds * 1e9).rounded(.toNearestOrEven)) else {
      return Timestamp(nanoseconds: seconds < 0 ? .min : .max)
    }
    let (sum, overflow) = nanoseconds.addingReportingOverflow(step)
    return Timestamp(nanoseconds: overflow ? (step < 0 ? .min : .max) : sum)
  }

  /// Returns whether `left` is the earlier instant.
  @inlinable
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

/// A limit for time differences, with the same result as a comparison in seconds.
///
/// Comparing a difference in seconds takes a division, which costs as much as all other operations
/// on a time. The quotient is monotonic in the number of nanoseconds. The largest number of
/// nanoseconds within the limit is therefore found once, when the limit is created.
package struct TimeLimit: Sendable {
  /// The limit, seconds.
  package let seconds: Double
  /// The largest difference that ``Timestamp/seconds(since:)`` does not report as above the limit.
  private let nanoseconds: Int64

  /// Creates a limit of `seconds`, more than -9.2e9; infinity and NaN disable it.
  package init(seconds: Double) {
    self.seconds = seconds
    var (low, high) = (Int64.min, Int64.max)
    while low < high {
      // Their mean, rounded up, without overflow.
      let middle = (low | high) - (low ^ high) >> 1
      if Double(middle) / 1e9 > seconds { high = middle - 1 } else { low = middle }
    }
    nanoseconds = low
  }

  /// Returns whether `later.seconds(since: earlier)` exceeds ``seconds``.
  @inline(__always)
  package func isExceeded(from earlier: Timestamp, to later: Timestamp) -> Bool {
    let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(
      earlier.nanoseconds)
    return overflow ? later.seconds(since: earlier) > seconds : difference > nanoseconds
  }
}

extension Array {
  /// Returns the indices in order of time; those of simultaneous elements keep their order.
  @inlinable
  package func indicesByTime(_ time: (Element) -> Timestamp) -> [Int] {
    for index in indices.dropFirst() where time(self[index]) < time(self[index - 1]) {
      return indices.sorted { (time(self[$0]), $0) < (time(self[$1]), $1) }
    }
    return [Int](indices)
  }

  /// Returns the elements in order of time; simultaneous ones keep their order.
  @inlinable
  package func sortedByTime(_ time: (Element) -> Timestamp) -> [Element] {
    indicesByTime(time).map { self[$0] }
  }
}
