import Fathom

/// The content of a ranges file or of a part of it.
struct RangesTable {
  let layout: RangesLayout
  var ranges = RangeColumns()
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
  /// The file's entry in a summary, with its checksum; nil in a part.
  var source: SourceFile?

  /// Creates an empty table of the given layout.
  init(layout: RangesLayout) {
    self.layout = layout
    _ = ranges.addOptionalColumns(of: layout)
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

  /// Appends the next part of the file.
  mutating func append(_ next: RangesTable) {
    ranges.append(contentsOf: next.ranges)
    events += next.events
    rejected.append(contentsOf: next.rejected)
    tagRanges.append(contentsOf: next.tagRanges)
    rowsRead += next.rowsRead
    commentLines += next.commentLines
    tagNames = next.tagNames
    anchorNames = next.anchorNames
  }

  /// Appends the next parts of the file, with the columns processed in parallel on `width` threads.
  ///
  /// Most of the time is spent on the first access to new memory, whichever thread makes it.
  mutating func append(_ next: [RangesTable], width: Int) {
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

extension RangeColumns {
  /// Adds the optional columns of a file of `layout`; returns whether there are any.
  mutating func addOptionalColumns(of layout: RangesLayout) -> Bool {
    if layout[.sigma] != nil { sigma = [] }
    if layout[.azimuth] != nil { azimuth = [] }
    if layout[.elevation] != nil { elevation = [] }
    if layout[.horizontalAngle] != nil { horizontalAngle = [] }
    if layout.hasDirection { direction = .init() }
    if layout[.verticalEstimate] != nil { verticalEstimate = [] }
    if layout[.rssi] != nil { rssi = [] }
    if layout[.firstPathRSSI] != nil { firstPathRSSI = [] }
    if layout[.nonLineOfSight] != nil { nonLineOfSight = [] }
    if layout[.trueDistance] != nil { trueDistance = [] }
    if layout[.height] != nil { height = [] }
    return self != RangeColumns()
  }

  /// Moves the columns into groups of about equal memory, in each of which the other columns are
  /// empty.
  fileprivate mutating func separated() -> [RangeColumns] {
    var groups = [RangeColumns](repeating: RangeColumns(), count: 4)
    swap(&groups[0].time, &time)
    swap(&groups[1].distance, &distance)
    swap(&groups[2].line, &line)
    swap(&groups[3].tag, &tag)
    swap(&groups[3].anchor, &anchor)
    return groups + [self]
  }

  /// Creates columns from the groups of ``separated()``.
  fileprivate init(_ groups: consuming [RangeColumns]) {
    self = groups[4]
    time = groups[0].time
    distance = groups[1].distance
    line = groups[2].line
    tag = groups[3].tag
    anchor = groups[3].anchor
  }
}

extension RangeColumns {
  /// Removes all ranges, but keeps the columns and their memory.
  mutating func removeAll() { withEachColumn(Emptying()) }

  /// Reserves memory for `count` ranges, in large pages if the system supports them.
  mutating func reserveLargePages(_ count: Int) { withEachColumn(Reservation(count: count)) }

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
    change.apply(ifThere: &height)
    guard var directions = direction else { return }
    direction = nil
    change.apply(to: &directions.x)
    change.apply(to: &directions.y)
    change.apply(to: &directions.z)
    direction = directions
  }
}

/// A change of a column, whatever its elements.
private protocol ColumnChange {
  func apply<Element>(to column: inout [Element])
}

extension ColumnChange {
  func apply<Element>(ifThere column: inout [Element]?) {
    guard var elements = column else { return }
    // Removing the other reference prevents a copy on write.
    column = nil
    apply(to: &elements)
    column = elements
  }
}

private struct Emptying: ColumnChange {
  func apply<Element>(to column: inout [Element]) { column.removeAll(keepingCapacity: true) }
}

private struct Reservation: ColumnChange {
  let count: Int

  func apply<Element>(to column: inout [Element]) { column.reserveLargePages(count) }
}
