import Fathom

/// The ranges of a file in order of time, stretch by stretch.
///
/// Ranges wait until none that is earlier can come any more, which those who have read the file before
/// know as its greatest lateness. A file in order passes straight through; one whose
/// rows are late by a second waits for a second; one that lists tag after tag has to come into memory.
struct TimeOrderedRanges {
  /// Where they come from; nil where all of them wait already.
  private var reader: RangesReader?
  /// By how much a range may be earlier than one before it, nanoseconds.
  private let lateness: Int64
  /// The most tags and anchors that the file may name.
  private let most: (tags: Int, anchors: Int)
  /// Ranges that were read and are still to be given out.
  private var waiting: RangeColumns
  /// With fewer than so many it is not worth the sorting.
  private var enough = 0
  private var latest = Timestamp(nanoseconds: .min)
  /// Whether all ranges were given out.
  private(set) var isDone = false

  /// The ranges of `reader`, of which none is later than `lateness` nanoseconds.
  ///
  /// - Parameters:
  ///   - reader: a reader at the beginning of the file.
  ///   - lateness: by how much a range is earlier than one before it in the file, at most, nanoseconds.
  ///   - most: the numbers of tags and anchors that the file names.
  init(_ reader: RangesReader, lateness: Int64, most: (tags: Int, anchors: Int)) {
    self.reader = reader
    self.lateness = lateness
    self.most = most
    waiting = RangesTable(layout: reader.layout).ranges
  }

  /// The ranges in `columns`, of which none is later than `lateness` nanoseconds.
  init(_ columns: RangeColumns, lateness: Int64) {
    reader = nil
    self.lateness = lateness
    most = (.max, .max)
    waiting = columns
  }

  /// The file with the check sum of what was taken in so far; nil where no file is read.
  var source: SourceFile? { reader?.source }

  /// The ranges that follow in order of time, those of one instant in the order of the file; nil at the
  /// end.
  ///
  /// - Throws: what ``RangesReader/next()`` throws; ``RecordingError/noInput(path:reason:)`` where the file
  ///   names more tags or anchors than it did.
  mutating func next() throws(RecordingError) -> RangeColumns? {
    while !isDone {
      guard let stretch = try reader?.next() else {
        isDone = true
        return waiting.count == 0 ? nil : sorted(waiting, before: nil)
      }
      guard stretch.tagNames.count <= most.tags, stretch.anchorNames.count <= most.anchors else {
        throw .noInput(path: reader?.source.path ?? "", reason: "changed while it was read")
      }
      if lateness == 0 {
        if stretch.ranges.count > 0 { return stretch.ranges }
        continue
      }
      for time in stretch.ranges.time { latest = max(latest, time) }
      waiting.append(contentsOf: stretch.ranges)
      if waiting.count < enough { continue }
      let (limit, overflow) = latest.nanoseconds.subtractingReportingOverflow(lateness)
      if overflow { continue }
      let ready = sorted(waiting, before: Timestamp(nanoseconds: limit))
      // Sorting costs as much as gives out at least half of what is sorted.
      enough = 2 * waiting.count
      if ready.count > 0 { return ready }
    }
    return nil
  }

  /// The ranges of `columns` up to the instant `limit` (nil: all) in order of time; the others are left
  /// waiting.
  private mutating func sorted(_ columns: RangeColumns, before limit: Timestamp?) -> RangeColumns {
    let order = columns.orderByTime() ?? Array(0..<columns.count)
    let count = limit.map { limit in order.partitioned { columns.time[$0] > limit } } ?? order.count
    waiting = columns.gathered(order[count...])
    return columns.gathered(order[..<count])
  }
}

extension Array {
  /// The place of the first element that `isBehind`, in an array that has all of those at its end.
  fileprivate func partitioned(by isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
