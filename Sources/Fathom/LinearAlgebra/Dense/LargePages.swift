#if os(Linux)
  import Glibc
#endif

/// Allocation of large arrays in large memory pages, where the system supports them.
///
/// The first access to each page of new memory causes a page fault. With the usual pages of 4 KiB
/// these faults take up to a third of the time of code that fills an array once.
enum LargePages {
  /// The smallest size for which large pages are requested, bytes: the call costs more than it
  /// saves below.
  private static let least = 4 << 20

  /// Requests large pages for `memory`, before its first use.
  static func advise(_ memory: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      guard memory.count >= least, let base = memory.baseAddress else { return }
      // madvise accepts whole pages only; all of them lie in this memory.
      let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
      let skipped = -Int(bitPattern: base) & (page - 1)
      let whole = (memory.count - skipped) & ~(page - 1)
      // Without large pages the call fails and changes nothing.
      _ = madvise(base + skipped, whole, MADV_HUGEPAGE)
    #endif
  }

  /// Returns an array of `count` copies of `element`.
  static func array<Element>(of element: Element, count: Int) -> [Element] {
    // Swift's initialiser would write into the shared storage of empty arrays.
    guard count > 0 else { return [] }
    return Array(unsafeUninitializedCapacity: count) { memory, initialized in
      advise(UnsafeMutableRawBufferPointer(memory))
      memory.initialize(repeating: element)
      initialized = count
    }
  }
}

extension Array {
  /// Reserves capacity for `count` elements, using large pages for new storage.
  package mutating func reserveLargePages(_ count: Int) {
    reserveCapacity(count)
    let whole = capacity * MemoryLayout<Element>.stride
    withUnsafeMutableBytes { used in
      LargePages.advise(UnsafeMutableRawBufferPointer(start: used.baseAddress, count: whole))
    }
  }
}
