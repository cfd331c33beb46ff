import Dispatch
import Synchronization

/// Calls `body` once with each of `jobs`, on at most `width` threads, and waits for all of them.
///
/// Jobs begin in their order, each as soon as a thread is free. The calling thread takes part; with one
/// thread nothing but it is used.
///
/// - Parameters:
///   - jobs: what is to be done; nothing of one job is to be reached from another.
///   - width: on how many threads, at least 1.
///   - body: does one job.
func sideBySide<Job>(_ jobs: inout [Job], width: Int, _ body: @Sendable (inout Job) -> Void) {
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
