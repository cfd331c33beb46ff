import FathomRecordings

/// Prints the results of a batch for `fathom process`.
enum BatchSummary {
  /// The folder of the results if the user names none: visible beside what the user works on, and the same for
  /// every kind of input.
  static let usualOutput = "results"

  /// Prints the summary of each successful recording as one line of JSON.
  static func printLines(_ outcomes: [RecordingOutcome]) {
    for summary in outcomes.compactMap(\.summary) {
      Console.print(ResultWriter.line(of: summary))
    }
  }

  /// Prints a table of the successful recordings, and their notes and warnings to standard error.
  static func printTable(_ outcomes: [RecordingOutcome], output: String) {
    printMessages(outcomes)
    let summaries = outcomes.compactMap(\.summary)
    var table = TextTable([
      "recording", "rows#", "used#", "rejected#", "positions#", "rows/s#", "results",
    ])
    for outcome in outcomes {
      guard let summary = outcome.summary else { continue }
      let starting = PositionColumns.Status.starting.word
      let located = summary.positions.filter { $0.key != starting }.values.reduce(0, +)
      table.append([
        summary.recording, "\(summary.rows.read)", "\(summary.rows.used)",
        "\(summary.rows.rejected)", "\(located)",
        outcome.timing.map { "\(Int($0.rowsPerSecond))" } ?? "-",
        OutputFile.path(of: "\(summary.recording).*", in: output),
      ])
    }
    if !summaries.isEmpty { Console.print(table.text) }
    let skipped = outcomes.count {
      if case .skipped = $0 { true } else { false }
    }
    if skipped > 0 {
      Console.message(
        "skipped: \(skipped) of \(outcomes.count.counted("recording")), already complete")
    }
  }

  /// Prints the notes and warnings of the successful recordings to standard error.
  static func printMessages(_ outcomes: [RecordingOutcome]) {
    let summaries = outcomes.compactMap(\.summary)
    report(
      "processed again",
      outcomes.compactMap { outcome in
        guard case .done(let summary, _, let reason?) = outcome else { return nil }
        return (summary.recording, reason)
      })
    report("note", summaries.flatMap { summary in summary.notes.map { (summary.recording, $0) } })
    report(
      "warning",
      summaries.flatMap { summary in summary.warnings.map { (summary.recording, $0) } })
  }

  /// Prints each message once, with the names of the recordings that it applies to.
  private static func report(_ kind: String, _ messages: [(recording: String, text: String)]) {
    var recordings: [String: [String]] = [:]
    for message in messages { recordings[message.text, default: []].append(message.recording) }
    for message in messages {
      guard let names = recordings.removeValue(forKey: message.text) else { continue }
      let more = names.count > 3 ? " and \(names.count - 3) more" : ""
      Console.message(
        "\(names.prefix(3).joined(separator: ", "))\(more): \(kind): \(message.text)")
    }
  }
}
