import Fathom

/// A stretch with what came of it.
struct ProcessedStretch: Sendable {
  var stretch: TimedStretch
  /// What came of the ranges, tag by tag.
  var results: [[ProcessedRange]]
  /// The positions written down, tag by tag.
  var positions: [PositionColumns]
  /// The zones on the floor plan that they enter and leave.
  var zones = ZoneColumns()
}

/// Puts results into words, stretch by stretch, as ``ResultWriter`` does for a whole recording.
struct ResultWording: Sendable {
  private let tags: [[UInt8]]
  private let anchors: [[UInt8]]
  private let rangeDecimals: Int
  private let positionDecimals: Int
  private let formats: Set<ResultFormat>
  private let hasZones: Bool
  /// Names as JSON has them; empty where it was not asked for.
  private let tagStrings: [[UInt8]]
  private let anchorStrings: [[UInt8]]
  /// Places of the names that have tracks.
  private let places: [String: Int]

  /// The wording for a recording with the names and times of `outline`, in `formats`.
  init(
    _ outline: RecordingOutline, _ settings: ProcessingSettings,
    formats: Set<ResultFormat> = [.csv]
  ) {
    self.formats = formats
    hasZones = settings.zones != nil && !outline.anchors.isEmpty
    let hasLines = formats.contains(.jsonl)
    tagStrings = hasLines ? outline.tagNames.map(JSONLines.field) : []
    anchorStrings = hasLines ? outline.anchorNames.map(JSONLines.field) : []
    let located = formats.contains(.tum) ? outline.locatedNames : []
    places = Dictionary(
      zip(located, located.indices), uniquingKeysWith: { first, _ in first })
    tags = outline.tagNames.map(CSVRow.field)
    anchors = outline.anchorNames.map(CSVRow.field)
    rangeDecimals = outline.timeDecimals
    positionDecimals = ResultWriter.positionDecimals(
      rangeDecimals: rangeDecimals, grid: outline.anchors.isEmpty ? nil : settings.rateHz)
  }

  /// The first lines of the tables.
  var headers: ResultText {
    var text = ResultText()
    if hasZones { text.zones = CSVRow(header: ResultWriter.zonesHeader, rows: 0) }
    guard formats.contains(.csv) else { return text }
    text.positions = CSVRow(header: ResultWriter.positionsHeader, rows: 0)
    text.distances = CSVRow(header: ResultWriter.distancesHeader, rows: 0)
    return text
  }

  /// The rows of `done`.
  func text(_ done: ProcessedStretch) -> ResultText {
    var text = text(of: .merged(done.positions))
    if formats.contains(.csv) { text.distances = rows(done) }
    if formats.contains(.jsonl) { text.distanceLines = lines(done) }
    text.zones = self.text(of: done.zones)
    return text
  }

  private func rows(_ done: ProcessedStretch) -> CSVRow {
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
    return row
  }

  private func lines(_ done: ProcessedStretch) -> TextBuffer {
    let ranges = done.stretch.ranges
    var text = TextBuffer(bytes: ranges.count * 240)
    var next = [Int](repeating: 0, count: done.results.count)
    for case .range(let index) in done.stretch.entries {
      let tag = Int(ranges.tag[index])
      JSONLines.append(
        time: ranges.time[index], timeDecimals: rangeDecimals, tag: tagStrings[tag],
        anchor: anchorStrings[Int(ranges.anchor[index])], distance: ranges.distance[index],
        done.results[tag][next[tag]], angles: ranges.reportedAngles(at: index), to: &text)
      next[tag] += 1
    }
    return text
  }

  /// The rows of `zones`.
  func text(of zones: ZoneColumns) -> CSVRow {
    var row = CSVRow(rows: zones.count, of: 60)
    ResultWriter.append(zones, timeDecimals: positionDecimals, to: &row)
    return row
  }

  /// Positions that belong to no ranges.
  func text(of positions: PositionColumns) -> ResultText {
    var text = ResultText()
    if formats.contains(.csv) {
      text.positions = CSVRow(rows: positions.count, of: 120)
      ResultWriter.append(positions, timeDecimals: positionDecimals, to: &text.positions)
    }
    if formats.contains(.jsonl) {
      text.positionLines = TextBuffer(bytes: positions.count * 260)
      JSONLines.append(positions, timeDecimals: positionDecimals, to: &text.positionLines)
    }
    if formats.contains(.tum) {
      text.tracks = TrackTexts(positions, places: places, timeDecimals: positionDecimals)
    }
    return text
  }
}
