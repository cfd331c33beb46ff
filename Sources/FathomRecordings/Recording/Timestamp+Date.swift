import Fathom
import Foundation

/// Instants of the calendar, for time stamps that count from the Unix epoch, 1970-01-01 00:00 UTC.
extension Timestamp {
  /// Creates the instant of a date, rounded to the nearest nanosecond.
  ///
  /// ## Edge cases
  /// Dates in this century are exact to about 0.1 µs, the precision of `Date`. Beyond the years 1677 and
  /// 2262 the result is the earliest or the latest time stamp.
  public init(_ date: Date) {
    let seconds = date.timeIntervalSince1970
    let nanoseconds = (seconds * 1e9).rounded()
    if nanoseconds >= 0x1p63 {
      self.init(nanoseconds: .max)
    } else if nanoseconds >= -0x1p63 {
      self.init(nanoseconds: Int64(nanoseconds))
    } else {
      self.init(nanoseconds: .min)
    }
  }

  /// The date of a time stamp that counts from the Unix epoch.
  public var date: Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }
}
