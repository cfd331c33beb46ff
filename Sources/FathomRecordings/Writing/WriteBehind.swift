import CStorage
import Foundation

/// Gives a file to the disk while more of it is being written.
///
/// What a system keeps in memory until a file is complete, the disk takes while everybody waits. Asked
/// for from time to time, it takes most of it while there is something else to do.
final class WriteBehind: Sendable {
  private struct State {
    var isRunning = false
    /// The first error that the system told of: it tells of each only once.
    var failure: Int32 = 0
  }

  private let state = Locked(State())
  private let group = DispatchGroup()

  /// Begins to give to the disk what was written to `descriptor`, unless that is going on still.
  func begin(_ descriptor: Int32) {
    let isFirst = state.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    DispatchQueue.global(qos: .utility).async(group: group) { [self] in
      let failure = Self.counted(fathom_begin_giving(descriptor))
      state.withLock { state in
        state.isRunning = false
        if state.failure == 0 { state.failure = failure }
      }
    }
  }

  /// Waits for what was begun; the descriptor may be closed then.
  ///
  /// - Returns: The error number of the first that failed, or 0.
  @discardableResult
  func wait() -> Int32 {
    group.wait()
    return state.withLock { $0.failure }
  }

  /// Waits until the disk has what was written to `descriptor`.
  ///
  /// - Parameter descriptor: of an open file.
  /// - Returns: The error number, or 0.
  static func synchronize(_ descriptor: Int32) -> Int32 {
    #if os(Linux)
      let result = fdatasync(descriptor)
    #else
      let result = fsync(descriptor)
    #endif
    return counted(result == 0 ? 0 : errno)
  }

  /// The error number `failure`, or 0 where it says that a file system cannot be told to do so.
  private static func counted(_ failure: Int32) -> Int32 {
    failure == EINVAL || failure == EOPNOTSUPP ? 0 : failure
  }
}
