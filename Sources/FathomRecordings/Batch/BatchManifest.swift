import Foundation

/// What a batch was, and what became of it; written as `batch.json` beside the results.
///
/// It is an account of the last run, not a result: the next run replaces it. Times are in it and nowhere
/// else.
package struct BatchManifest: Sendable, Equatable, Codable {
  /// The name of its file.
  package static let fileName = "batch.json"

  /// The version of Fathom.
  package var version: String
  /// When the batch began, ISO 8601 in UTC.
  package var started: String
  /// How the batch ended: `done`, `failed` where a recording failed, `interrupted`.
  package var end: End
  /// The exit code that goes with it.
  package var exitCode: Int
  /// The anchors file that was given for all recordings.
  package var anchors: String?
  /// What was asked of each recording.
  package var request: RecordingRequest
  /// Whether recordings were to be skipped whose results were complete.
  package var resumed: Bool
  /// How many recordings were worked on at once; nil: as many as there were cores.
  package var jobs: Int?
  /// Sums over all recordings.
  package var totals: Totals
  /// The recordings, in the order given.
  package var recordings: [Entry]

  /// How a batch ended.
  package enum End: String, Sendable, Codable {
    /// Every recording has its results.
    case done
    /// Some recordings failed.
    case failed
    /// A signal ended it before all recordings were reached.
    case interrupted
  }

  /// Sums over all recordings.
  package struct Totals: Sendable, Equatable, Codable {
    /// Recordings given.
    package var recordings = 0
    /// Recordings that were processed.
    package var done = 0
    /// Recordings whose results were complete.
    package var skipped = 0
    /// Recordings that failed.
    package var failed = 0
    /// Recordings that were not reached.
    package var notReached = 0
    /// Rows of the recordings that were processed.
    package var rows = 0
    /// Bytes of their files.
    package var bytes = 0
    /// Wall-clock time of the batch, seconds.
    package var seconds = 0.0
    /// Rows per second of that time.
    package var rowsPerSecond = 0.0
  }

  /// What became of one recording.
  package struct Entry: Sendable, Equatable, Codable {
    /// Its path as given.
    package var path: String
    /// Its name.
    package var name: String
    /// What became of it.
    package var status: Status
    /// Why earlier results were replaced, where the batch was resumed.
    package var reason: String?
    /// The names of its results; nil where it has none.
    package var results: [String]?
    /// Counts of its rows.
    package var rows: Rows?
    /// How many positions have which status.
    package var positions: [String: Int]?
    /// The time it took.
    package var timing: RecordingTiming?
    /// Why it failed.
    package var failure: Failure?
  }

  /// What became of a recording.
  package enum Status: String, Sendable, Codable {
    /// It was processed.
    case done
    /// Its results were complete.
    case skipped
    /// It failed.
    case failed
    /// The batch ended before it was done.
    case notReached = "not_reached"
  }

  /// Counts of rows: read = used + set aside.
  package struct Rows: Sendable, Equatable, Codable {
    /// Rows of data.
    package var read: Int
    /// Rows used.
    package var used: Int
    /// Rows set aside.
    package var setAside: Int
  }

  /// Why a recording failed.
  package struct Failure: Sendable, Equatable, Codable {
    /// The message, with the place.
    package var message: String
    /// The exit code that it alone would have.
    package var exitCode: Int
  }
}

extension BatchManifest {
  /// The manifest of `batch` with the books `ledger`, as they are now.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - ledger: its books.
  ///   - jobs: how many recordings were worked on at once, as asked for.
  ///   - start: when it began, seconds since 1970.
  ///   - seconds: for how long it ran.
  ///   - interruption: the exit code of the interruption that ended it; nil where it came to its end.
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
    recordings = zip(ledger.paths, outcomes).map { Entry(path: $0, outcome: $1) }
    totals = Totals()
    totals.seconds = seconds
    for (entry, outcome) in zip(recordings, outcomes) { totals.add(entry.status, outcome) }
    totals.rowsPerSecond = Double(totals.rows) / max(seconds, 1e-9)
    exitCode = Int(interruption ?? Self.exitCode(of: outcomes) ?? 0)
    end = interruption != nil ? .interrupted : totals.failed > 0 ? .failed : .done
  }

  /// The exit code of the first failure in the order given, whichever came first in time; nil where
  /// nothing failed.
  package static func exitCode(of outcomes: [RecordingOutcome]) -> Int32? {
    outcomes.lazy.compactMap(\.failure?.exitCode).first
  }

  /// Its file for the folder `output`, complete.
  package func file(in output: String) -> OutputFile {
    OutputFile(
      path: OutputFile.path(of: Self.fileName, in: output),
      bytes: Array((ResultWriter.json(self, formatting: .prettyPrinted) + "\n").utf8))
  }

  /// Whether the file at `path` is a manifest, and may be replaced by one.
  package static func isManifest(_ path: String) -> Bool {
    guard let data = FileManager.default.contents(atPath: path) else { return false }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return (try? decoder.decode(Outline.self, from: data)) != nil
  }

  /// What the manifests of all versions have.
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
  /// The entry of the recording at `path`.
  init(path: String, outcome: RecordingOutcome) {
    self.path = path
    name = RecordingReader.name(of: path)
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
      read: summary.rows.read, used: summary.rows.used, setAside: summary.rows.setAside)
    positions = summary.positions
  }
}

extension BatchManifest.Totals {
  /// Counts a recording.
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
