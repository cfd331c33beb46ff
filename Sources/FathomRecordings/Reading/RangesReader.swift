import Fathom

/// What a ranges file holds.
struct RangesFile {
  let layout: RangesLayout
  var ranges = RangeColumns()
  var events: [RecordedEvent] = []
  var rejected: [RejectedRow] = []
  var rowsRead = 0
  var commentLines = 0
  var tagNames: [String] = []
  var anchorNames: [String] = []
}

/// Reads `ranges.csv`: one range or event per row, columns found by name.
///
/// Every row ends up in exactly one place: a range, an event, or a rejected row. A rejected row
/// leaves nothing else behind, not even a new name.
struct RangesReader {
  private let declared: Int
  private let hasOptionalColumns: Bool
  private var file: RangesFile
  private var tags = NameTable()
  private var anchors: NameTable
  /// Rows that name an anchor which is not declared: the first, its name, and how many they are.
  private var undeclared: (line: Int, name: String, rows: Int)?

  /// Reads the ranges file in `source`.
  ///
  /// - Parameters:
  ///   - source: the file.
  ///   - options: the caller's units, names and separators.
  ///   - declared: names of the anchors that are declared; empty where none are, and the anchors
  ///     are then those of the file.
  /// - Returns: the file's rows and layout.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` where the file has no usable header or
  ///   names an anchor that is not declared.
  static func read(
    _ source: ByteSource, options: RecordingOptions, declared: [String]
  ) throws(RecordingError) -> RangesFile {
    let scanner = try CSVScanner(atHeaderOf: source, delimiter: options.delimiter)
    let layout = try RangesLayout(at: scanner, options: options, path: source.path)
    if layout[.anchor] == nil, declared.count > 1 {
      throw .badData(
        path: source.path, line: scanner.line,
        reason: "the header lacks anchor, and \(declared.count) anchors are declared")
    }
    var row = RangesRow(scanner: scanner, layout: layout, options: options)
    var reader = RangesReader(layout: layout, declared: declared)
    while row.next() { reader.take(row) }
    if let (line, name, rows) = reader.undeclared {
      let rows = rows == 1 ? "1 row" : "\(rows) rows"
      throw .badData(
        path: source.path, line: line,
        reason: "anchor \(Excerpt.quoted(name)) is not declared (\(rows) with undeclared anchors)")
    }
    reader.file.commentLines = row.scanner.commentLines
    reader.file.tagNames = reader.tags.names
    reader.file.anchorNames = reader.anchors.names
    return reader.file
  }

  private init(layout: RangesLayout, declared: [String]) {
    self.declared = declared.count
    anchors = NameTable(declared)
    file = RangesFile(layout: layout)
    hasOptionalColumns = OptionalCells.prepare(&file.ranges, layout)
  }

  /// Puts `row` where it belongs.
  private mutating func take(_ row: RangesRow) {
    file.rowsRead += 1
    do throws(RowFault) {
      try row.checkShape()
      if let event = try row.event() {
        try takeEvent(event, row)
      } else {
        try takeRange(row)
      }
    } catch {
      file.rejected.append(
        RejectedRow(
          line: row.scanner.line, column: error.column, reason: error.reason,
          text: Excerpt.text(row.scanner.bytes[row.scanner.row])))
    }
  }

  private mutating func takeRange(_ row: RangesRow) throws(RowFault) {
    let time = try row.time()
    let tag = try row.name(.tag, isRequired: true)
    let anchor = try row.name(.anchor, isRequired: true)
    let distance = try row.distance()
    // All cells are read before any is stored, so that the columns stay equally long.
    let optional = hasOptionalColumns ? try OptionalCells(row) : nil

    file.ranges.time.append(time)
    file.ranges.tag.append(tagPlace(tag, row))
    file.ranges.anchor.append(anchorPlace(anchor, row))
    file.ranges.distance.append(distance)
    file.ranges.line.append(row.scanner.line)
    optional?.append(to: &file.ranges)
  }

  private mutating func takeEvent(_ event: SessionEvent, _ row: RangesRow) throws(RowFault) {
    let time = try row.time()
    let tag = try row.name(.tag, isRequired: true)
    let anchor = try row.name(.anchor, isRequired: false)
    guard try row.lacksDistance() else {
      throw RowFault(
        column: file.layout[.event]?.given ?? "",
        reason: "row has both an event and a distance; each needs a row of its own")
    }
    file.events.append(
      RecordedEvent(
        time: time, tag: tagPlace(tag, row), anchor: anchor.map { anchorPlace($0, row) },
        event: event, line: row.scanner.line))
  }

  // MARK: Names

  /// The name of the only tag or anchor where the file has no column for it.
  private static let onlyName: [UInt8] = [UInt8(ascii: "0")]

  private mutating func tagPlace(_ field: CSVField?, _ row: RangesRow) -> Int32 {
    Self.place(of: field, row.scanner, in: &tags)
  }

  private mutating func anchorPlace(_ field: CSVField?, _ row: RangesRow) -> Int32 {
    // Without a column for it there is at most one declared anchor, which is then meant.
    if field == nil, declared == 1 { return 0 }
    let place = Self.place(of: field, row.scanner, in: &anchors)
    if declared > 0, Int(place) >= declared {
      let first = undeclared ?? (row.scanner.line, anchors.names[Int(place)], 0)
      undeclared = (first.line, first.name, first.rows + 1)
    }
    return place
  }

  private static func place(
    of field: CSVField?, _ scanner: CSVScanner, in table: inout NameTable
  ) -> Int32 {
    guard let field else { return table.place(of: onlyName, onlyName.indices) }
    if field.hasDoubledQuotes {
      let content = scanner.content(field)
      return table.place(of: content, content.indices)
    }
    return table.place(of: scanner.bytes, field.range)
  }
}
