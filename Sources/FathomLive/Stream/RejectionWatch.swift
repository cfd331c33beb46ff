import FathomRecordings

/// Watches whether all lines of a stream are rejected, and for which reasons.
///
/// A usable row ends the watch; it begins again with the next rejected row.
struct RejectionWatch {
  /// When the first of the lines was rejected; nil before it.
  private var since: ContinuousClock.Instant?
  /// The reasons without a message so far, in the order of the lines.
  private var waiting: [LiveRejection] = []
  /// The kinds of the reasons so far.
  private var kinds: Set<String> = []
  private var isReported = false

  /// Time in which all lines are rejected before a message: longer than the lines before the first usable
  /// one take when a program connects to a stream, shorter than a user waits for the first position.
  static let delay = Duration.seconds(2)
  /// The most reasons with a message while no row is usable.
  private static let mostReasons = 8

  /// Creates a watch before the first line.
  init() {}

  /// Adds the next lines of the stream: the number of usable rows, and the first rejected row of
  /// each reason.
  mutating func add(used: Int, rejected: [LiveRejection], at now: ContinuousClock.Instant) {
    if used > 0 { self = Self() }
    guard used == 0, !rejected.isEmpty else { return }
    since = since ?? now
    for row in rejected where kinds.count < Self.mostReasons && kinds.insert(row.kind).inserted {
      waiting.append(row)
    }
  }

  /// Returns the message that is due; nil without one.
  ///
  /// It states the first reason, and later each reason that did not occur before.
  mutating func message(at now: ContinuousClock.Instant) -> String? {
    guard let since, now - since >= Self.delay, !waiting.isEmpty else { return nil }
    let next = waiting.removeFirst()
    let place = next.line.map { "line \($0): " } ?? ""
    defer { isReported = true }
    return isReported
      ? "warning: lines are also rejected for another reason: \(place)\(next.reason)"
      : "warning: all lines of the last \(Self.delay.components.seconds) s are rejected:"
        + " \(place)\(next.reason)"
  }
}
