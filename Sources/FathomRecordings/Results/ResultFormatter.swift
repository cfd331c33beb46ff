import Fathom

/// A slice with its results.
struct ProcessedSlice: Sendable {
  var slice: RecordingSlice
  /// The results for the ranges of each tag.
  var results: [[RangeResult]]
  /// The positions output since the previous slice.
  var positions: PositionsByTag
  /// The entries into and exits from zones on the floor plan by these positions.
  var zones = ZoneColumns()
}

/// The results for the ranges of a slice in one list, grouped by tag.
struct ResultsByTag: Sendable {
  /// The results of the first tag, then those of the second, and so on.
  private(set) var ranges: [RangeResult] = []
  /// The index in ``ranges`` at which each tag begins.
  private(set) var starts: [Int] = []

  /// Joins the lists of all tags.
  init(_ tags: [[RangeResult]]) {
    ranges.reserveCapacity(tags.reduce(0) { $0 + $1.count })
    for tag in tags {
      starts.append(ranges.count)
      ranges += tag
    }
  }
}

/// Formats results as text slice by slice; the text is the same as that of ``ResultWriter`` for a
/// whole recording.
struct ResultFormatter: Sendable {
  private let formats: Set<ResultFormat>
  private let hasZones: Bool
  private let frame: DeviceFrame
  private let rangeDecimals: Int
  private let positionDecimals: Int
  private let names: TargetNames
  // Fields of the CSV tables.
  private let tags: FieldTable
  private let anchors: FieldTable
  private let located: FieldTable
  private let distanceRows = CSVDistanceRows()
  private let positionRows = CSVPositionRows()
  /// Names as JSON strings; empty unless JSON Lines is requested.
  private let tagStrings: [[UInt8]]
  private let anchorStrings: [[UInt8]]
  /// Indices of the names that have tracks.
  private let places: [String: Int]

  /// Creates the formatter for a recording with the names and times of `outline`.
  init(
    _ outline: RecordingOutline, _ settings: ProcessingSettings,
    formats: Set<ResultFormat> = [.csv]
  ) {
    self.formats = formats
    frame = settings.deviceFrame ?? .phone
    hasZones = settings.zones != nil && !outline.anchors.isEmpty
    rangeDecimals = outline.timeDecimals
    positionDecimals = ResultWriter.positionDecimals(
      rangeDecimals: rangeDecimals, grid: outline.anchors.isEmpty ? nil : settings.rateHz)
    names = TargetNames(outline)
    tags = FieldTable(outline.tagNames.map(CSVBuffer.field))
    anchors = FieldTable(outline.anchorNames.map(CSVBuffer.field))
    located = FieldTable(names.names.map(CSVBuffer.field))
    let hasLines = formats.contains(.jsonl)
    tagStrings = hasLines ? outline.tagNames.map(JSONLines.field) : []
    anchorStrings = hasLines ? outline.anchorNames.map(JSONLines.field) : []
    places = TUMTrajectories.places(of: formats.contains(.tum) ? names.names : [])
  }

  /// The header lines of the tables.
  var headers: FormattedResults {
    var text = FormattedResults()
    if hasZones { text.zones = CSVBuffer(header: ResultWriter.zonesHeader, rows: 0) }
    guard formats.contains(.csv) else { return text }
    text.positions = CSVBuffer(header: ResultWriter.positionsHeader, rows: 0)
    text.distances = CSVBuffer(header: ResultWriter.distancesHeader, rows: 0)
    return text
  }

  /// Returns the rows of the positions and zones of `done`.
  ///
  /// - Parameters:
  ///   - done: a slice with its results.
  ///   - buffers: the pool that provides the memory of the text.
  /// - Returns: The text.
  func textOfPositions(_ done: ProcessedSlice, from buffers: ResultBufferPool) -> FormattedResults {
    var text = buffers.takeForPositions()
    append(done.positions, to: &text)
    text.zones = self.text(of: done.zones)
    return text
  }

  /// Returns the rows of the distances of `done`.
  ///
  /// - Parameters:
  ///   - done: a slice with its results.
  ///   - buffers: the pool that provides the memory of the text.
  /// - Returns: The text.
  func textOfDistances(_ done: ProcessedSlice, from buffers: ResultBufferPool) -> FormattedResults {
    var text = buffers.takeForDistances()
    let results = ResultsByTag(done.results)
    if formats.contains(.csv) { append(done, results, to: &text.distances) }
    if formats.contains(.jsonl) { text.distanceLines = lines(done, results) }
    return text
  }

  private func append(
    _ done: ProcessedSlice, _ results: ResultsByTag, to row: inout CSVBuffer
  ) {
    let ranges = done.slice.ranges
    let hasAngles = ranges.hasAngles
    row.reserveCapacity(rows: ranges.count, of: 90)
    var times = TimeColumn(decimals: rangeDecimals)
    var next = results.starts
    for case .range(let index) in done.slice.entries {
      let tag = Int(ranges.tag[index])
      distanceRows.append(
        time: ranges.time[index], tag: tag, anchor: Int(ranges.anchor[index]),
        distance: ranges.distance[index], results.ranges[next[tag]],
        angles: hasAngles ? ranges.reportedAngles(at: index, in: frame) : nil, tags: tags,
        anchors: anchors, &times, to: &row)
      next[tag] += 1
    }
  }

  private func lines(_ done: ProcessedSlice, _ results: ResultsByTag) -> TextBuffer {
    let ranges = done.slice.ranges
    var text = TextBuffer(bytes: ranges.count * 240)
    var times = TimeColumn(decimals: rangeDecimals)
    var next = results.starts
    for case .range(let index) in done.slice.entries {
      let tag = Int(ranges.tag[index])
      JSONLines.append(
        time: ranges.time[index], tag: tagStrings[tag],
        anchor: anchorStrings[Int(ranges.anchor[index])], distance: ranges.distance[index],
        results.ranges[next[tag]], angles: ranges.reportedAngles(at: index, in: frame), &times,
        to: &text)
      next[tag] += 1
    }
    return text
  }

  /// Returns the rows of `zones`.
  func text(of zones: ZoneColumns) -> CSVBuffer {
    var row = CSVBuffer(rows: zones.count, of: 60)
    ResultWriter.append(zones, timeDecimals: positionDecimals, to: &row)
    return row
  }

  /// Returns the rows of positions that are not part of a slice.
  func text(of positions: PositionsByTag) -> FormattedResults {
    var text = FormattedResults()
    append(positions, to: &text)
    return text
  }

  private func append(_ positions: PositionsByTag, to text: inout FormattedResults) {
    if formats.contains(.csv) {
      text.positions.reserveCapacity(rows: positions.count, of: 120)
      var times = TimeColumn(decimals: positionDecimals)
      positions.forEachInOrder { tag, position in
        positionRows.append(
          position, name: names.place(of: position, tag: tag), of: located, &times,
          to: &text.positions)
      }
    }
    if formats == [.csv] { return }
    let columns = PositionColumns(positions, names: names)
    if formats.contains(.jsonl) {
      text.positionLines = TextBuffer(bytes: columns.count * 260)
      JSONLines.append(columns, timeDecimals: positionDecimals, to: &text.positionLines)
    }
    if formats.contains(.tum) {
      text.tracks = TUMTrajectories(columns, places: places, timeDecimals: positionDecimals)
    }
  }
}
