import FathomRecordings
import Foundation

/// What came of a stream so far: lines, usable rows, rejected rows with their reasons.
struct PageInput: Sendable {
  private var lines = 0
  private var used = 0
  private var rejected = 0
  private var ranges = 0
  private var received = ContinuousClock.now
  private var usedAt = ContinuousClock.now
  /// The first reason of all, and the first one since the last usable row; nil without one.
  private var firstReason: String?
  private var lastReason: String?
  /// The reasons that are known, by their kinds.
  private var reported: [String: Set<String>] = [:]
  private var unrecognisedSince: ContinuousClock.Instant?

  /// Reasons of one kind of which there are news, and kinds.
  private static let mostReasons = 8
  private static let mostKinds = 32
  /// Time in which the format of the first lines may be recognised, in seconds: some logs need several
  /// lines, which come at 10 Hz.
  private static let delay = Duration.milliseconds(500)

  /// Creates the counts before the first line.
  init() {}

  /// Counts the lines in `bytes`.
  mutating func read(_ bytes: [UInt8], at now: ContinuousClock.Instant) {
    if bytes.isEmpty { return }
    received = now
    lines += bytes.count { $0 == UInt8(ascii: "\n") }
  }

  /// Counts the rows of a batch; returns news about the reasons that did not occur before.
  mutating func add(_ results: LiveResults, at now: ContinuousClock.Instant) -> [String] {
    ranges += results.rangeCount
    used += results.usedCount
    rejected += results.rejectedCount
    if results.usedCount > 0 {
      // Of a recording that is replayed there are no lines.
      (received, usedAt, lastReason) = (now, now, nil)
    }
    return results.rejections.compactMap { row in
      let place = row.line.map { "line \($0): " } ?? ""
      return add(kind: row.kind, row.reason, place: place)
    }
  }

  /// Notes why no line can be used yet; nil once the format is recognised.
  ///
  /// - Returns: News about it, if it is new and the format had time to be recognised.
  mutating func add(_ row: LiveRejection?, at now: ContinuousClock.Instant) -> String? {
    guard let row else {
      unrecognisedSince = nil
      return nil
    }
    let since = unrecognisedSince ?? now
    unrecognisedSince = since
    guard now - since >= Self.delay else { return nil }
    return add(kind: row.kind, row.reason, place: "")
  }

  private mutating func add(kind: String, _ reason: String, place: String) -> String? {
    firstReason = firstReason ?? place + reason
    lastReason = lastReason ?? place + reason
    guard reported[kind] != nil || reported.count < Self.mostKinds,
      reported[kind, default: []].count < Self.mostReasons,
      reported[kind, default: []].insert(reason).inserted
    else { return nil }
    return "rejected: \(place)\(reason)"
  }

  /// Writes the counts.
  func write(at now: ContinuousClock.Instant, to json: inout JSONText) {
    json.add("r", Double(ranges), digits: 0)
    json.add("lines", Double(lines), digits: 0)
    json.add("used", Double(used), digits: 0)
    json.add("rejected", Double(rejected), digits: 0)
    json.add("quiet", (now - received) / .seconds(1), digits: 2)
    json.add("idle", (now - usedAt) / .seconds(1), digits: 2)
    if let firstReason { json.add("reason", firstReason) }
    if let lastReason { json.add("last", lastReason) }
  }
}
