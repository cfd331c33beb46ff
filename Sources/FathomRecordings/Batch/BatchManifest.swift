import Foundation

/// The record of a batch and its outcomes, written as `batch.json` beside the results.
///
/// It describes the last run, and has the recordings of all runs into the same folder. It and
/// `batch.csv` are the only files that contain wall-clock times.
package struct BatchManifest: Sendable, Equatable, Codable {
  /// The name of its file.
  package static let fileName = "batch.json"

  /// The version of Fathom.
  package var version: String
  /// When the batch began, ISO 8601 in UTC.
  package var started: String
  /// How the batch ended: `done`, `failed` if a recording failed, or `interrupted`.
  package var end: End
  /// The exit code of the batch.
  package var exitCode: Int
  /// The anchors file given for all recordings.
  package var anchors: String?
  /// The request for each recording.
  package var request: RecordingRequest
  /// Whether recordings with complete results were to be skipped.
  package var resumed: Bool
  /// The largest number of recordings processed concurrently; nil for the number of cores.
  package var jobs: Int?
  /// Sums over the recordings of the last run.
  package var totals: Totals
  /// The recordings: those of earlier runs only, then those of the last run in the order given.
  package var recordings: [Entry]

  /// How a batch ended.
  package enum End: String, Sendable, Codable {
    /// Every recording has results.
    case done
    /// At least one recording failed.
    case failed
    /// A signal ended the batch before all recordings were reached.
    case interrupted
  }

  /// Sums over all recordings.
  package struct Totals: Sendable, Equatable, Codable {
    /// Number of recordings in the batch.
    package var recordings = 0
    /// Recordings that were processed.
    package var done = 0
    /// Recordings skipped because their results were complete.
    package var skipped = 0
    /// Recordings that failed.
    package var failed = 0
    /// Recordings that were not reached.
    package var notReached = 0
    /// Rows of the processed recordings.
    package var rows = 0
    /// Bytes of the files of the processed recordings.
    package var bytes = 0
    /// Wall-clock time of the batch, seconds.
    package var seconds = 0.0
    /// Rows per second of wall-clock time.
    package var rowsPerSecond = 0.0
  }

  /// The outcome of one recording.
  package struct Entry: Sendable, Equatable, Codable {
    /// The path as given.
    package var path: String
    /// The recording's name.
    package var name: String
    /// The outcome.
    package var status: Status
    /// In a resumed batch, the reason why earlier results were replaced.
    package var reason: String?
    /// The names of the result files; nil if there are none.
    package var results: [String]?
    /// When the run began that produced the entry, ISO 8601 in UTC.
    package var started: String?
    /// The row counts.
    package var rows: Rows?
    /// Number of tags.
    package var tags: Int?
    /// The span of the time stamps.
    package var time: RecordingSummary.Time?
    /// Standard deviation of the ranges, metres: the largest of all tags.
    package var noiseM: Double?
    /// Mean of the normalised innovations squared; 1 for a consistent filter.
    package var meanNis: Double?
    /// Number of warnings.
    package var warnings: Int?
    /// The number of positions by status.
    package var positions: [String: Int]?
    /// The number of diagnoses by code; nil if there are none.
    package var diagnoses: [String: Int]?
    /// The processing time.
    package var timing: RecordingTiming?
    /// The error of a failed recording.
    package var failure: Failure?
  }

  /// The outcome of a recording.
  package enum Status: String, Sendable, Codable {
    /// The recording was processed.
    case done
    /// Complete results already existed.
    case skipped
    /// Processing failed.
    case failed
    /// The batch ended before the recording was finished.
    case notReached = "not_reached"
  }

  /// Row counts: `read` = `used` + `rejected`.
  package struct Rows: Sendable, Equatable, Codable {
    /// Data rows in the file.
    package var read: Int
    /// Rows used.
    package var used: Int
    /// Rows rejected.
    package var rejected: Int

    private enum CodingKeys: String, CodingKey {
      case read, used
      case rejected = "setAside"
    }
  }

  /// The error of a failed recording.
  package struct Failure: Sendable, Equatable, Codable {
    /// The message, with the place of the error.
    package var message: String
    /// The exit code for this error alone.
    package var exitCode: Int
  }
}

extension BatchManifest {
  /// Creates the manifest of `batch` from the current state of `ledger`.
  ///
  /// `jobs` is the requested number of concurrent recordings; `start` is in seconds since 1970.
  /// `interruption` is the exit code of the signal that interrupted the batch; nil if it ran to the
  /// end.
  package init(
    of batch: RecordingBatch, _ ledger: BatchLedger, jobs: Int? = nil, start: Double,
    seconds: Double, interruption: Int32? = nil
  ) {
    let outcomes = ledger.outcomes
    version = FathomVersion.current
    started = Date(timeIntervalSince1970: start).formatted(.iso8601)
    anchors = batch.anchors
    request = batch.request
    resumed = batch.resumes
    self.jobs = jobs
    recordings = ledger.paths.indices.map {
      Entry(path: ledger.paths[$0], name: ledger.names[$0], outcome: outcomes[$0])
    }
    for index in recordings.indices { recordings[index].started = started }
    totals = Totals()
    totals.seconds = seconds
    for (entry, outcome) in zip(recordings, outcomes) { totals.add(entry.status, outcome) }
    totals.rowsPerSecond = Double(totals.rows) / max(seconds, 1e-9)
    exitCode = Int(interruption ?? Self.exitCode(of: outcomes) ?? 0)
    end = interruption != nil ? .interrupted : totals.failed > 0 ? .failed : .done
  }

