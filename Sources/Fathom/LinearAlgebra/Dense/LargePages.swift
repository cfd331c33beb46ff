#if os(Linux)
  import Glibc
#endif

/// Large arrays in large pages, where the system has them.
///
/// Memory that was never used before costs an exception of the processor for each page that is met:
/// of usual pages, 4 KiB on most machines, so many that they take up to a third of the time of what
/// fills an array once.
enum LargePages {
  /// Less is not worth the call.
  private static let least = 4 << 20

  /// Asks for large pages for `memory`, before it is used.
  static func advise(_ memory: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      guard memory.count >= least, let base = memory.baseAddress else { return }
      // Only whole pages can be advised on; all of them lie in this memory.
      let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
      let skipped = -Int(bitPattern: base) & (page - 1)
      let whole = (memory.count - skipped) & ~(page - 1)
      // Where the system has none, nothing is lost.
      _ = madvise(base + skipped, whole, MADV_HUGEPAGE)
    #endif
  }

  /// So many copies of `element`.
  static func array<Element>(of element: Element, count: Int) -> [Element] {
    // Swift's initialiser would write into the storage that all empty arrays share.
    guard count > 0 else { return [] }
    return Array(unsafeUninitializedCapacity: count) { memory, initialized in
      advise(UnsafeMutableRawBufferPointer(memory))
      memory.initialize(repeating: element)
      initialized = count
    }
  }
}

extension Array {
  /// Reserves capacity for `count` elements, in large pages where it is new.
  package mutating func reserveLargePages(_ count: Int) {
    reserveCapacity(count)
    let whole = capacity * MemoryLayout<Element>.stride
    withUnsafeMutableBytes { used in
      LargePages.advise(UnsafeMutableRawBufferPointer(start: used.baseAddress, count: whole))
    }
  }
}
