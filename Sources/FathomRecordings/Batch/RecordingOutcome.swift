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
  public init(readS: Double, processS: Double, writeS: Double, rows: Int) {
    self.readS = readS
    self.processS = processS
    self.writeS = writeS
    rowsPerSecond = Double(rows) / max(readS + processS + writeS, 1e-9)
  }
}
