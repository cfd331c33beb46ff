import FathomRecordings

/// Notices that all lines of a stream have been rejected for some time.
struct RejectionWatch {
  private var since: ContinuousClock.Instant?
  private var count = 0
  private var first: String?
  /// The kind of the reason that was reported last.
  private var reported: String?

  /// Time in which every line must be rejected.
  static let period = Duration.seconds(2)

  /// Adds the results of a batch that came at `now`.
  ///
  /// - Returns: A message, if one is due.
  mutating func add(_ results: LiveResults, at now: ContinuousClock.Instant) -> String? {
    if results.usedCount > 0 {
      (since, count, first) = (nil, 0, nil)
      return nil
    }
    count += results.rejectedCount
    guard let row = results.firstRejected else { return nil }
    first = first ?? "line \(row.line): \(row.reason)"
    return add(kind: row.kind, at: now)
  }

  /// Notes that lines wait at `now` which no format recognises, for `reason`.
  ///
  /// - Returns: A message, if one is due.
  mutating func wait(_ reason: String, at now: ContinuousClock.Instant) -> String? {
    first = first ?? reason
    return add(kind: reason, at: now)
  }

  private mutating func add(kind: String, at now: ContinuousClock.Instant) -> String? {
    guard let start = since else {
      since = now
      return nil
    }
    guard now - start >= Self.period, kind != reported, let text = first else { return nil }
    defer { (since, count, first, reported) = (now, 0, nil, kind) }
    let lines = count == 0 ? "no line" : "none of the last \(count) lines"
    return "warning: \(lines) could be used; \(text)"
  }
}
