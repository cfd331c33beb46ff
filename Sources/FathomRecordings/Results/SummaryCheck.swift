extension RecordingSummary {
  /// Why the first number that no run of `process` can have written is impossible; nil if all are
  /// possible.
  ///
  /// Summaries are read back from files that anybody can change. Values that only appear in texts
  /// are not checked.
  var fault: String? {
    settings.fault(at: .keys) ?? request?.settings.fault(at: .keys)
      ?? invalid.map { "\($0) is out of range" }
  }

  /// The key of the first number besides the settings that is impossible.
  private var invalid: String? {
    if !Self.areCounts([rows.read, rows.used, rows.events, rows.rejected]) { return "rows" }
    if !Self.areCounts(rows.reasons.values) { return "rows.reasons" }
    if !Self.areCounts(decisions.values) { return "decisions" }
    if !Self.areCounts(positions.values) { return "positions" }
    if !Self.areCounts(links.map(\.ranges)) { return "links.ranges" }
    if !Self.areCounts(sources.map(\.bytes)) { return "sources.bytes" }
    if let time, !(time.startS <= time.endS) { return "time" }
    return consistency?.invalid.map { "consistency.\($0)" }
  }

  private static func areCounts(_ numbers: some Sequence<Int>) -> Bool {
    numbers.allSatisfy { (0...mostRows).contains($0) }
  }

  /// Bound of all counts: sums and products with small numbers do not overflow.
  private static let mostRows = 1 << 48
}

extension RecordingSummary.FilterConsistency {
  /// The key of the first number that cannot be right; nil if all are possible.
  fileprivate var invalid: String? {
    if !(meanNormalizedSquare >= 0) || !(sigmaScale >= 0) { return "mean_normalized_square" }
    if let median = medianNormalizedSquare, !(median >= 0) { return "median_normalized_square" }
    for (index, bin) in (timeline ?? []).enumerated() {
      guard bin.startS < bin.endS, bin.count > 0, bin.count <= innovations,
        bin.meanNormalizedSquare >= 0, max(bin.startS.magnitude, bin.endS.magnitude) <= 1e11,
        index == 0 || bin.startS >= (timeline?[index - 1].endS ?? 0) - 1e-3
      else { return "timeline" }
    }
    return innovations <= 1 << 48 ? nil : "innovations"
  }
}
