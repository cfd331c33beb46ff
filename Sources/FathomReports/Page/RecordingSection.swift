import FathomEvaluation
import FathomRecordings
import Foundation

extension RecordedResults {
  /// The key figures of the recording.
  var facts: [ReportPage.Fact] {
    var facts = [
      ReportPage.Fact(term: "method", value: summary.settings.method.rawValue),
      ReportPage.Fact(term: "duration", value: "\(duration.text(decimals: 1)) s"),
      ReportPage.Fact(term: "rows read", value: "\(summary.rows.read)"),
      ReportPage.Fact(term: "rows rejected", value: "\(summary.rows.rejected)"),
      ReportPage.Fact(term: "ranges used", value: usedRanges),
      ReportPage.Fact(
        term: "positions",
        value: "\(positions.position.count { $0.array.contains(where: \.isFinite) })"),
    ]
    if let height = summary.settings.heightM {
      facts.append(ReportPage.Fact(term: "known height", value: "\(height.text(decimals: 2)) m"))
    }
    if let side = summary.settings.side {
      facts.append(ReportPage.Fact(term: "side of the anchors", value: side.rawValue))
    }
    if let accuracy = evaluation?.accuracy {
      facts.append(
        ReportPage.Fact(term: "RMSE", value: "\(accuracy.rmseM.text(decimals: 3)) m"))
      facts.append(
        ReportPage.Fact(term: "95 % of errors", value: "≤ \(accuracy.p95M.text(decimals: 3)) m"))
    }
    if let consistency = summary.consistency {
      facts.append(
        ReportPage.Fact(
          term: "mean NIS (1)", value: consistency.meanNormalizedSquare.text(decimals: 2)))
      if let median = consistency.medianNormalizedSquare {
        facts.append(
          ReportPage.Fact(term: "median NIS (0.45)", value: median.text(decimals: 2)))
      }
    }
    return facts
  }

  /// The number of ranges that contributed to positions, of all.
  private var usedRanges: String {
    let kinds: [DistanceColumns.Decision] = [.used, .discounted, .nonLineOfSight, .starting]
    let used = kinds.reduce(0) { $0 + (summary.decisions[$1.word] ?? 0) }
    return "\(used) of \(summary.decisions.values.reduce(0, +))"
  }

  /// When the recording was made, if its times are those of a clock.
  var recorded: String? {
    // From 2001 to 2100, in seconds since 1970.
    guard let start = summary.time?.startS, (1e9..<4.1e9).contains(start) else { return nil }
    return "recorded \(Date(timeIntervalSince1970: start).formatted(.iso8601))"
  }

