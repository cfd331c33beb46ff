import Foundation

extension RecordingBatch {
  /// Reads, processes and writes one recording, or skips it if complete results exist.
  ///
  /// - Parameters:
  ///   - path: a folder, a ranges file or `-`.
  ///   - name: the name of the results; nil for that of the folder or file.
  ///   - width: the number of threads, at least 1; the results do not depend on it.
  ///   - progress: called from time to time with the fraction of the work done, 0 to 1.
  ///   - record: called with the outcome at the moment the results are published.
  /// - Returns: The outcome, `done` or `skipped`.
  /// - Throws: ``RecordingError``, also for a file with only a header. No results are written in
  ///   that case.
  @discardableResult
  public func process(
    _ path: String, named name: String? = nil, width: Int = 1,
    progress: (Double) -> Void = { _ in },
    then record: (RecordingOutcome) -> Void = { _ in }
  ) async throws(RecordingError) -> RecordingOutcome {
    let name = name ?? RecordingReader.name(of: path)
    let results = ResultWriter.paths(of: name, in: output, formats: formats)
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
      throw Self.conflict(conflict)
    }

    let clock = ContinuousClock()
    let start = clock.now
    var metadata = try RecordingMetadata(path, anchors: anchors, options: options)
    metadata.recording.name = name
    var options = options
    let rejected = RejectedTable(results[results.count - 2], through: writer)
    var prescan = try scan(metadata, options, rejecting: rejected, width)
    if !prescan.tagAnchors.isEmpty {
      // Only now it is known which names of anchors are those of tags.
      options.tagAnchors = prescan.tagAnchors
      rejected.removeAll()
      prescan = try scan(metadata, options, rejecting: rejected, width)
    }
    if let format = options.format, !format.hasColumns, prescan.outline.rowsRead == 0 {
      throw .badData(
        path: prescan.outline.sources.first?.path ?? path, line: nil,
        reason:
          "no line is one of the format \(format.rawValue); without --format it is recognised by"
          + " content")
    }
    try prescan.outline.requireRows(settings, isStrict: isStrict)
    let readingEnd = clock.now
    let files = try ResultFileSet(
      of: name, in: output, formats: formats,
      tags: formats.contains(.tum) ? try trackTags(prescan.outline) : [],
      hasZones: !prescan.outline.anchors.isEmpty
        && (settings.zones ?? prescan.outline.facts.zones) != nil, through: writer)
    if !resumes, !overwrites, let conflict = files.conflict { throw Self.conflict(conflict) }
    var summary: RecordingSummary
    let omitted: Int
    if RecordingStream.suits(settings, prescan.outline) {
      let count = Double(max(1, prescan.outline.rangeCount))
      var done = 0
      let stream = try RecordingStream(
        prescan, settings: settings, width: width, formats: formats)
      (summary, omitted) = try await stream.run(into: files) { rows in
        done += rows
        progress(Double(done) / count)
      }
    } else {
      // Most of the work on a single tag comes after its ranges: their share would promise too much.
      let isShared = prescan.outline.tagNames.count > 1
      let whole = WholeRecording(try prescan.recording(), prescan.outline, with: settings) {
        (share: Double) throws(Never) in
        if isShared { progress(share) }
      }
      summary = whole.summary
      let formatter = ResultFormatter(prescan.outline, whole.settings, formats: formats)
      omitted = try formatter.write(
        ResultsByTag(whole.results), of: whole.slice, whole.positions, whole.zones, to: files)
    }
    summary.noteIgnoredHeightSigma(settings)
    if omitted > 0 {
      summary.notes.append(
        "\(omitted == 1 ? "1 position is" : "\(omitted) positions are") incomplete and not in the"
          + " TUM files")
    }
    let parts = files.tables + [try rejected.part()] + files.others
    let processingEnd = clock.now
    let last = try write(&summary, to: results[results.count - 1], knowing: parts)

    var outcome = RecordingOutcome.notReached
    let superseded =
      resumes || overwrites
      ? SupersededResults.paths(
        of: results[results.count - 1], replacedBy: (parts + [last]).map(\.path)) : []
    try writer.publish(
      parts + [last], removing: superseded, replacing: resumes || overwrites
    ) {
      let timing = RecordingTiming(
        readS: start.duration(to: readingEnd) / .seconds(1),
        processS: readingEnd.duration(to: processingEnd) / .seconds(1),
        writeS: processingEnd.duration(to: clock.now) / .seconds(1),
        rows: prescan.outline.rowsRead)
      outcome = .done(summary, timing, reason: reason)
      record(outcome)
    }
    return outcome
  }

  /// Makes the first pass through a recording; its rejected rows are appended to `rejected`.
  private func scan(
    _ metadata: RecordingMetadata, _ options: RecordingOptions, rejecting rejected: RejectedTable,
    _ width: Int
  ) throws(RecordingError) -> RecordingPrescan {
    // In strict mode a rejected row is an error, and the recording has no results.
    try RecordingPrescan(
      metadata, options: options, width: width, keepsCalibration: settings.method == .filter,
      rejected: isStrict ? nil : rejected.append)
  }

  /// Returns the names of the objects that have tracks.
  private func trackTags(_ outline: RecordingOutline) throws(RecordingError) -> [String] {
    let names = TargetNames(outline)
    guard names.areFew else {
      throw .badData(
        path: outline.sources.first?.path ?? outline.name, line: nil,
        reason: "\(names.count) pairs of devices are too many for --results tum; use csv or jsonl")
    }
    return names.names
  }

  private static func conflict(_ path: String) -> RecordingError {
    .cannotWrite(
      path: path, reason: "already exists (use --force to replace it, or --resume to continue)")
  }

  /// Writes the summary, which lists the other results, to a pending file.
  private func write(
    _ summary: inout RecordingSummary, to path: String, knowing parts: [PendingFile]
  ) throws(RecordingError) -> PendingFile {
    summary.request = request
    summary.results = parts.map { part in
      RecordingSummary.ResultFile(
        name: part.path.split(separator: "/").last.map(String.init) ?? part.path,
        bytes: part.identity.bytes, xxh3: part.identity.xxh3)
    }
    let part = try PendingFile(for: path, through: writer)
    try part.append(ResultWriter.summary(summary))
    return part
  }
}

/// The table of rejected rows, whose file is created with the first of them.
private final class RejectedTable {
  private let path: String
  private let writer: AtomicFileWriter
  private var text = CSVBuffer(header: ResultWriter.rejectedHeader, rows: 0)
  private var file: PendingFile?

  /// Creates a table whose final path is `path`.
  init(_ path: String, through writer: AtomicFileWriter) {
    self.path = path
    self.writer = writer
  }

  /// Removes all rows and the file, whose temporary name another file of the path would have.
  func removeAll() {
    file = nil
    text = CSVBuffer(header: ResultWriter.rejectedHeader, rows: 0)
  }

  func append(_ rows: PackedRejectedRows) throws(RecordingError) {
    for row in rows {
      ResultWriter.append(row, to: &text)
      if text.count >= TextBlocks.usualSize { _ = try part() }
    }
  }

  /// Returns the file with all rows appended so far.
  func part() throws(RecordingError) -> PendingFile {
    let part: PendingFile
    if let file { part = file } else { part = try PendingFile(for: path, through: writer) }
    file = part
    try text.withBytes(part.append)
    text.removeAll()
    return part
  }
}
