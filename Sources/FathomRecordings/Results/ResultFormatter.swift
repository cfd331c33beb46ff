import Fathom

/// A slice with the results for the ranges of each tag.
struct ProcessedSlice: Sendable {
  var slice: RecordingSlice
  /// The results for the ranges of each tag.
  var results: [[RangeResult]]
}

/// The results of a slice and of those before it that have become final.
struct GatheredSlice: Sendable {
  /// The positions output since the previous slice.
  var positions: PositionsByTag
  /// The entries into and exits from zones on the floor plan by these positions.
  var zones: ZoneColumns
  /// The slices whose results of ranges are final.
  var settled: [ProcessedSlice]
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
  /// Names of the located objects; nil when there are too many possible ones.
  private let located: FieldTable?
  private let distanceRows = CSVDistanceRows()
  private let positionRows: CSVPositionRows
  private let extra: [ExtraColumns]
  private let geodetic: GeodeticColumns?
  // Writers and names of JSON Lines; the names are empty unless it is requested.
  private let positionLines: JSONLines<PositionField>
  private let distanceLines = JSONLines<DistanceField>()
  private let tagStrings: FieldTable
  private let anchorStrings: FieldTable
  private let locatedStrings: FieldTable?
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
    extra = settings.extraColumns ?? []
    geodetic = extra.contains(.geodetic) ? GeodeticColumns(outline) : nil
    positionRows = CSVPositionRows(
      geodetic: geodetic, hasAlternative: extra.contains(.alternative))
    positionLines = JSONLines(with: extra)
    names = TargetNames(outline)
    tags = FieldTable(outline.tagNames.map(CSVBuffer.field))
    anchors = FieldTable(outline.anchorNames.map(CSVBuffer.field))
    located = names.areFew ? FieldTable(names.names.map(CSVBuffer.field)) : nil
    let hasLines = formats.contains(.jsonl)
    tagStrings = FieldTable(hasLines ? outline.tagNames.map(JSONString.bytes) : [])
    anchorStrings = FieldTable(hasLines ? outline.anchorNames.map(JSONString.bytes) : [])
    locatedStrings =
      hasLines && names.areFew ? FieldTable(names.names.map(JSONString.bytes)) : nil
    places = TUMTrajectories.places(of: formats.contains(.tum) ? names.names : [])
  }

  /// The header lines of the tables.
  var headers: FormattedResults {
    var text = FormattedResults()
    if hasZones { text.zones = CSVBuffer(header: ResultWriter.zonesHeader, rows: 0) }
    guard formats.contains(.csv) else { return text }
    text.positions = CSVBuffer(header: PositionField.header(with: extra), rows: 0)
    text.distances = CSVBuffer(header: DistanceField.header(), rows: 0)
    return text
  }

  /// Returns the rows of the positions and zones of `done`.
  ///
  /// - Parameters:
  ///   - done: a slice with its results.
  ///   - buffers: the pool that provides the memory of the text.
  /// - Returns: The text.
  func textOfPositions(_ done: GatheredSlice, from buffers: ResultBufferPool) -> FormattedResults {
    var text = buffers.takeForPositions()
    append(done.positions, to: &text)
    text.zones = self.text(of: done.zones)
    return text
  }

  /// Returns the rows of the distances of `slices`, which follow each other.
  ///
  /// - Parameters:
  ///   - slices: slices with their results.
  ///   - buffers: the pool that provides the memory of the text.
  /// - Returns: The text.
  func textOfDistances(
    _ slices: [ProcessedSlice], from buffers: ResultBufferPool
  ) -> FormattedResults {
    var text = buffers.takeForDistances()
    for done in slices {
      let results = ResultsByTag(done.results)
      var next = results.starts
      append(done.slice, done.slice.entries[...], results, &next, to: &text)
    }
    return text
  }

  /// Writes the results of `whole` to `output`, in parts that need little memory.
  ///
  /// - Returns: The number of positions omitted from the tracks because they are incomplete.
  func write(
    _ whole: consuming WholeRecording, to output: some ResultOutput
  ) throws(RecordingError) -> Int {
    try headers.write(to: output)
    let results = ResultsByTag(whole.results)
    var next = results.starts
    let entries = whole.slice.entries
    var begin = 0
    while begin < entries.count {
      let end = min(begin + Self.part, entries.count)
      var text = FormattedResults()
      append(whole.slice, entries[begin..<end], results, &next, to: &text)
      try text.write(to: output)
      begin = end
    }
    var omitted = 0
    if formats == [.csv] {
      try write(whole.positions, to: output)
    } else {
      let text = text(of: whole.positions)
      try text.write(to: output)
      omitted = text.tracks.omitted
    }
    var zones = FormattedResults()
    zones.zones = text(of: whole.zones)
    try zones.write(to: output)
    return omitted
  }

  /// Rows of distances that are formatted at a time.
  private static let part = 1 << 14

  private func append(
    _ slice: RecordingSlice, _ entries: ArraySlice<Timeline.Entry>, _ results: ResultsByTag,
    _ next: inout [Int], to text: inout FormattedResults
  ) {
    // The second format continues from the same rows.
    let start = next
    if formats.contains(.csv) {
      text.distances.reserveCapacity(rows: entries.count, of: 90)
      var times = TimeColumn(decimals: rangeDecimals)
      forEachRow(slice, entries, results, &next) { row in
        distanceRows.append(row, tags: tags, anchors: anchors, &times, to: &text.distances)
      }
    }
    if formats.contains(.jsonl) {
      next = start
      var times = TimeColumn(decimals: rangeDecimals)
      forEachRow(slice, entries, results, &next) { row in
        distanceLines.append(
          row, { $0 == .tag ? tagStrings : anchorStrings }, &times, to: &text.distanceLines)
      }
    }
  }

  /// Calls `body` with the rows of `entries`, whose results begin at `next` for each tag.
  @inline(__always)
  private func forEachRow(
    _ slice: RecordingSlice, _ entries: ArraySlice<Timeline.Entry>, _ results: ResultsByTag,
    _ next: inout [Int], _ body: (DistanceRow) -> Void
  ) {
    let ranges = slice.ranges
    let frame = ranges.hasAngles ? frame : nil
    for case .range(let index) in entries {
      let tag = Int(ranges.tag[index])
      body(DistanceRow(at: index, of: ranges, results.ranges[next[tag]], in: frame))
      next[tag] += 1
    }
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

  /// Appends the CSV rows of positions in columns.
  func append(_ columns: ColumnTable<PositionField>, to text: inout CSVBuffer) {
    guard let located else { return }
    var times = TimeColumn(decimals: positionDecimals)
    for index in 0..<columns.count {
      let row = columns.row(at: index)
      positionRows.append(row.position, name: Int(row.name), of: located, &times, to: &text)
    }
  }

  /// Appends the CSV rows of distances in columns.
  func append(_ columns: ColumnTable<DistanceField>, to text: inout CSVBuffer) {
    var times = TimeColumn(decimals: rangeDecimals)
    for index in 0..<columns.count {
      distanceRows.append(
        columns.row(at: index), tags: tags, anchors: anchors, &times, to: &text)
    }
  }

  /// Writes the CSV rows of `positions`, part by part.
  private func write(
    _ positions: PositionsByTag, to output: some ResultOutput
  ) throws(RecordingError) {
    var text = FormattedResults()
    var times = TimeColumn(decimals: positionDecimals)
    var fields = PositionNames(names, located)
    var failure: RecordingError?
    func flush() {
      guard failure == nil else { return }
      do throws(RecordingError) { try text.write(to: output) } catch { failure = error }
      text.positions.removeAll()
    }
    positions.forEachInOrder { tag, position in
      let (place, table) = fields.place(of: position, tag: tag)
      positionRows.append(position, name: place, of: table, &times, to: &text.positions)
      if text.positions.count >= 1 << 20 { flush() }
    }
    flush()
    if let failure { throw failure }
  }

  private func append(_ positions: PositionsByTag, to text: inout FormattedResults) {
    if formats.contains(.csv) {
      text.positions.reserveCapacity(rows: positions.count, of: 120)
      var times = TimeColumn(decimals: positionDecimals)
      var fields = PositionNames(names, located)
      positions.forEachInOrder { tag, position in
        let (place, table) = fields.place(of: position, tag: tag)
        positionRows.append(position, name: place, of: table, &times, to: &text.positions)
      }
    }
    if formats.contains(.jsonl) {
      text.positionLines.reserveCapacity(rows: positions.count, of: 260)
      var times = TimeColumn(decimals: positionDecimals)
      var fields = PositionNames(names, locatedStrings, JSONString.bytes)
      positions.forEachInOrder { tag, position in
        let (place, table) = fields.place(of: position, tag: tag)
        positionLines.append(
          LocatedRow(position, name: place, textWith: geodetic), { _ in table }, &times,
          to: &text.positionLines)
      }
    }
    if formats.contains(.tum) {
      text.tracks = TUMTrajectories(
        PositionColumns(positions, names: names), places: places, timeDecimals: positionDecimals)
    }
  }
}

/// The fields of the names of located objects, prepared if there are few.
private struct PositionNames {
  private let names: TargetNames
  private let prepared: FieldTable?
  private var seen: NameFields

  init(
    _ names: TargetNames, _ prepared: FieldTable?,
    _ escaped: @escaping @Sendable (String) -> [UInt8] = CSVBuffer.field
  ) {
    self.names = names
    self.prepared = prepared
    seen = NameFields(escaped)
  }

  /// Returns a table, and the index in it of the name of the object that `row` locates.
  @inline(__always)
  mutating func place(of row: PositionRow, tag: Int) -> (Int, FieldTable) {
    let place = names.place(of: row, tag: tag)
    if let prepared { return (place, prepared) }
    let own = seen.place(of: names.name(at: place))
    return (own, seen.table)
  }
}
