import Fathom
import Foundation

extension RangeColumns {
  /// Forgets all ranges, but keeps the memory of the columns, and which of them exist.
  mutating func removeAll() { withEachColumn(Emptying()) }

  /// Takes the memory for `count` ranges at once, in large pages where the system has them.
  ///
  /// Memory that was never used before costs an exception of the processor for each page that is
  /// met: of usual pages, 4 KiB on most machines, so many that they take a fifth of the time that
  /// reading does.
  mutating func reserveLargePages(_ count: Int) {
    reserveCapacity(count)
    withEachColumn(LargePages())
  }

  private mutating func withEachColumn(_ change: some ColumnChange) {
    change.apply(to: &time)
    change.apply(to: &tag)
    change.apply(to: &anchor)
    change.apply(to: &distance)
    change.apply(to: &line)
    change.apply(ifThere: &sigma)
    change.apply(ifThere: &azimuth)
    change.apply(ifThere: &elevation)
    change.apply(ifThere: &horizontalAngle)
    change.apply(ifThere: &verticalEstimate)
    change.apply(ifThere: &rssi)
    change.apply(ifThere: &firstPathRSSI)
    change.apply(ifThere: &nonLineOfSight)
    change.apply(ifThere: &trueDistance)
    guard var directions = direction else { return }
    direction = nil
    change.apply(to: &directions.x)
    change.apply(to: &directions.y)
    change.apply(to: &directions.z)
    direction = directions
  }
}

/// Something done to a column whatever its elements are.
private protocol ColumnChange {
  func apply<Element>(to column: inout [Element])
}

extension ColumnChange {
  func apply<Element>(ifThere column: inout [Element]?) {
    guard var elements = column else { return }
    // What is in two places is copied when it changes.
    column = nil
    apply(to: &elements)
    column = elements
  }
}

private struct Emptying: ColumnChange {
  func apply<Element>(to column: inout [Element]) { column.removeAll(keepingCapacity: true) }
}

private struct LargePages: ColumnChange {
  /// Less is not worth the call.
  private static let least = 4 << 20

  func apply<Element>(to column: inout [Element]) {
    #if os(Linux)
      let bytes = column.capacity * MemoryLayout<Element>.stride
      guard bytes >= Self.least else { return }
      column.withUnsafeMutableBytes { memory in
        guard let base = memory.baseAddress else { return }
        // Only whole pages can be advised on; all of them lie in memory of the column.
        let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
        let address = Int(bitPattern: base)
        let skipped = -address & (page - 1)
        let whole = (bytes - skipped) & ~(page - 1)
        // Where the system has none, nothing is lost.
        _ = madvise(base + skipped, whole, MADV_HUGEPAGE)
      }
    #endif
  }
}
