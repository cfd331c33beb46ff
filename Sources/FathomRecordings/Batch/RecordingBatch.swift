import Foundation

/// A batch of recordings that are read, processed and written independently; a failure affects only
/// its own recording.
///
/// A killed batch can be resumed. The results of a recording are published completely or not at
/// all, with the summary last. The summary holds checksums of what was read and written. A resumed
/// batch skips recordings whose results are complete and up to date, and processes all others
/// again.
public struct RecordingBatch: Sendable {
  /// An anchors file for all recordings, which replaces each folder's own.
  public var anchors: String?
  /// The options for reading recordings.
  public var options: RecordingOptions
  /// The settings for processing recordings.
  public var settings: ProcessingSettings
  /// The output folder.
  public var output: String
  /// Whether a rejected row makes its recording fail.
  public var isStrict: Bool
  /// Whether existing results may be replaced.
  public var overwrites: Bool
  /// Whether recordings with complete, up-to-date results are skipped; other existing results are
  /// replaced.
  public var resumes = false
  /// The formats of positions and distances; at least one.
  public var formats: Set<ResultFormat> = [.csv]

  /// The writer of the results.
  ///
  /// Close it to interrupt the batch.
  public let writer = AtomicFileWriter()

  /// Creates a batch with the given options for reading, processing and writing.
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

  /// The request for each recording.
  public var request: RecordingRequest {
    RecordingRequest(
      settings: settings, reading: options, isStrict: isStrict, formats: formats)
  }

  /// Returns the first two of `paths` whose results would have the same file names, or nil.
  package static func clash(
    among paths: [String], by naming: RecordingNaming = .folder
  ) -> (first: String, second: String, name: String)? {
    var seen: [String: String] = [:]
    for path in paths {
      let name = naming.name(of: path)
      if let first = seen.updateValue(path, forKey: name) { return (first, path, name) }
    }
    return nil
  }

  /// Returns the total size of the files of the recording at `path`, bytes; 0 if it is unknown
  /// before reading.
  package func bytes(of path: String) -> Int {
    // Whether standard input is an archive is known only when it has come.
    guard path != "-", let place = try? RecordingFiles(path, anchors: anchors) else { return 0 }
    return place.sources.compactMap { FileIdentity.size(of: $0) }.reduce(0, +)
  }

  /// Processes the recordings at `paths`, at most `jobs` concurrently.
  ///
  /// First removes the unfinished files that killed runs have left in the output folder.
  ///
  /// - Parameters:
  ///   - paths: folders or ranges files.
  ///   - jobs: the number of concurrent recordings, from 1 to ``RecordingLimits/mostThreads``; nil
  ///     for the number of cores.
  ///   - ledger: a ledger of the same `paths` that can be inspected while the batch runs.
  ///   - progress: called from any thread with the progress since the last call.
  /// - Returns: The outcome of each recording, in the order of `paths`.
  @discardableResult
  public func run(
    _ paths: [String], jobs: Int? = nil, ledger: BatchLedger? = nil,
    progress: @escaping @Sendable (BatchProgress) -> Void = { _ in }
  ) async -> [RecordingOutcome] {
    let ledger = ledger ?? BatchLedger(paths)
    PendingFile.removeAbandoned(
      in: output,
      endings: ResultWriter.endings + [BatchManifest.fileName, BatchTable.fileName])
    let jobs = min(
      max(1, jobs ?? ProcessInfo.processInfo.activeProcessorCount), RecordingLimits.mostThreads)
    let width = min(jobs, max(1, paths.count))
    // With fewer recordings than jobs, each recording uses several threads.
    // More threads than cores read no faster, but each needs its blocks.
    let cores = max(2, ProcessInfo.processInfo.activeProcessorCount)
    let inner = max(1, min(jobs / max(1, paths.count), cores))
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

  /// Processes one recording of the batch and records its outcome.
  private func work(
    at index: Int, of ledger: BatchLedger, width: Int,
    _ progress: @escaping @Sendable (BatchProgress) -> Void
  ) async {
    let path = ledger.paths[index]
    let bytes = bytes(of: path)
    var last = BatchProgress()
    last.recordings = 1
    var reported = 0
    do throws(RecordingError) {
      if ledger.hasResults, !FileManager.default.fileExists(atPath: output) {
        throw .cannotWrite(path: output, reason: "the output folder no longer exists")
      }
      let outcome = try await process(path, named: ledger.names[index], width: width) { share in
        var step = BatchProgress()
        step.bytes = Int(share * Double(bytes)) - reported
        reported += step.bytes
        progress(step)
      } then: {
        ledger.record($0, at: index)
      }
      if case .done(let summary, _, _) = outcome {
        last.bytes = bytes - reported
        last.rows = summary.rows.read
      } else {
        last.skippedBytes = bytes
      }
    } catch {
      // An error after the writer was closed is due to the interruption, not to the recording.
      if !writer.isClosed { ledger.record(.failed(error), at: index) }
      last.skippedBytes = bytes - reported
    }
    progress(last)
  }
}
