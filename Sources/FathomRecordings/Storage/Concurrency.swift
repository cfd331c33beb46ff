import Dispatch
import Foundation
import Synchronization

/// A value that one thread at a time can use.
///
/// As `Mutex` of the standard library, which would do, were it not made of system calls on Linux that
/// the thread sanitizer does not know: every use of a value in it counts as a race there [Swift 6.3].
/// This one is a lock that it knows, so that its silence means something.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  /// Only touched while ``lock`` is held.
  private var value: Value

  /// A value that nobody uses yet.
  package init(_ value: Value) { self.value = value }

  /// Calls `body` with the value as soon as nobody else uses it.
  ///
  /// - Parameter body: what to do with it; it must not ask for the same value again.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// Calls `body` once with each of `jobs`, on at most `width` threads, and waits for all of them.
///
/// Jobs begin in their order, each as soon as a thread is free. The calling thread takes part; with one
/// thread nothing but it is used.
///
/// - Parameters:
///   - jobs: what is to be done; nothing of one job is to be reached from another.
///   - width: on how many threads, at least 1.
///   - body: does one job.
func performConcurrently<Job>(
  _ jobs: inout [Job], width: Int, _ body: @Sendable (inout Job) -> Void
) {
  let width = min(width, jobs.count)
  guard width > 1 else {
    for index in jobs.indices { body(&jobs[index]) }
    return
  }
  let next = Atomic(0)
  jobs.withUnsafeMutableBufferPointer { buffer in
    // The counter gives every job to one thread, and this one waits for all of them.
    nonisolated(unsafe) let jobs = buffer
    DispatchQueue.concurrentPerform(iterations: width) { _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < jobs.count else { return }
        body(&jobs[index])
      }
    }
  }
}
