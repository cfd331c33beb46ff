import Fathom

/// A stretch with what came of it.
struct ProcessedStretch: Sendable {
  var stretch: TimedStretch
  /// What came of the ranges, tag by tag.
  var results: [[ProcessedRange]]
  /// The positions written down, tag by tag.
  var positions: [PositionColumns]
}

/// The rows of a stretch of results as text.
struct ResultText: Sendable {
  var positions: CSVRow
  var distances: CSVRow
}

/// Puts results into words, stretch by stretch, as ``ResultWriter`` does for a whole recording.
struct ResultWording: Sendable {
  private let tags: [[UInt8]]
  private let anchors: [[UInt8]]
  private let rangeDecimals: Int
  private let positionDecimals: Int

  /// The wording for a recording with the names and times of `outline`.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    tags = outline.tagNames.map(CSVRow.field)
    anchors = outline.anchorNames.map(CSVRow.field)
    rangeDecimals = outline.timeDecimals
    positionDecimals = ResultWriter.positionDecimals(
      rangeDecimals: rangeDecimals, grid: outline.anchors.isEmpty ? nil : settings.rateHz)
  }

  /// The first line of a table.
  func header(_ text: String) -> CSVRow { CSVRow(header: text, rows: 0) }

  /// The rows of `done`.
  func text(_ done: ProcessedStretch) -> ResultText {
    let ranges = done.stretch.ranges
    var row = CSVRow(rows: ranges.count, of: 90)
    var next = [Int](repeating: 0, count: done.results.count)
    for case .range(let index) in done.stretch.entries {
      let tag = Int(ranges.tag[index])
      ResultWriter.append(
        time: ranges.time[index], timeDecimals: rangeDecimals, tag: tags[tag],
        anchor: anchors[Int(ranges.anchor[index])], distance: ranges.distance[index],
        done.results[tag][next[tag]], angles: ranges.reportedAngles(at: index), to: &row)
      next[tag] += 1
    }
    var text = text(of: .merged(done.positions))
    text.distances = row
    return text
  }

  /// Positions that belong to no ranges.
  func text(of positions: PositionColumns) -> ResultText {
    var row = CSVRow(rows: positions.count, of: 120)
    ResultWriter.append(positions, timeDecimals: positionDecimals, to: &row)
    return ResultText(positions: row, distances: CSVRow(rows: 0, of: 0))
  }
}
