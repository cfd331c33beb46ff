import FathomRecordings
import Foundation

/// What the tool needs from the system before it can report errors in order.
enum ProcessResources {
  /// Least number of files that may be open: standard streams, threads, inputs and outputs.
  ///
  /// Below about ten the libraries for threads and signals end the process.
  private static let leastFiles: rlim_t = 32
  /// Least size of the stack in bytes.
  private static let leastStack: rlim_t = 1 << 20
  /// Exit code for too few resources.
  static let exitCode: Int32 = 70

  /// Returns what the tool lacks of the system; nil when it can run.
  ///
  /// Raises the number of open files to what the process needs if it may.
  static func shortage() -> String? {
    #if os(Linux)
      // Swift reads the arguments there, and the library of its queues, which ends the process without
      // it, the state of threads.
      if access("/proc/self/task", R_OK) != 0 {
        return "/proc is needed (mount -t proc proc /proc)"
      }
    #endif
    var files = rlimit()
    if getrlimit(resource(RLIMIT_NOFILE), &files) == 0, files.rlim_cur < leastFiles {
      files.rlim_cur = min(leastFiles, files.rlim_max)
      guard setrlimit(resource(RLIMIT_NOFILE), &files) == 0, files.rlim_cur >= leastFiles else {
        return "at least \(leastFiles) open files are needed (ulimit -n)"
      }
    }
    var stack = rlimit()
    if getrlimit(resource(RLIMIT_STACK), &stack) == 0, stack.rlim_cur < leastStack {
      return "a stack of at least \(leastStack >> 10) kB is needed (ulimit -s)"
    }
    return nil
  }

  #if canImport(Glibc)
    private static func resource(_ value: __rlimit_resource) -> __rlimit_resource_t {
      __rlimit_resource_t(value.rawValue)
    }
  #else
    private static func resource(_ value: Int32) -> Int32 { value }
  #endif

  /// Occupies the descriptors of standard streams that are closed.
  ///
  /// The next file that is opened would get such a descriptor: text for the user would then be
  /// written into results. Reading or writing a closed stream fails as before.
  static func occupyClosedStreams() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ] where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free descriptor is this one, because those below are open.
      _ = open("/dev/null", mode)
    }
  }
}
