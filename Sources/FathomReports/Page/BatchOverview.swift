import FathomRecordings

/// The recordings of a batch in one table, the worst first.
struct BatchOverview: Sendable, Equatable {
  /// The recordings, the worst first.
  let entries: [BatchManifest.Entry]

  /// Number of rows in the table of recordings; `batch.csv` has all of them.
  static let mostRows = 5000

  /// Creates the overview of `entries`.
  ///
  /// Worst are recordings that failed, then those without positions, with the most diagnoses, with
  /// the largest share of instants without a certain position, with the largest share of rejected
  /// rows, and with the most warnings.
  init(_ entries: [BatchManifest.Entry]) {
    let ranked = entries.map { (entry: $0, rank: $0.badness) }
    self.entries =
      ranked.sorted { left, right in
        left.rank == right.rank
          ? left.entry.name < right.entry.name
          : right.rank.lexicographicallyPrecedes(left.rank)
      }.map(\.entry)
  }

  /// The section of the page.
  var section: ReportPage.Section {
    ReportPage.Section(
      identifier: "overview", heading: "Overview", facts: facts,
      tables: [diagnosisTable, recordingTable].compactMap { $0 })
  }

  private var facts: [ReportPage.Fact] {
    func count(_ condition: (BatchManifest.Entry) -> Bool) -> String {
      "\(entries.count(where: condition))"
    }
    let rows = entries.reduce(0) { $0 + ($1.rows?.read ?? 0) }
    let positions = entries.reduce(0) { $0 + ($1.positionCounts?.located ?? 0) }
    return [
      ReportPage.Fact(term: "recordings", value: "\(entries.count)"),
      ReportPage.Fact(term: "failed", value: count { $0.failure != nil }),
      ReportPage.Fact(term: "without positions", value: count { $0.positionCounts?.located == 0 }),
      ReportPage.Fact(term: "with diagnoses", value: count { $0.diagnoses != nil }),
      ReportPage.Fact(term: "rows read", value: "\(rows)"),
      ReportPage.Fact(term: "positions", value: "\(positions)"),
    ]
  }

  private var diagnosisTable: ReportPage.Table? {
    var counts: [String: Int] = [:]
    for code in entries.flatMap({ ($0.diagnoses ?? [:]).keys }) { counts[code, default: 0] += 1 }
    if counts.isEmpty { return nil }
    let rows = counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
    return ReportPage.Table(
      "Diagnoses", ["diagnosis", "recordings#"], rows.map { [$0.key, "\($0.value)"] })
  }

  private var recordingTable: ReportPage.Table {
    let rows = entries.prefix(Self.mostRows).map(Self.row)
    var remark =
      "Uncertain: instants whose position is ambiguous, inconsistent or not determined yet."
    if entries.count > Self.mostRows {
      remark +=
        " Shown are the worst \(Self.mostRows) of \(entries.count) recordings; batch.csv has all."
    }
    return ReportPage.Table(
      "Recordings, worst first",
      [
        "recording", "status", "rows#", "rejected, %#", "positions#", "uncertain, %#", "noise, m#",
        "mean NIS#", "diagnoses", "warnings#", "error",
      ], rows, remark: remark)
  }

  private static func row(_ entry: BatchManifest.Entry) -> [String] {
    let counts = entry.positionCounts
    let doubtful = counts.map { $0.uncertain + $0.starting }
    let instants = counts.map { $0.located + $0.starting }
    return [
      entry.name, entry.failure == nil ? "done" : "failed", text(entry.rows?.read),
      share(entry.rows?.rejected, of: entry.rows?.read), text(counts?.located),
      share(doubtful, of: instants), entry.noiseM.text(decimals: 3),
      entry.meanNis.text(decimals: 2),
      (entry.diagnoses ?? [:]).keys.sorted().joined(separator: ", "), text(entry.warnings),
      entry.failure?.message ?? "",
    ]
  }

  private static func text(_ count: Int?) -> String { count.map { "\($0)" } ?? "–" }

  private static func share(_ part: Int?, of whole: Int?) -> String {
    guard let part, let whole, whole > 0 else { return "–" }
    return (100 * Double(part) / Double(whole)).text(decimals: 1)
  }
}

extension BatchManifest.Entry {
  /// Numbers that are larger for a worse recording, the most important first.
  fileprivate var badness: [Double] {
    let counts = positionCounts
    let instants = max(1, (counts?.located ?? 0) + (counts?.starting ?? 0))
    let doubtful = (counts?.uncertain ?? 0) + (counts?.starting ?? 0)
    return [
      failure == nil ? 0 : 1, counts?.located == 0 ? 1 : 0, Double(diagnoses?.count ?? 0),
      Double(doubtful) / Double(instants),
      Double(rows?.rejected ?? 0) / Double(max(1, rows?.read ?? 0)), Double(warnings ?? 0),
    ]
  }
}
