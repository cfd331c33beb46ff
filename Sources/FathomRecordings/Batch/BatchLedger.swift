/// The books of a batch while it runs: what became of each recording so far.
///
/// Whoever interrupts the batch closes its writer first; what is in the books then is what is on the disk.
public final class BatchLedger: Sendable {
  /// The recordings, in the order given.
  public let paths: [String]
  private let state: Locked<[RecordingOutcome]>

  /// Books in which none of the recordings at `paths` was reached.
  public init(_ paths: [String]) {
    self.paths = paths
    state = Locked(Array(repeating: .notReached, count: paths.count))
  }

  /// What became of each recording so far, in the order of ``paths``.
  public var outcomes: [RecordingOutcome] { state.withLock { $0 } }

  /// Whether results of some recording are there, by the books.
  var hasResults: Bool { state.withLock { $0.contains { $0.summary != nil } } }

  /// Writes down what became of the recording at `index`.
  func record(_ outcome: RecordingOutcome, at index: Int) {
    state.withLock { $0[index] = outcome }
  }
}

/// What became of a recording of a batch.
public enum RecordingOutcome: Sendable, Equatable {
  /// It was processed, and its results are there; `reason` says why earlier results were replaced,
  /// where a batch was resumed.
  case done(RecordingSummary, RecordingTiming, reason: String?)
  /// Its results were there, complete and up to date.
  case skipped(RecordingSummary)
  /// It failed, without results.
  case failed(RecordingError)
  /// The batch ended before it was done.
  case notReached

  /// What its results say about it; nil where there are none.
  public var summary: RecordingSummary? {
    switch self {
    case .done(let summary, _, _), .skipped(let summary): summary
    case .failed, .notReached: nil
    }
  }

  /// The time it took; nil where it was not processed to the end.
  public var timing: RecordingTiming? {
    if case .done(_, let timing, _) = self { timing } else { nil }
  }

  /// Why it failed; nil where it did not.
  public var failure: RecordingError? {
    if case .failed(let error) = self { error } else { nil }
  }
}

/// Wall-clock time that a recording took.
///
/// It is no part of the results, which are the same to the byte whenever they are computed.
public struct RecordingTiming: Sendable, Equatable, Codable {
  /// Reading, seconds.
  public var readS: Double
  /// Computing, seconds.
  public var processS: Double
  /// Writing, seconds.
  public var writeS: Double
  /// Rows read per second of all three.
  public var rowsPerSecond: Double

  /// The time that `rows` rows took in three steps, seconds each.
  package init(readS: Double, processS: Double, writeS: Double, rows: Int) {
    self.readS = readS
    self.processS = processS
    self.writeS = writeS
    rowsPerSecond = Double(rows) / max(readS + processS + writeS, 1e-9)
  }
}

/// How far a batch has come since it last told.
public struct BatchProgress: Sendable, Equatable {
  /// Recordings that are done with, whatever became of them.
  public var recordings = 0
  /// Bytes of input worked on.
  public var bytes = 0
  /// Bytes of input that need no work after all: of recordings that were skipped or failed.
  public var skippedBytes = 0
  /// Rows worked on.
  public var rows = 0

  /// No progress.
  public init() {}
}
