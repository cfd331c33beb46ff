/// The books of a batch while it runs: what became of each recording so far.
///
/// Whoever interrupts the batch closes its gate first; what is in the books then is what is on the disk.
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