  /// What the recording is, in one line.
  var lead: String? {
    let parts = [summary.remarks, recorded].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// Diagnoses, warnings and notes of the summary, then those of the report.
  var messages: [ReportPage.Message] {
    let diagnosed = summary.diagnoses?.count ?? 0
    return summary.warnings.enumerated().map {
      ReportPage.Message(kind: $0.offset < diagnosed ? "diagnosis" : "warning", text: $0.element)
    } + (summary.notes + notes).map { ReportPage.Message(kind: "note", text: $0) }
  }

  /// Returns the tables of the recording, long ones and details folded.
  func tables(_ changes: [LinkChange]) -> [ReportPage.Table] {
    var tables: [ReportPage.Table] = []
    func add(_ table: ReportPage.Table?, isFolded: Bool) {
      guard var table else { return }
      table.isFolded = isFolded
      tables.append(table)
    }
    add(accuracyTable, isFolded: false)
    add(changeTable(changes), isFolded: false)
    add(errorTable, isFolded: true)
    if !summary.links.isEmpty {
      add(linkTable, isFolded: summary.links.count > Self.mostOpenRows)
    }
    add(countTable, isFolded: true)
    return tables
  }

  private var accuracyTable: ReportPage.Table? {
    guard let evaluation, let accuracy = evaluation.accuracy else { return nil }
    let headings = [
      "error", "n#", "RMSE, m#", "mean, m#", "median, m#", "68 %, m#", "95 %, m#", "99 %, m#",
      "largest, m#",
    ]
    func row(_ name: String, _ accuracy: PositionAccuracy) -> [String] {
      [name, "\(accuracy.n)"]
        + [
          accuracy.rmseM, accuracy.meanM, accuracy.medianM, accuracy.p68M, accuracy.p95M,
          accuracy.p99M, accuracy.maxM,
        ].map { $0.text(decimals: 3) }
    }
    var rows = [row(isHorizontal ? "horizontal" : "spatial", accuracy)]
    // x and y in the device frame are not horizontal.
    if !isHorizontal, !isRelative {
      if let horizontal = evaluation.horizontal { rows.append(row("horizontal", horizontal)) }
      if let vertical = evaluation.vertical { rows.append(row("vertical", vertical)) }
    }
    if evaluation.accuracyByTag.count > 1 {
      for (tag, accuracy) in evaluation.accuracyByTag.sorted(by: { $0.key < $1.key }) {
        rows.append(row(tag, accuracy))
      }
    }
    return ReportPage.Table("Accuracy", headings, rows, remark: accuracyRemark(evaluation))
  }

  private func accuracyRemark(_ evaluation: TrajectoryEvaluation) -> String {
    var remark =
      "Coverage: \((100 * evaluation.availability.coverage).text(decimals: 1)) % of truth seconds."
    if let consistency = evaluation.consistency {
      remark +=
        " Mean normalised error squared per dimension: \(consistency.meanPerDof.text(decimals: 2))"
        + " (1 when the covariances are right, more when they are too small);"
        + " \((100 * consistency.shareInside95).text(decimals: 1)) % of the errors lie in their 95 % region."
    }
    let left = evaluation.counts.unmatched
    if left > 0 {
      remark +=
        " \(Figure.counted(left, "position has", "positions have")) no truth at"
        + " \(left == 1 ? "its" : "their") time or no coordinates."
    }
    return remark
  }

  private var linkTable: ReportPage.Table {
    let fits = anchors.isEmpty ? [] : fitResiduals
    let errors = rangeErrors
    var headings = [
      "link", "ranges#", "rate, Hz#", "loss, %#", "spread, m#", "repeated, %#", "consistent, %#",
      "score#",
    ]
    if !fits.isEmpty { headings += ["residual, m#", "its sigma, m#"] }
    if !errors.isEmpty { headings += ["range error, m#", "its sigma, m#"] }
    let rows = summary.links.prefix(Self.mostLinkRows).map { link in
      var row = [
        "\(link.tag) – \(link.anchor)", "\(link.ranges)", link.rateHz.text(decimals: 1),
        link.loss.map { 100 * $0 }.text(decimals: 1), link.spreadM.text(decimals: 3),
        link.hold.map { 100 * $0 }.text(decimals: 1),
        link.consistent.map { 100 * $0 }.text(decimals: 1), link.score.text(decimals: 2),
      ]
      for residuals in [fits, errors] where !residuals.isEmpty {
        let mine = residuals.first { $0.tag == link.tag && $0.anchor == link.anchor }
        row += [mine?.median.text(decimals: 3) ?? "–", mine?.robustSigma.text(decimals: 3) ?? "–"]
      }
      return row
    }
    var remark =
      "Loss, spread, repeated values and score are means over windows of 5 s. Consistent are ranges with"
      + " at least half of their weight in the positions; the score is at most their share."
    if !fits.isEmpty {
      remark +=
        " Residuals are relative to the estimated positions"
        + (errors.isEmpty ? "" : ", errors to truth")
        + ": median and robust standard deviation."
    }
    if summary.links.count > Self.mostLinkRows {
      remark += " Shown are the first \(Self.mostLinkRows) of \(summary.links.count) links."
    }
    return ReportPage.Table("Links", headings, rows, remark: remark)
  }

  /// The changes as a table; nil without any.
  func changeTable(_ changes: [LinkChange]) -> ReportPage.Table? {
    if changes.isEmpty { return nil }
    let rows = changes.map { change in
      [
        linkName(change.tag, change.anchor), change.time.seconds(since: start).text(decimals: 1),
        change.level.before.text(decimals: 3), change.level.after.text(decimals: 3),
        change.level.size.text(decimals: 3),
      ]
    }
    return ReportPage.Table(
      "Changes of links", ["link", "from, s#", "before, m#", "after, m#", "change, m#"], rows,
      remark: "Median residual before and after a level shift, which a recording without one"
        + " shows with a probability of \((100 * Self.falseAlarmRate).text(decimals: 1)) %. The anchor"
        + " was moved, its view was blocked, or the signal takes another path where the tag is.")
  }

  /// Number of links up to which the table is open.
  private static let mostOpenRows = 12

  /// Number of links in the table.
  private static let mostLinkRows = 1000

  private var countTable: ReportPage.Table {
    var rows: [[String]] = []
    func add(_ kind: String, _ counts: [String: Int]) {
      for (word, count) in counts.sorted(by: {
        $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value
      }) {
        rows.append([kind, word, "\(count)"])
      }
    }
    add("ranges", summary.decisions)
    add("positions", summary.positions)
    add("rows rejected", summary.rows.reasons)
    if summary.rows.events > 0 { rows.append(["rows used", "events", "\(summary.rows.events)"]) }
    if let count = summary.undeterminedEpochs, count > 0 {
      rows.append(["epochs", "undetermined", "\(count)"])
    }
    return ReportPage.Table("Counts", ["item", "kind", "count#"], rows)
  }
}
