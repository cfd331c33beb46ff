import Foundation

/// Many recordings, read, processed and written; each stands or fails by itself.
///
/// A batch is a job that survives. The results of a recording appear whole or not at all, the summary
/// last; it knows the content of what was read and written, so that a batch that was killed can be
/// resumed: what is complete and up to date is skipped, anything else is done again.
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
  /// Whether recordings are skipped whose results are there, complete and up to date; results that are not
  /// are replaced.
  public var resumes = false
  /// In which forms positions and distances are written; at least one.
  public var formats: Set<ResultFormat> = [.csv]

  /// What the results go through; who interrupts the batch closes it.
  public let writer = AtomicFileWriter()

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

  /// What is asked of each recording.
  public var request: RecordingRequest {
    RecordingRequest(
      settings: settings, reading: options, isStrict: isStrict, formats: formats)
  }

  /// The first two of `paths` whose results would go to the same files, or nil.
  package static func clash(among paths: [String]) -> (first: String, second: String, name: String)?
  {
    var seen: [String: String] = [:]
    for path in paths {
      let name = RecordingReader.name(of: path)
      if let first = seen.updateValue(path, forKey: name) { return (first, path, name) }
    }
    return nil
  }

  /// The size of the files of the recording at `path`, bytes; 0 where that is not known before they are
  /// read.
  package func bytes(of path: String) -> Int {
    guard let place = try? RecordingFiles(path, anchors: anchors) else { return 0 }
    return place.sources.compactMap { FileIdentity.size(of: $0) }.reduce(0, +)
  }

  /// Works on `paths`, at most `jobs` at once (nil: as many as there are cores).
  ///
  /// What earlier runs that were killed have left half-written in the folder of the results is
  /// removed first.
  ///
  /// - Parameters:
  ///   - paths: folders or ranges files.
  ///   - jobs: how many at once, at least 1.
  ///   - ledger: books to keep, of the same `paths`, for who may want to look at them meanwhile.
  ///   - progress: called with what was done since, from any thread.
  /// - Returns: What became of each recording, in the order of `paths`.
  @discardableResult
  public func run(
    _ paths: [String], jobs: Int? = nil, ledger: BatchLedger? = nil,
    progress: @escaping @Sendable (BatchProgress) -> Void = { _ in }
  ) async -> [RecordingOutcome] {
    let ledger = ledger ?? BatchLedger(paths)
    PendingFile.removeAbandoned(
      in: output, endings: ResultWriter.endings + [BatchManifest.fileName])
    let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
    let width = min(jobs, max(1, paths.count))
    // With fewer recordings than jobs, a recording gets several.
    let inner = max(1, jobs / max(1, paths.count))
    await withTaskGroup(of: Void.self) { group in
      var next = 0
      func start() {
        guard next < paths.count, !writer.isClosed else { return }
        let index = next
        next += 1
        group.addTask { await self.work(at: index, of: ledger, width: inner, progress) }
      }
      for _ in 0..<width { start() }
      while await group.next() != nil { start() }
    }
    return ledger.outcomes
  }

  /// Works on one recording of the batch and writes down what became of it.
  private func work(
    at index: Int, of ledger: BatchLedger, width: Int,
    _ progress: @escaping @Sendable (BatchProgress) -> Void
  ) async {
    let path = ledger.paths[index]
    let bytes = bytes(of: path)
    var last = BatchProgress()
    last.recordings = 1
    var told = 0
    do throws(RecordingError) {
      if ledger.hasResults, !FileManager.default.fileExists(atPath: output) {
        throw .cannotWrite(path: output, reason: "the folder of the results has gone")
      }
      let outcome = try await process(path, width: width) { share in
        var step = BatchProgress()
        step.bytes = Int(share * Double(bytes)) - told
        told += step.bytes
        progress(step)
      } then: {
        ledger.record($0, at: index)
      }
      if case .done(let summary, _, _) = outcome {
        last.bytes = bytes - told
        last.rows = summary.rows.read
      } else {
        last.skippedBytes = bytes
      }
    } catch {
      // What a closed writer makes of a recording is no failure of its own.
      if !writer.isClosed { ledger.record(.failed(error), at: index) }
      last.skippedBytes = bytes - told
    }
    progress(last)
  }
}
