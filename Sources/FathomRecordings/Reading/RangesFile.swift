import Fathom

/// What a ranges file holds, or a stretch of one.
struct RangesFile {
  let layout: RangesLayout
  var ranges = RangeColumns()
  var events: [RecordedEvent] = []
  var rejected: [RejectedRow] = []
  var rowsRead = 0
  var commentLines = 0
  /// All names so far, also in a stretch.
  var tagNames: [String] = []
  var anchorNames: [String] = []
  /// The file as a summary lists it, with its check sum; nil in a stretch.
  var source: SourceFile?

  /// An empty file of the given layout.
  init(layout: RangesLayout) {
    self.layout = layout
    _ = OptionalCells.prepare(&ranges, layout)
  }

  /// Adds the stretch that follows.
  mutating func append(_ next: RangesFile) {
    ranges.append(contentsOf: next.ranges)
    events += next.events
    rejected += next.rejected
    rowsRead += next.rowsRead
    commentLines += next.commentLines
    tagNames = next.tagNames
    anchorNames = next.anchorNames
  }
}
