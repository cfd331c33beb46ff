import Foundation

/// Many recordings, read, processed and written; each stands or fails by itself.
public struct RecordingBatch: Sendable {
  /// Anchors file for all of them, instead of each folder's own.
  public var anchors: String?
  /// How they are read.
  public var options: RecordingOptions
  /// How they are processed.
  public var settings: ProcessingSettings
  /// The folder of the results.
  public var output: String
  /// Whether a row that would be set aside makes its recording fail.
  public var isStrict: Bool
  /// Whether results that are there already may be replaced.
  public var overwrites: Bool

  /// What the results go through; who interrupts the batch closes it.
  public let gate = OutputGate()

  /// A batch with the given ways of reading, processing and writing.
  public init(
    anchors: String? = nil, options: RecordingOptions = RecordingOptions(),
    settings: ProcessingSettings = ProcessingSettings(), output: String, isStrict: Bool = false,
    overwrites: Bool = false
  ) {
    self.anchors = anchors
    self.options = options
    self.settings = settings
    self.output = output
    self.isStrict = isStrict
    self.overwrites = overwrites
  }

  /// The first two of `paths` whose results would go to the same files, or nil.
  public static func clash(among paths: [String]) -> (first: String, second: String, name: String)?
  {
    var seen: [String: String] = [:]
    for path in paths {
      let name = RecordingReader.name(of: path)
      if let first = seen.updateValue(path, forKey: name) { return (first, path, name) }
    }
    return nil
  }

  /// Works on `paths`, at most `jobs` at once (nil: as many as there are cores).
  ///
  /// - Parameters:
  ///   - paths: folders or ranges files.
  ///   - jobs: how many at once, at least 1.
  ///   - progress: called after each recording with the number of its rows, from any thread.
  /// - Returns: The summary or the failure of each recording, in the order of `paths`.
  public func run(
    _ paths: [String], jobs: Int? = nil, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> [Result<RecordingSummary, RecordingError>] {
    let width = min(jobs ?? ProcessInfo.processInfo.activeProcessorCount, max(1, paths.count))
    return await withTaskGroup(
      of: (Int, Result<RecordingSummary, RecordingError>).self
    ) { group in
      var results = [Result<RecordingSummary, RecordingError>?](repeating: nil, count: paths.count)
      var next = 0
      func start() {
        guard next < paths.count else { return }
        let index = next
        next += 1
        group.addTask { (index, self.result(of: paths[index])) }
      }
      for _ in 0..<width { start() }
      while let (index, result) = await group.next() {
        results[index] = result
        progress((try? result.get().rows.read) ?? 0)
        start()
      }
      return results.compactMap { $0 }
    }
  }

  private func result(of path: String) -> Result<RecordingSummary, RecordingError> {
    do throws(RecordingError) {
      return .success(try process(path))
    } catch {
      return .failure(error)
    }
  }

  /// Reads, processes and writes one recording.
  ///
  /// - Throws: ``RecordingError``, also for a file with nothing but a header; nothing was written then.
  public func process(_ path: String) throws(RecordingError) -> RecordingSummary {
    let clock = ContinuousClock()
    let begin = clock.now
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
    let outputs = ResultWriter.paths(of: recording.name, in: output)
    if !overwrites, let conflict = OutputFile.conflict(among: outputs) {
      throw .cannotWrite(path: conflict, reason: "is there already (replace: --force)")
    }
    let read = clock.now
    var processed = recording.processed(with: settings)
    let readTime = begin.duration(to: read) / .seconds(1)
    let processTime = read.duration(to: clock.now) / .seconds(1)
    processed.summary.timing = RecordingSummary.Timing(
      readS: readTime, processS: processTime,
      rowsPerSecond: Double(recording.rowsRead) / max(readTime + processTime, 1e-9))
    try gate.write(ResultWriter.files(of: processed, in: output))
    return processed.summary
  }
}
