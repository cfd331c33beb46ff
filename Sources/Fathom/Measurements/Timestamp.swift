/// An instant, counted in whole nanoseconds from an origin that the recording chooses.
///
/// Integer nanoseconds keep differences exact over 292 years either side of the origin, where
/// seconds in a `Double` lose a quarter of a microsecond at present epoch times.
@frozen
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Nanoseconds since the origin.
  public var nanoseconds: Int64

  /// The instant `nanoseconds` after the origin.
  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The instant `seconds` after the origin, to the nearest nanosecond.
  ///
  /// ## Edge cases
  /// Nil where `seconds` is not finite or lies beyond ±9.2e9 s (292 years).
  @inlinable
  public init?(seconds: Double) {
    guard let nanoseconds = Int64(exactly: (seconds * 1e9).rounded(.toNearestOrEven)) else {
      return nil
    }
    self.nanoseconds = nanoseconds
  }

  /// Seconds since the origin, to the precision of a `Double`.
  @inlinable
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Seconds from `earlier` to this instant; negative when this one is the earlier.
  ///
  /// Saturates where the difference exceeds 292 years.
  @inlinable
  public func seconds(since earlier: Timestamp) -> Double {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    if overflow { return earlier.nanoseconds < 0 ? 9.3e9 : -9.3e9 }
    return Double(difference) / 1e9
  }

  /// The instant `seconds` later, to the nearest nanosecond; saturates at the ends of the range.
  @inlinable
  public func advanced(bySeconds seconds: Double) -> Timestamp {
    guard let step = Int64(exactly: (seconds * 1e9).rounded(.toNearestOrEven)) else {
      return Timestamp(nanoseconds: seconds < 0 ? .min : .max)
    }
    let (sum, overflow) = nanoseconds.addingReportingOverflow(step)
    return Timestamp(nanoseconds: overflow ? (step < 0 ? .min : .max) : sum)
  }

  /// Whether `left` is the earlier instant.
  @inlinable
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

/// A span of time that others are compared with, to the same result as in seconds.
///
/// To ask whether more than so many seconds lie between two instants takes a quotient, which costs as much
/// as all else that is asked of a time. Quotients rise with what is divided: there is one largest number of
/// nanoseconds whose seconds are not more, and it can be found beforehand.
package struct TimeLimit: Sendable {
  /// The limit, seconds.
  package let seconds: Double
  /// The most nanoseconds that ``Timestamp/seconds(since:)`` does not count as more.
  private let nanoseconds: Int64

  /// The limit of `seconds`, more than -9.2e9; infinity or NaN for none.
  package init(seconds: Double) {
    self.seconds = seconds
    var (low, high) = (Int64.min, Int64.max)
    while low < high {
      // Their mean, rounded up.
      let middle = (low | high) - (low ^ high) >> 1
      if Double(middle) / 1e9 > seconds { high = middle - 1 } else { low = middle }
    }
    nanoseconds = low
  }

  /// Whether `later.seconds(since: earlier)` is more than ``seconds``.
  @inline(__always)
  package func isExceeded(from earlier: Timestamp, to later: Timestamp) -> Bool {
    let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(
      earlier.nanoseconds)
    return overflow ? later.seconds(since: earlier) > seconds : difference > nanoseconds
  }
}
