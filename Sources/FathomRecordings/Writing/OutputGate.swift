import Synchronization

/// Lets one set of files be written at a time, until it is closed for good.
///
/// A program that is interrupted closes the gate before it ends: what is being written is completed,
/// and nothing more is begun, so that no part of a set is left behind.
public final class OutputGate: Sendable {
  private let isClosed = Mutex(false)

  /// An open gate.
  public init() {}

  /// Writes `files` whole or not at all, see ``OutputFile/write(_:)``.
  ///
  /// - Throws: ``RecordingError/cannotWrite(path:reason:)``, also where the gate is closed.
  public func write(_ files: [OutputFile]) throws(RecordingError) {
    try isClosed.withLock { isClosed throws(RecordingError) in
      if isClosed { throw .cannotWrite(path: files.first?.path ?? "", reason: "interrupted") }
      try OutputFile.write(files)
    }
  }

  /// Waits for the set that is being written, and lets no other begin.
  public func close() {
    isClosed.withLock { $0 = true }
  }
}