  /// Returns the exit code of the first failure in the order given, whatever the order in time; nil
  /// if nothing failed.
  package static func exitCode(of outcomes: [RecordingOutcome]) -> Int32? {
    outcomes.lazy.compactMap(\.failure?.exitCode).first
  }

  /// Returns the complete file of the manifest for the folder `output`.
  package func file(in output: String) -> OutputFile {
    OutputFile(
      path: OutputFile.path(of: Self.fileName, in: output),
      bytes: Array((ResultWriter.json(self, formatting: .prettyPrinted) + "\n").utf8))
  }

  /// Writes `batch.json` and `batch.csv` into the folder `output`, and keeps the entries of earlier
  /// runs for recordings that are not in this one, or that it has not reached.
  ///
  /// Returns false if there are earlier entries that cannot be read; they are then lost.
  package func write(in output: String) throws(RecordingError) -> Bool {
    let lock = ManifestLock(in: output)
    defer { lock.end() }
    var manifest = self
    let path = OutputFile.path(of: Self.fileName, in: output)
    let earlier = Self.entries(path)
    manifest.keep(earlier ?? [])
    try OutputFile.write([
      manifest.file(in: output),
      OutputFile(
        path: OutputFile.path(of: BatchTable.fileName, in: output),
        bytes: BatchTable.text(of: manifest.recordings)),
    ])
    return earlier != nil
  }

  /// Adds the entries of `earlier` runs.
  mutating func keep(_ earlier: [Entry]) {
    let known = Dictionary(
      earlier.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    var mine: Set<String> = []
    for (index, entry) in recordings.enumerated() {
      mine.insert(entry.name)
      if entry.status == .notReached, let before = known[entry.name] { recordings[index] = before }
    }
    recordings.insert(contentsOf: earlier.filter { !mine.contains($0.name) }, at: 0)
  }

  /// Bytes of a manifest or table that is read; a longer one is not of Fathom.
  static let longest = 1 << 28

  /// Returns the entries of the manifest at `path`, none if there is no file; nil if it cannot be
  /// read.
  package static func entries(_ path: String) -> [Entry]? {
    struct Content: Decodable { var recordings: [Entry] }
    guard OutputFile.conflict(among: [path]) != nil else { return [] }
    guard FoundFile.isRegular(path),
      let source = try? ByteSource(path: path, mostBytes: longest)
    else { return nil }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return (try? decoder.decode(Content.self, from: Data(source.bytes)))?.recordings
  }

  /// Returns whether the file at `path` is a manifest, which a new manifest may replace.
  package static func isManifest(_ path: String) -> Bool {
    guard FoundFile.isRegular(path), let data = FileManager.default.contents(atPath: path) else {
      return false
    }
    return isManifest(data)
  }

  /// Returns whether `data` is the content of a manifest.
  static func isManifest(_ data: Data) -> Bool {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return (try? decoder.decode(Outline.self, from: data)) != nil
  }

  /// The fields that manifests of all versions have.
  private struct Outline: Decodable {
    struct Entry: Decodable {
      var path: String
      var status: String
    }
    var version: String
    var recordings: [Entry]
  }
}

extension BatchManifest.Entry {
  /// Creates the entry of a recording with the results that `summary` describes.
  package init(of summary: RecordingSummary) {
    self.init(
      path: summary.sources.first?.path ?? summary.recording, name: summary.recording,
      outcome: .skipped(summary))
  }

  /// Creates the entry of the recording at `path` with results called `name`.
  init(path: String, name: String, outcome: RecordingOutcome) {
    self.path = path
    self.name = name
    switch outcome {
    case .done(_, _, let why):
      status = .done
      reason = why
    case .skipped: status = .skipped
    case .failed: status = .failed
    case .notReached: status = .notReached
    }
    timing = outcome.timing
    failure = outcome.failure.map {
      BatchManifest.Failure(message: "\($0)", exitCode: Int($0.exitCode))
    }
    guard let summary = outcome.summary else { return }
    results = (summary.results ?? []).map(\.name) + ["\(summary.recording).summary.json"]
    rows = BatchManifest.Rows(
      read: summary.rows.read, used: summary.rows.used, rejected: summary.rows.rejected)
    positions = summary.positions
    tags = Set(summary.links.map(\.tag)).count
    time = summary.time
    noiseM =
      summary.calibration?.map(\.rangeSigmaM).max() ?? summary.rangeErrors?.rangeSigmaM
    meanNis = summary.consistency?.meanNormalizedSquare
    warnings = summary.warnings.count
    let codes = (summary.diagnoses ?? []).map { ($0.code.rawValue, 1) }
    diagnoses = codes.isEmpty ? nil : Dictionary(codes, uniquingKeysWith: +)
  }
}

extension BatchManifest.Totals {
  /// Adds the outcome of one recording.
  fileprivate mutating func add(_ status: BatchManifest.Status, _ outcome: RecordingOutcome) {
    recordings += 1
    switch status {
    case .done:
      done += 1
      rows += outcome.summary?.rows.read ?? 0
      bytes += outcome.summary?.sources.map(\.bytes).reduce(0, +) ?? 0
    case .skipped: skipped += 1
    case .failed: failed += 1
    case .notReached: notReached += 1
    }
  }
}
