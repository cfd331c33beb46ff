import Fathom

/// A reader of the ranges of a file in order of time, block by block.
///
/// A range is buffered until no earlier range can follow, according to the file's largest lateness
/// from the first pass. Ranges of a file in order pass through directly. If rows are late by a
/// second, ranges wait for a second. A file sorted by tag is buffered completely.
struct TimeOrderedRanges {
  /// Source of the ranges; nil when all of them are buffered.
  private var reader: RangesReader?
  /// Maximum lateness of a range relative to a range before it, in nanoseconds.
  private let lateness: Int64
  /// Maximum numbers of tags and anchors in the file.
  private let most: (tags: Int, anchors: Int)
  /// Ranges that have been read but not returned.
  private var waiting: RangeColumns
  /// Number of buffered ranges below which sorting does not pay.
  private var enough = 0
  private var latest = Timestamp(nanoseconds: .min)
  /// Whether all ranges have been returned.
  private(set) var isDone = false

  /// Creates a reader that sorts the ranges of `reader`, which is at the beginning of the file.
  ///
  /// `lateness` is the maximum lateness of a range relative to a range before it in the file, in
  /// nanoseconds; `most` are the numbers of tags and anchors in the file.
  init(_ reader: RangesReader, lateness: Int64, most: (tags: Int, anchors: Int)) {
    self.reader = reader
    self.lateness = lateness
    self.most = most
    waiting = ParsedRanges(layout: reader.layout).ranges
  }

  /// Creates a reader that sorts the ranges in `columns`, which are late by at most `lateness`
  /// nanoseconds.
  init(_ columns: RangeColumns, lateness: Int64) {
    reader = nil
    self.lateness = lateness
    most = (.max, .max)
    waiting = columns
  }

  /// The file with the checksum of the bytes read so far; nil when no file is read.
  var source: SourceFile? { reader?.source }

  /// Returns the next ranges in order of time, simultaneous ones in the order of the file; nil at
  /// the end.
  ///
  /// Throws when the file names more tags or anchors than in the first pass.
  mutating func next() throws(RecordingError) -> RangeColumns? {
    while !isDone {
      guard let table = try reader?.next() else {
        isDone = true
        return waiting.count == 0 ? nil : sorted(waiting, before: nil)
      }
      guard table.tagNames.count <= most.tags, table.anchorNames.count <= most.anchors else {
        throw .changed(reader?.source.path ?? "")
      }
      if lateness == 0 {
        if table.ranges.count > 0 { return table.ranges }
        continue
      }
      for time in table.ranges.time { latest = max(latest, time) }
      waiting.append(contentsOf: table.ranges)
      if waiting.count < enough { continue }
      let (limit, overflow) = latest.nanoseconds.subtractingReportingOverflow(lateness)
      if overflow { continue }
      let ready = sorted(waiting, before: Timestamp(nanoseconds: limit))
      // Sorting pays when at least half of the sorted ranges are returned.
      enough = 2 * waiting.count
      if ready.count > 0 { return ready }
    }
    return nil
  }

  /// Returns the ranges of `columns` up to the time `limit` (all when nil) in order of time, and
  /// buffers the others.
  private mutating func sorted(_ columns: RangeColumns, before limit: Timestamp?) -> RangeColumns {
    let order = columns.orderByTime() ?? Array(0..<columns.count)
    let count = limit.map { limit in order.firstPlace { columns.time[$0] > limit } } ?? order.count
    waiting = columns.gathered(order[count...])
    return columns.gathered(order[..<count])
  }
}
