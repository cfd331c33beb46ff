/// Tells a clock that has stepped back from single ranges with a wrong time.
///
/// Without it one stray time stamp far ahead, or a clock that is set back, would make all later ranges
/// permanently late.
package struct ClockStep: Sendable {
  private var last: Timestamp?
  private var count = 0

  /// The number of ranges in a row, in order of time, that confirm a step.
  private static let confirmations = 3

  /// Creates the evidence of no late range.
  package init() {}

  /// Whether a range in time would show that the clock has not stepped back.
  package var isPending: Bool { count > 0 }

  /// Adds the time of a range before the newest one; returns whether the clock has stepped back by
  /// more than `limit` seconds.
  package mutating func isConfirmed(by time: Timestamp, newest: Timestamp, limit: Double) -> Bool {
    guard newest.seconds(since: time) > limit else { return false }
    if let last, time >= last, time.seconds(since: last) <= limit {
      count += 1
    } else {
      count = 1
    }
    last = time
    guard count >= Self.confirmations else { return false }
    self = Self()
    return true
  }
}
