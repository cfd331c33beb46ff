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
