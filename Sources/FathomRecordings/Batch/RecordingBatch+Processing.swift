import Foundation

extension RecordingBatch {
  /// Reads, processes and writes one recording, or finds that this was done before.
  ///
  /// - Parameters:
  ///   - path: a folder, a ranges file or `-`.
  ///   - record: called with the outcome at the moment from which the results are there.
  /// - Returns: The outcome, `done` or `skipped`.
  /// - Throws: ``RecordingError``, also for a file with nothing but a header; nothing was written then.
  @discardableResult
  public func process(
    _ path: String, then record: (RecordingOutcome) -> Void = { _ in }
  ) throws(RecordingError) -> RecordingOutcome {
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
    let recording = try read(path)
    let readingEnd = clock.now
    var processed = recording.processed(with: settings)
    let processingEnd = clock.now
    let parts = try write(&processed)

    var outcome = RecordingOutcome.notReached
    try gate.publish(parts) {
      let timing = RecordingTiming(
        readS: start.duration(to: readingEnd) / .seconds(1),
        processS: readingEnd.duration(to: processingEnd) / .seconds(1),
        writeS: processingEnd.duration(to: clock.now) / .seconds(1), rows: recording.rowsRead)
      outcome = .done(processed.summary, timing, reason: reason)
      record(outcome)
    }
    return outcome
  }

  /// Reads the recording at `path`, which must have rows, and only good ones where that was asked for.
  private func read(_ path: String) throws(RecordingError) -> Recording {
    let recording = try RecordingReader.read(path, anchors: anchors, options: options)
    let source = recording.sources.first?.path ?? path
    guard recording.rowsRead > 0 else {
      throw .badData(path: source, line: nil, reason: "there are no rows of data")
    }
    if isStrict, let first = recording.rejected.first {
      let more = recording.rejected.count - 1
      let rows = more == 1 ? "1 more row" : "\(more) more rows"
      throw .badData(
        path: source, line: first.line,
        reason: first.reason + (more > 0 ? " (and \(rows) would be set aside)" : ""))
    }
    return recording
  }

  /// Writes the results beside their places; the summary, which knows the others, last.
  ///
  /// - Returns: The files, written to their end, in the order in which they are to appear.
  private func write(
    _ processed: inout ProcessedRecording
  ) throws(RecordingError) -> [PartFile] {
    var parts: [PartFile] = []
    var results: [RecordingSummary.ResultFile] = []
    for file in ResultWriter.files(of: processed, in: output).dropLast() {
      let part = try PartFile(for: file.path, through: gate)
      try part.append(file.bytes)
      let identity = part.identity
      let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
      results.append(
        RecordingSummary.ResultFile(name: name, bytes: identity.bytes, xxh64: identity.xxh64))
      parts.append(part)
    }
    processed.summary.request = request
    processed.summary.results = results
    let path = ResultWriter.paths(of: processed.name, in: output)[parts.count]
    let part = try PartFile(for: path, through: gate)
    try part.append(ResultWriter.summary(processed.summary))
    return parts + [part]
  }
}
