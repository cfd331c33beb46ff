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

/// Formats results as text slice by slice; the text is the same as that of ``ResultWriter`` for a
/// whole recording.
struct ResultFormatter: Sendable {
  private let formats: Set<ResultFormat>
  private let hasZones: Bool
  private let frame: DeviceFrame
  private let rangeDecimals: Int
  private let positionDecimals: Int
  private let names: TargetNames
  private let extra: [ExtraColumns]
  private let geodetic: GeodeticColumns?
  private let distanceRows = CSVDistanceRows()
  private let positionRows: CSVPositionRows
  private let distanceLines = JSONLines<DistanceField>()
  private let positionLines: JSONLines<PositionField>
  /// The names as fields of CSV.
  private let fields: NameTables
  /// The names as strings of JSON; empty unless JSON Lines are requested.
  private let strings: NameTables
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
    fields = NameTables(outline, names, CSVBuffer.field)
    strings =
      formats.contains(.jsonl) ? NameTables(outline, names, JSONString.bytes) : NameTables()
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

  // MARK: Rows that are not part of a slice

  /// Returns the rows of `zones`.
  func text(of zones: ZoneColumns) -> CSVBuffer {
    var row = CSVBuffer(rows: zones.count, of: 60)
    ResultWriter.append(zones, timeDecimals: positionDecimals, to: &row)
    return row
  }

  /// Returns the rows of `positions`.
  func text(of positions: PositionsByTag) -> FormattedResults {
    var text = FormattedResults()
    append(positions, to: &text)
    return text
  }

  /// Returns the CSV file of positions in columns.
  func text(of columns: ColumnTable<PositionField>) -> CSVBuffer {
    var text = headers.positions
    guard let located = fields.located else { return text }
    text.reserveCapacity(rows: columns.count, of: Self.positionLength)
    var times = TimeColumn(decimals: positionDecimals)
    for index in 0..<columns.count {
      let row = columns.row(at: index)
      positionRows.append(row.position, name: Int(row.name), of: located, &times, to: &text)
    }
    return text
  }

  /// Returns the CSV file of distances in columns.
  func text(of columns: ColumnTable<DistanceField>) -> CSVBuffer {
    var text = headers.distances
    text.reserveCapacity(rows: columns.count, of: Self.distanceLength)
    var times = TimeColumn(decimals: rangeDecimals)
    for index in 0..<columns.count {
      distanceRows.append(
        columns.row(at: index), tags: fields.tags, anchors: fields.anchors, &times, to: &text)
    }
    return text
  }

  // MARK: Slices

  /// Returns the rows of the positions and zones of `done`.
  func textOfPositions(_ done: GatheredSlice, from buffers: ResultBufferPool) -> FormattedResults {
    var text = buffers.textForPositions()
    append(done.positions, to: &text)
    text.zones = self.text(of: done.zones)
    return text
  }

  /// Returns the rows of the distances of `slices`, which follow each other.
  func textOfDistances(
    _ slices: [ProcessedSlice], from buffers: ResultBufferPool
  ) -> FormattedResults {
    var text = buffers.textForDistances()
    for done in slices {
      var results = ResultsByTag(done.results)
      append(done.slice.entries[...], of: done.slice.ranges, &results, to: &text)
    }
    return text
  }

  /// Writes the results of a whole recording to `output`, in parts that need little memory.
  ///
  /// Returns the number of positions omitted from the tracks because they are incomplete.
  func write(
    _ results: consuming ResultsByTag, of slice: RecordingSlice, _ positions: PositionsByTag,
    _ zones: ZoneColumns, to output: some ResultOutput
  ) throws(RecordingError) -> Int {
    try headers.write(to: output)
    var results = results
    var entries = slice.entries[...]
    while !entries.isEmpty {
      var text = FormattedResults()
      append(entries.prefix(Self.part), of: slice.ranges, &results, to: &text)
      try text.write(to: output)
      entries = entries.dropFirst(Self.part)
    }
    var text = FormattedResults()
    var failure: RecordingError?
    append(positions, to: &text, part: Self.part) { text in
      do throws(RecordingError) {
        if failure == nil { try text.write(to: output) }
      } catch {
        failure = error
      }
      text.positions.removeAll()
      text.positionLines.removeAll()
    }
    if let failure { throw failure }
    text.zones = self.text(of: zones)
    try text.write(to: output)
    return text.tracks.omitted
  }

