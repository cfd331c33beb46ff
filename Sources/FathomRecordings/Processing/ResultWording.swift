import Fathom

/// A stretch with what came of it.
struct ProcessedStretch: Sendable {
  var stretch: TimedStretch
  /// What came of the ranges.
  var results: ResultsByTag
  /// The positions written down.
  var positions: PositionsByTag
}

/// What came of the ranges of a stretch, tag by tag in one list.
struct ResultsByTag: Sendable {
  /// Those of the first tag, then those of the second, and so on.
  private(set) var ranges: [ProcessedRange] = []
  /// Where those of each tag begin.
  private(set) var starts: [Int] = []

  /// One list of the lists of all tags.
  init(_ tags: [[ProcessedRange]]) {
    ranges.reserveCapacity(tags.reduce(0) { $0 + $1.count })
    for tag in tags {
      starts.append(ranges.count)
      ranges += tag
    }
  }
}

/// The rows of a stretch of results as text.
struct ResultText: Sendable {
  var positions: CSVRow
  var distances: CSVRow
}

/// Puts results into words, stretch by stretch, as ``ResultWriter`` does for a whole recording.
struct ResultWording: Sendable {
  private let tags: FieldTable
  private let anchors: FieldTable
  private let distanceRows: DistanceRows
  private let positionRows: PositionRows
  private let names: LocatedNames
  private let located: FieldTable

  /// The wording for a recording with the names and times of `outline`.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    tags = FieldTable(outline.tagNames.map(CSVRow.field))
    anchors = FieldTable(outline.anchorNames.map(CSVRow.field))
    let rangeDecimals = outline.timeDecimals
    names = LocatedNames(outline)
    located = FieldTable(names.names.map(CSVRow.field))
    distanceRows = DistanceRows(timeDecimals: rangeDecimals)
    positionRows = PositionRows(
      timeDecimals: ResultWriter.positionDecimals(
        rangeDecimals: rangeDecimals, grid: outline.anchors.isEmpty ? nil : settings.rateHz))
  }

  /// The first line of a table.
  func header(_ text: String) -> CSVRow { CSVRow(header: text, rows: 0) }

  /// The rows of `done`.
  func text(_ done: ProcessedStretch) -> ResultText {
    let ranges = done.stretch.ranges
    let hasAngles = ranges.hasAngles
    var row = CSVRow(rows: ranges.count, of: 90)
    var next = done.results.starts
    for case .range(let index) in done.stretch.entries {
      let tag = Int(ranges.tag[index])
      distanceRows.append(
        time: ranges.time[index], tag: tag, anchor: Int(ranges.anchor[index]),
        distance: ranges.distance[index], done.results.ranges[next[tag]],
        angles: hasAngles ? ranges.reportedAngles(at: index) : nil, tags: tags,
        anchors: anchors, to: &row)
      next[tag] += 1
    }
    var text = text(of: done.positions)
    text.distances = row
    return text
  }

  /// Positions that belong to no ranges.
  func text(of positions: PositionsByTag) -> ResultText {
    var row = CSVRow(rows: positions.rows.count, of: 120)
    positions.forEachInOrder { tag, position in
      positionRows.append(
        position, name: names.place(of: position, tag: tag), of: located, to: &row)
    }
    return ResultText(positions: row, distances: CSVRow(rows: 0, of: 0))
  }
}
