import Fathom

/// Reads `ranges.csv`: one range or event per row, columns found by name.
///
/// Every row ends up in exactly one place: a range, an event, or a rejected row. A rejected row
/// leaves nothing else behind, not even a new name. The file is read in stretches, whose division has no
/// influence on what is read.
struct RangesReader {
  /// Where the columns are and in which units.
  let layout: RangesLayout
  private let options: RecordingOptions
  private let plain: PlainRanges?
  private let hasOptionalColumns: Bool
  private var text: TextBlocks
  /// Where the next row begins in the block at hand.
  private var place: PlainRanges.Place
  /// Lines of comment before the header.
  private var commentLines: Int
  private var isDone = false
  private var names: PlainRanges.Names
  private let declared: Int
  /// Rows that name an anchor which is not declared: the first, its name, and how many they are.
  private var undeclared: (line: Int, name: String, rows: Int)?
  /// The stretch at hand.
  private var file: RangesFile

  /// The file as a summary lists it, with the check sum of what was taken in so far.
  var source: SourceFile {
    SourceFile(path: text.path, bytes: text.storedCount, xxh64: text.storedHash.text)
  }

  /// The whole ranges file in `input`.
  ///
  /// - Parameters:
  ///   - input: the file.
  ///   - options: the caller's units, names and separators.
  ///   - declared: names of the anchors that are declared; empty where none are, and the anchors
  ///     are then those of the file.
  /// - Returns: the file's rows and layout.
  /// - Throws: as ``init(_:options:declared:blockSize:)``, ``next()`` and ``checkAnchors()``.
  static func read(
    _ input: StoredInput, options: RecordingOptions, declared: [String]
  ) throws(RecordingError) -> RangesFile {
    var reader = try RangesReader(input, options: options, declared: declared)
    var file = RangesFile(layout: reader.layout)
    while let next = try reader.next() {
      if file.rowsRead == 0, !reader.isDone {
        // As many rows to the byte as there were so far; what comes compressed has more.
        let share = Double(input.byteCount) / Double(max(1, reader.source.bytes))
        file.ranges.reserveCapacity(Int(1.02 * share * Double(next.ranges.count)))
      }
      file.append(next)
    }
    try reader.checkAnchors()
    file.source = reader.source
    return file
  }

  /// A reader behind the header of the ranges file in `input`.
  ///
  /// - Parameters:
  ///   - input: the file.
  ///   - options: the caller's units, names and separators.
  ///   - declared: names of the anchors that are declared; empty where none are.
  ///   - blockSize: bytes that are looked at in one go.
  ///   - takesPlainRows: whether plain rows may be read in the quick way; for tests.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` where the file has no usable header, or no
  ///   column for the anchor and several are declared; ``RecordingError/noInput(path:reason:)`` where it
  ///   cannot be read.
  init(
    _ input: StoredInput, options: RecordingOptions, declared: [String],
    blockSize: Int = TextBlocks.usualSize, takesPlainRows: Bool = true
  ) throws(RecordingError) {
    var text = try TextBlocks(input, blockSize: blockSize)
    let header = try CSVScanner(atHeaderOf: &text, delimiter: options.delimiter)
    layout = try RangesLayout(at: header, options: options, path: text.path)
    if layout[.anchor] == nil, declared.count > 1 {
      throw .badData(
        path: text.path, line: header.line,
        reason: "the header lacks anchor, and \(declared.count) anchors are declared")
    }
    self.options = options
    self.declared = declared.count
    plain = takesPlainRows ? PlainRanges(layout: layout, options: options) : nil
    commentLines = header.commentLines
    place = PlainRanges.Place(position: header.position, line: header.lineAfter)
    names = PlainRanges.Names(
      tags: NameTable(), anchors: NameTable(declared),
      declaredAnchors: declared.isEmpty ? .max : declared.count)
    file = RangesFile(layout: layout)
    var columns = RangeColumns()
    hasOptionalColumns = OptionalCells.prepare(&columns, layout)
    self.text = text
  }

  /// The next stretch of the file; nil at its end.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where the file cannot be read on;
  ///   ``RecordingError/badData(path:line:reason:)`` for damaged gzip, endless lines, and more names than
  ///   one recording can have.
  mutating func next() throws(RecordingError) -> RangesFile? {
    if isDone { return nil }
    file = RangesFile(layout: layout)
    file.commentLines = commentLines
    commentLines = 0
    try takeBlock()
    file.tagNames = names.tags.names
    file.anchorNames = names.anchors.names
    if text.isLast {
      isDone = true
    } else {
      try text.advance(taking: place.position)
      place.position = 0
    }
    return file
  }

  /// Throws where rows named anchors that are not declared; call after the last stretch.
  func checkAnchors() throws(RecordingError) {
    guard let (line, name, rows) = undeclared else { return }
    let many = rows == 1 ? "1 row" : "\(rows) rows"
    throw .badData(
      path: text.path, line: line,
      reason: "anchor \(Excerpt.quoted(name)) is not declared (\(many) with undeclared anchors)")
  }

  /// Takes the complete rows of the block at hand.
  private mutating func takeBlock() throws(RecordingError) {
    let block = text.block
    let scanner = CSVScanner(
      block, delimiter: layout.delimiter, line: place.line, isLast: text.isLast)
    var row = RangesRow(scanner: scanner, layout: layout, options: options)
    while true {
      if let plain {
        file.rowsRead += block.withUnsafeBufferPointer {
          plain.take($0, from: &place, names: names, into: &file.ranges)
        }
      }
      row.resume(at: place)
      guard row.next() else { break }
      take(row)
      // Only rows taken here can have new names.
      let reason = RecordingLimits.reasonTooMany(
        tags: names.tags.names.count, anchors: names.anchors.names.count)
      if let reason { throw .badData(path: text.path, line: row.scanner.line, reason: reason) }
      place = PlainRanges.Place(position: row.scanner.position, line: row.scanner.lineAfter)
    }
    // What was skipped before the end are blank lines and comments.
    place = PlainRanges.Place(position: row.scanner.position, line: row.scanner.lineAfter)
    file.commentLines += row.scanner.commentLines
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
        column: layout[.event]?.given ?? "",
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
    let place = Self.place(of: field, row.scanner, in: &names.tags)
    if field == nil { names.onlyTag = place }
    return place
  }

  private mutating func anchorPlace(_ field: CSVField?, _ row: RangesRow) -> Int32 {
    // Without a column for it there is at most one declared anchor, which is then meant.
    if field == nil, declared == 1 {
      names.onlyAnchor = 0
      return 0
    }
    let place = Self.place(of: field, row.scanner, in: &names.anchors)
    if declared > 0, Int(place) >= declared {
      let first = undeclared ?? (row.scanner.line, names.anchors.names[Int(place)], 0)
      undeclared = (first.line, first.name, first.rows + 1)
    }
    if field == nil { names.onlyAnchor = place }
    return place
  }

  private static func place(
    of field: CSVField?, _ scanner: CSVScanner, in table: inout NameTable
  ) -> Int32 {
    guard let field else { return table.place(of: onlyName[...]) }
    if field.hasDoubledQuotes { return table.place(of: scanner.content(field)[...]) }
    return table.place(of: scanner.bytes[field.range])
  }
}