  // MARK: Tables

  /// Rows that are formatted at a time.
  private static let part = 1 << 14
  /// Usual lengths of rows of CSV, bytes.
  private static let positionLength = 120
  private static let distanceLength = 90

  /// Appends the rows of the next `entries` of `ranges`.
  private func append(
    _ entries: ArraySlice<Timeline.Entry>, of ranges: RangeColumns, _ results: inout ResultsByTag,
    to text: inout FormattedResults
  ) {
    let (hasRows, hasLines) = (formats.contains(.csv), formats.contains(.jsonl))
    guard hasRows || hasLines else { return }
    if hasRows { text.distances.reserveCapacity(rows: entries.count, of: Self.distanceLength) }
    var times = TimeColumn(decimals: rangeDecimals)
    results.forEachRow(of: entries, in: ranges, frame) { row in
      if hasRows {
        distanceRows.append(
          row, tags: fields.tags, anchors: fields.anchors, &times, to: &text.distances)
      }
      if hasLines {
        distanceLines.append(
          row, { $0 == .tag ? strings.tags : strings.anchors }, &times, to: &text.distanceLines)
      }
    }
  }

  /// Appends the rows of `positions`, and calls `flush` whenever `part` of them are complete.
  private func append(
    _ positions: PositionsByTag, to text: inout FormattedResults, part: Int = .max,
    flush: (inout FormattedResults) -> Void = { _ in }
  ) {
    let (hasRows, hasLines) = (formats.contains(.csv), formats.contains(.jsonl))
    let rows = min(positions.count, part)
    if hasRows { text.positions.reserveCapacity(rows: rows, of: Self.positionLength) }
    if hasLines { text.positionLines.reserveCapacity(rows: rows, of: 260) }
    if hasRows || hasLines {
      var times = TimeColumn(decimals: positionDecimals)
      var located = LocatedNames(names, fields.located, CSVBuffer.field)
      var locatedStrings = LocatedNames(names, strings.located, JSONString.bytes)
      var count = 0
      positions.forEachInOrder { tag, position in
        if hasRows {
          let (place, table) = located.place(of: position, tag: tag)
          positionRows.append(position, name: place, of: table, &times, to: &text.positions)
        }
        if hasLines {
          let (place, table) = locatedStrings.place(of: position, tag: tag)
          let row = LocatedRow(position, name: place, textWith: geodetic)
          positionLines.append(row, { _ in table }, &times, to: &text.positionLines)
        }
        count += 1
        if count == part {
          flush(&text)
          count = 0
        }
      }
    }
    if formats.contains(.tum) {
      text.tracks = TUMTrajectories(
        PositionColumns(positions, names: names), places: places, timeDecimals: positionDecimals)
    }
  }
}

/// The names of a recording as fields of a format.
private struct NameTables: Sendable {
  private(set) var tags = FieldTable()
  private(set) var anchors = FieldTable()
  /// The located objects; nil when there are too many possible ones.
  private(set) var located: FieldTable?

  init() {}

  init(_ outline: RecordingOutline, _ names: TargetNames, _ escaped: (String) -> [UInt8]) {
    tags = FieldTable(outline.tagNames.map(escaped))
    anchors = FieldTable(outline.anchorNames.map(escaped))
    located = names.areFew ? FieldTable(names.names.map(escaped)) : nil
  }
}

/// The fields of the names of located objects, prepared if there are few.
private struct LocatedNames {
  private let names: TargetNames
  private let prepared: FieldTable?
  private var seen: NameFields

  init(
    _ names: TargetNames, _ prepared: FieldTable?,
    _ escaped: @escaping @Sendable (String) -> [UInt8]
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
