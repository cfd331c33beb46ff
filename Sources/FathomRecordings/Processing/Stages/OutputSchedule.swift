import Fathom

/// When the positions of a tag are output: after the last range of an instant, every second while there
/// are no ranges, or at every step of a fixed grid.
///
/// ```swift
/// while let instant = schedule.next(before: range.time) { output(at: instant) }
/// schedule.expect(range.time)
/// ```
struct OutputSchedule: Sendable {
  /// The instant of the last range, whose position is still to be output.
  ///
  /// On a grid it is kept while the output continues beyond it.
  private var pending: Timestamp?
  /// Whether positions are output while there are no ranges.
  private let continuesInGaps: Bool
  /// The last instant with ranges that was output, at which the gap began.
  private var gapStart: Timestamp?
  /// Number of seconds of the gap that were output.
  private var gapSeconds = 0
  /// The instant of the tag's last range, after which no position is output.
  private let end: Timestamp
  /// Step of the grid, nanoseconds; nil for one position per instant.
  private let step: Int64?
  /// The last grid instant that was output.
  private var written: Timestamp?

  /// The longest time for which positions without ranges are output, seconds.
  private static let longestHold = 60

  /// Creates the schedule of a tag.
  ///
  /// `end` is the instant of its last range, nil if it is unknown; `rateHz` is the rate of the
  /// grid, nil for one position per instant. With `continuesInGaps`, positions are output while
  /// there are no ranges.
  init(end: Timestamp?, rateHz: Double?, continuesInGaps: Bool) {
    self.end = end ?? Timestamp(nanoseconds: .max)
    self.continuesInGaps = continuesInGaps
    step = rateHz.map { max(1, Int64((1e9 / $0).rounded())) }
  }

  /// Expects a position at `time`, after all instants before it.
  mutating func expect(_ time: Timestamp) { pending = time }

  /// Ends a gap without further positions, because the motion of the tag in it is unknown.
  mutating func interrupt() { gapStart = nil }

  /// Returns the next instant before `time` at which a position is due; nil if all are later.
  ///
  /// All later ranges are at `time` or after.
  mutating func next(before time: Timestamp) -> Timestamp? {
    guard let step else {
      if let instant = pending, instant < time {
        pending = nil
        gapStart = continuesInGaps ? instant : nil
        gapSeconds = 0
        return instant
      }
      guard pending == nil, let gapStart else { return nil }
      return next(since: gapStart, before: time)
    }
    guard let instant = pending, instant < time else { return nil }
    // Now, not at the end of the recording: positions of other tags follow in order of time.
    guard instant < end else { return last() }
    let limit = min(time, end, instant.advanced(bySeconds: RecordingLimits.longestGridCoast))
    guard let next = gridInstant(from: instant, step: step), next < limit else { return nil }
    written = next
    return next
  }

  /// Returns the instant of the last range if its position is due; call after ``next(before:)``, at the
  /// end.
  mutating func last() -> Timestamp? {
    guard let instant = pending else { return nil }
    pending = nil
    if let step, gridInstant(from: instant, step: step) != instant { return nil }
    return instant
  }

  /// Returns the next full second of a gap, up to ``longestHold``.
  private mutating func next(since begin: Timestamp, before time: Timestamp) -> Timestamp? {
    // Returns early in the usual case: the next range arrives within a second.
    let (second, overflows) = begin.nanoseconds.addingReportingOverflow(1_000_000_000)
    if gapSeconds == 0, overflows || time.nanoseconds <= second { return nil }
    guard gapSeconds < Self.longestHold else {
      gapStart = nil
      return nil
    }
    let instant = begin.advanced(bySeconds: Double(gapSeconds + 1))
    guard instant < time, instant < end else { return nil }
    gapSeconds += 1
    return instant
  }

  /// Returns the first grid instant at or after `instant` that was not output yet; nil if it
  /// exceeds the range of time stamps.
  ///
  /// Grid instants are multiples of the step, so the grids of different tags coincide.
  private func gridInstant(from instant: Timestamp, step: Int64) -> Timestamp? {
    let sum: (partialValue: Int64, overflow: Bool)
    if let last = written, last >= instant {
      sum = last.nanoseconds.addingReportingOverflow(step)
    } else {
      let remainder = instant.nanoseconds % step
      sum = instant.nanoseconds.addingReportingOverflow(
        remainder > 0 ? step - remainder : -remainder)
    }
    return sum.overflow ? nil : Timestamp(nanoseconds: sum.partialValue)
  }
}
