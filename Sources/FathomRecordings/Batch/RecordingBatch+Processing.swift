import Foundation

extension RecordingBatch {
  /// Reads, processes and writes one recording, or finds that this was done before.
  ///
  /// - Parameters:
  ///   - path: a folder, a ranges file or `-`.
  ///   - width: on how many threads, at least 1; the results are the same.
  ///   - progress: called with the share of the work that is done, 0 to 1, from time to time.
  ///   - record: called with the outcome at the moment from which the results are there.
  /// - Returns: The outcome, `done` or `skipped`.
  /// - Throws: ``RecordingError``, also for a file with nothing but a header; nothing was written then.
  @discardableResult
  public func process(
    _ path: String, width: Int = 1, progress: (Double) -> Void = { _ in },
    then record: (RecordingOutcome) -> Void = { _ in }
  ) async throws(RecordingError) -> RecordingOutcome {
    let results = ResultWriter.paths(of: RecordingReader.name(of: path), in: output)
    var reason: String?
    if resumes {
      switch try PriorResults(of: path, anchors: anchors, request: request, paths: results) {
      case .absent: break
      case .outdated(let why): reason = why
      case .complete(let summary):
        record(.skipped(summary))
        return .skipped(summary)
      }
    } else if !overwrites, let conflict = OutputFile.conflict(among: results) {
      throw .cannotWrite(
        path: conflict, reason: "is there already (replace: --force, or continue: --resume)")
    }

    let clock = ContinuousClock()
    let start = clock.now
    let heading = try RecordingHeading(path, anchors: anchors, options: options)
    let rejected = ResultTable(results[2], header: ResultWriter.rejectedHeader, through: gate)
    let survey = try RecordingSurvey(heading, options: options, width: width) {
      rows throws(RecordingError) in
      // Where one bad row is a failure, it has no results.
      if !isStrict { try rejected.append(rows) }
    }
    try check(survey)
    let readingEnd = clock.now
    let positions = try PartFile(for: results[0], through: gate)
    let distances = try PartFile(for: results[1], through: gate)
    var summary: RecordingSummary
    if RecordingStream.suits(settings, hasAnchors: !survey.outline.anchors.isEmpty) {
      let count = Double(max(1, survey.outline.rangeCount))
      var done = 0
      summary = try await RecordingStream(survey, settings: settings, width: width)
        .run(positions: positions, distances: distances) { rows in
          done += rows
          progress(Double(done) / count)
        }
    } else {
      let processed = try survey.recording()
        .processed(with: settings, outline: survey.outline)
      let files = ResultWriter.files(of: processed, in: output)
      try positions.append(files[0].bytes)
      try distances.append(files[1].bytes)
      summary = processed.summary
    }
    let parts = [positions, distances, try rejected.part()]
    let processingEnd = clock.now
    let last = try write(&summary, to: results[3], knowing: parts)

    var outcome = RecordingOutcome.notReached
    try gate.publish(parts + [last]) {
      let timing = RecordingTiming(
        readS: start.duration(to: readingEnd) / .seconds(1),
        processS: readingEnd.duration(to: processingEnd) / .seconds(1),
        writeS: processingEnd.duration(to: clock.now) / .seconds(1),
        rows: survey.outline.rowsRead)
      outcome = .done(summary, timing, reason: reason)
      record(outcome)
    }
    return outcome
  }

  /// Throws for a recording without rows, and for one with bad rows where that was asked for.
  private func check(_ survey: RecordingSurvey) throws(RecordingError) {
    let outline = survey.outline
    let source = outline.sources.first?.path ?? outline.name
    guard outline.rowsRead > 0 else {
      throw .badData(path: source, line: nil, reason: "there are no rows of data")
    }
    if isStrict, let first = survey.firstRejected {
      let more = outline.rejectedCount - 1
      let rows = more == 1 ? "1 more row" : "\(more) more rows"
      throw .badData(
        path: source, line: first.line,
        reason: first.reason + (more > 0 ? " (and \(rows) would be set aside)" : ""))
    }
  }

  /// Writes the summary, which knows the other results, beside its place.
  private func write(
    _ summary: inout RecordingSummary, to path: String, knowing parts: [PartFile]
  ) throws(RecordingError) -> PartFile {
    summary.request = request
    summary.results = parts.map { part in
      RecordingSummary.ResultFile(
        name: part.path.split(separator: "/").last.map(String.init) ?? part.path,
        bytes: part.identity.bytes, xxh64: part.identity.xxh64)
    }
    let part = try PartFile(for: path, through: gate)
    try part.append(ResultWriter.summary(summary))
    return part
  }
}

/// The rows set aside on their way to their file, which is begun with the first of them.
private final class ResultTable {
  private let path: String
  private let gate: OutputGate
  private var text: CSVRow
  private var file: PartFile?

  /// A table that is to appear at `path`.
  init(_ path: String, header: String, through gate: OutputGate) {
    self.path = path
    self.gate = gate
    text = CSVRow(header: header, rows: 0)
  }

  func append(_ rows: [RejectedRow]) throws(RecordingError) {
    if rows.isEmpty { return }
    ResultWriter.append(rows, to: &text)
    _ = try part()
  }

  /// The file, with all that came so far.
  func part() throws(RecordingError) -> PartFile {
    let part: PartFile
    if let file { part = file } else { part = try PartFile(for: path, through: gate) }
    file = part
    try text.withBytes(part.append)
    text.removeAll()
    return part
  }
}
