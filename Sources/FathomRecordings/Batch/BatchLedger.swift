/// The outcomes of the recordings of a batch, updated while the batch runs.
///
/// To interrupt a batch, close its writer first. The ledger then agrees with the files on disk.
public final class BatchLedger: Sendable {
  /// The recordings, in the order given.
  public let paths: [String]
  /// The names of the recordings, parallel to ``paths``, after which their results are named.
  public let names: [String]
  private let state: Locked<[RecordingOutcome]>

  /// Creates a ledger in which none of the recordings at `paths` has been reached.
  public init(_ paths: [String], by naming: RecordingNaming = .folder) {
    self.paths = paths
    names = paths.map(naming.name(of:))
    state = Locked(Array(repeating: .notReached, count: paths.count))
  }

  /// The outcomes so far, in the order of ``paths``.
  public var outcomes: [RecordingOutcome] { state.withLock { $0 } }

  /// Whether some recording has results, according to the ledger.
  var hasResults: Bool { state.withLock { $0.contains { $0.summary != nil } } }

  /// Records the outcome of the recording at `index`.
  func record(_ outcome: RecordingOutcome, at index: Int) {
    state.withLock { $0[index] = outcome }
  }
}

/// The outcome of one recording of a batch.
public enum RecordingOutcome: Sendable, Equatable {
  /// The recording was processed and has results. In a resumed batch, `reason` says why earlier
  /// results were replaced.
  case done(RecordingSummary, RecordingTiming, reason: String?)
  /// Complete, up-to-date results already existed.
  case skipped(RecordingSummary)
  /// Processing failed; there are no results.
  case failed(RecordingError)
  /// The batch ended before the recording was finished.
  case notReached

  /// The summary of the results; nil if there are none.
  public var summary: RecordingSummary? {
    switch self {
    case .done(let summary, _, _), .skipped(let summary): summary
    case .failed, .notReached: nil
    }
  }

  /// The processing time; nil if the recording was not processed to the end.
  public var timing: RecordingTiming? {
    if case .done(_, let timing, _) = self { timing } else { nil }
  }

  /// The error of a failed recording; otherwise nil.
  public var failure: RecordingError? {
    if case .failed(let error) = self { error } else { nil }
  }
}

/// The wall-clock time of one recording.
///
/// It is not part of the results, which are identical to the byte in every run.
public struct RecordingTiming: Sendable, Equatable, Codable {
  /// Reading, seconds.
  public var readS: Double
  /// Computing, seconds.
  public var processS: Double
  /// Writing, seconds.
  public var writeS: Double
  /// Rows read per second of the total time.
  public var rowsPerSecond: Double

  /// Creates the timing of `rows` rows from the durations of the three steps, seconds.
  package init(readS: Double, processS: Double, writeS: Double, rows: Int) {
    self.readS = readS
    self.processS = processS
    self.writeS = writeS
    rowsPerSecond = Double(rows) / max(readS + processS + writeS, 1e-9)
  }
}

/// The progress of a batch since the last report.
public struct BatchProgress: Sendable, Equatable {
  /// Recordings finished, whatever their outcome.
  public var recordings = 0
  /// Bytes of input processed.
  public var bytes = 0
  /// Bytes of input that need no processing, because their recordings were skipped or failed.
  public var skippedBytes = 0
  /// Rows processed.
  public var rows = 0

  /// Creates a report without progress.
  public init() {}
}
