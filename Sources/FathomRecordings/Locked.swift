import Foundation

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
