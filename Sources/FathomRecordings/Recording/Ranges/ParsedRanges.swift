import Fathom

/// The rows of a ranges file, of a part of it, or of a table in memory, sorted into ranges, ranges
/// between tags, events and rejected rows.
struct ParsedRanges {
  let layout: RangesLayout
  var ranges: RangeColumns
  var events: [RecordedEvent] = []
  var rejected = RejectedRows()
  /// All rejected rows of a part, if the reader collects them.
  var packedRejected = PackedRejectedRows()
  /// The ranges between tags.
  var tagRanges = TagRangeColumns()
  /// Names in the column of the anchors that are tags, whose rows were rejected as those of undeclared anchors;
  /// empty in a part.
  var tagAnchors: [String] = []
  var rowsRead = 0
  var commentLines = 0
  /// Names of the file so far, also in a part.
  var tagNames: [String] = []
  var anchorNames: [String] = []
  /// Notes on a device log; empty in a part.
  var logNotes: [String] = []
  /// Message about rows of undeclared anchors; nil without such rows, and in a part.
  var undeclared: String?
  /// The file's entry in a summary, with its checksum; nil in a part, and for a table in memory.
  var source: SourceFile?

  /// Creates an empty table of the given layout.
  init(layout: RangesLayout) {
    self.layout = layout
    ranges = RangeColumns(with: layout.numbers.map(\.quantity))
  }

  /// Empties the table, except for its layout and the memory of its columns.
  mutating func removeAll() {
    ranges.removeAll()
    events = []
    rejected = []
    tagRanges = TagRangeColumns()
    packedRejected = PackedRejectedRows()
    rowsRead = 0
    commentLines = 0
    tagNames = []
    anchorNames = []
    source = nil
  }

  /// Replaces the lines of a text by those of the file from which it was made.
  mutating func replaceLines(by lines: LineMap) {
    for index in ranges.line.indices { ranges.line[index] = lines[ranges.line[index]] }
    for index in tagRanges.line.indices { tagRanges.line[index] = lines[tagRanges.line[index]] }
    for index in events.indices { events[index].line = lines[events[index].line] }
    rejected.replaceLines(by: lines)
    packedRejected.replaceLines(by: lines)
  }

  /// Appends the next parts of the file, with the columns processed in parallel on `width` threads.
  ///
  /// Most of the time is spent on the first access to new memory, whichever thread makes it.
  mutating func append(_ next: [ParsedRanges], width: Int) {
    var jobs = ranges.separated().map { (columns: $0, more: [RangeColumns]()) }
    ranges = RangeColumns()
    for file in next {
      var more = file.ranges
      for (index, columns) in more.separated().enumerated() { jobs[index].more.append(columns) }
      events += file.events
      rejected.append(contentsOf: file.rejected)
      tagRanges.append(contentsOf: file.tagRanges)
      rowsRead += file.rowsRead
      commentLines += file.commentLines
      tagNames = file.tagNames
      anchorNames = file.anchorNames
    }
    performConcurrently(&jobs, width: width) { job in
      for more in job.more { job.columns.append(contentsOf: more) }
    }
    ranges = RangeColumns(jobs.map(\.columns))
  }
}

extension Recording {
  /// Adopts the rows of a file or table, with notes on them; `source` is what it is called in the notes.
  mutating func adopt(_ rows: ParsedRanges, declared: [String], source: String = "ranges file") {
    tagNames = rows.tagNames
    anchorNames = rows.anchorNames
    ranges = rows.ranges
    tagRanges = rows.tagRanges
    events = rows.events
    rejected = rows.rejected
    rowsRead = rows.rowsRead
    var counts = RowCounts()
    counts.count(rows)
    notes += rows.logNotes + counts.notes(rows.layout, declared: declared, source: source)
    warnings += [rows.undeclared].compactMap { $0 } + rows.layout.warnings
  }
}
