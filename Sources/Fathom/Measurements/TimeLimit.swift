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
