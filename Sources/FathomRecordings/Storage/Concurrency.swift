import Dispatch
import Foundation
import Synchronization

/// A value that only one thread at a time can access.
///
/// Equivalent to `Mutex` of the standard library. On Linux, `Mutex` uses system calls that the
/// thread sanitizer does not know: the sanitizer reports every access as a data race [Swift 6.3].
/// It knows this lock, so that its reports are meaningful.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  /// Accessed only while ``lock`` is held.
  private var value: Value

  /// Creates a lock around `value`.
  package init(_ value: Value) { self.value = value }

  /// Calls `body` with exclusive access to the value; it must not lock the same value again.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// Calls `body` once with each of `jobs` on at most `width` threads, and waits until all are done.
///
/// Jobs start in order, each as soon as a thread is free. The calling thread takes part; with
/// `width` 1 it is the only one. Jobs must not share mutable state. `width` is at least 1.
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
    // The counter assigns every job to one thread, and the calling thread waits for all of them.
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
