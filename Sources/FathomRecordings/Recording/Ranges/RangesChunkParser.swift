import Fathom

/// How the rows of a ranges file are read.
struct RangesFormat {
  /// Where the columns are and in which units.
  let layout: RangesLayout
  /// The caller's units, names and separators.
  let options: RecordingOptions
  /// The number of anchors that are declared; with none the anchors are those of the file.
  let declared: Int
  /// Takes the rows that can be read in the quick way; nil where all of them are read in the thorough one.
  let fastParser: FastRowParser?
  /// Whether there are columns beside time, tag, anchor, distance and event.
  let hasOptionalColumns: Bool

  /// The format of a file of the given layout, of whose anchors `declared` are declared.
  init(layout: RangesLayout, options: RecordingOptions, declared: Int, usesFastParser: Bool) {
    self.layout = layout
    self.options = options
    self.declared = declared
    fastParser = usesFastParser ? FastRowParser(layout: layout, options: options) : nil
    var columns = RangeColumns()
    hasOptionalColumns = columns.addOptionalColumns(of: layout)
  }
}

/// A chunk of a ranges file, row by row.
///
/// A chunk that begins with the file, or where another has ended, knows the line and all names before it.
/// Any other is read on its own: it counts lines from where it begins, and stops before the first row that
/// cannot be judged so.
struct RangesChunkParser {
  let format: RangesFormat
  /// The names known.
  var names: RangesNames
  /// Where the next row begins in the text at hand.
  var place: RangesPosition
  /// Whether lines are counted from the beginning of the file, and no names are missing.
  let isInContext: Bool
  /// The rows so far.
  var file: RangesTable
  /// Rows that name an anchor which is not declared: the first, its name, and how many they are.
  var undeclared: (line: Int, name: String, rows: Int)?
  /// Whether there are too many names for a chunk on its own: it must be read again in its context.
  private(set) var hasTooManyNames = false

  /// The chunk that begins at `place`, where `names` are known; read on its own unless it is in context.
  ///
  /// Its rows go to `file`, which is empty.
  init(
    _ format: RangesFormat, at place: RangesPosition, names: RangesNames,
    into file: RangesTable, isInContext: Bool
  ) {
    self.format = format
    self.place = place
    self.names = names
    self.isInContext = isInContext
    self.file = file
  }

  /// Takes the rows of `block` that are complete.
  ///
  /// - Parameters:
  ///   - block: text of the file; the chunk stands in it.
  ///   - limit: where the text ends.
  ///   - isLast: whether nothing follows there.
  ///   - path: what messages call the file.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` for more names than one recording can have.
  mutating func takeRows(
    of block: [UInt8], upTo limit: Int, isLast: Bool, path: String
  ) throws(RecordingError) {
    let scanner = CSVScanner(
      block, delimiter: format.layout.delimiter, line: place.line, upTo: limit, isLast: isLast)
    var row = RangesRow(scanner: scanner, layout: format.layout, options: format.options)
    var comments = 0
    defer { file.commentLines += comments }
    while true {
      if let fastParser = format.fastParser {
        file.rowsRead += block.withUnsafeBufferPointer {
          fastParser.take(
            UnsafeBufferPointer(rebasing: $0[..<limit]), from: &place, names: names,
            into: &file.ranges)
        }
      }
      row.resume(at: place)
      guard row.next() else { break }
      // What becomes of it names a line.
      if !isInContext, row.scanner.fault == .unclosedQuote { return }
      take(row)
      // Only rows taken here can have new names.
      let reason = RecordingLimits.reasonTooMany(
        tags: names.tags.count, anchors: names.anchors.count)
      if let reason {
        hasTooManyNames = true
        throw .badData(path: path, line: row.scanner.line, reason: reason)
      }
      place = RangesPosition(position: row.scanner.position, line: row.scanner.lineAfter)
      comments = row.scanner.commentLines
    }
    // What was skipped before the end are blank lines and comments.
    place = RangesPosition(position: row.scanner.position, line: row.scanner.lineAfter)
    comments = row.scanner.commentLines
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
    let optional = format.hasOptionalColumns ? try OptionalCells(row) : nil

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
        column: format.layout[.event]?.given ?? "",
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
    if field == nil, format.declared == 1 {
      names.onlyAnchor = 0
      return 0
    }
    let place = Self.place(of: field, row.scanner, in: &names.anchors)
    if format.declared > 0, Int(place) >= format.declared {
      let first = undeclared ?? (row.scanner.line, names.anchors.name(at: place), 0)
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

/// The optional cells of one row of ranges; NaN where absent.
struct OptionalCells {
  private let sigma: Double
  private let azimuth: Double
  private let elevation: Double
  private let horizontalAngle: Double
  private let direction: (x: Double, y: Double, z: Double)
  private let verticalEstimate: UInt8
  private let rssi: Double
  private let firstPathRSSI: Double
  private let nonLineOfSight: Double
  private let trueDistance: Double

  /// The cells of `row`.
  init(_ row: RangesRow) throws(RowFault) {
    sigma = try row.sigma()
    azimuth = try row.angle(.azimuth)
    elevation = try row.angle(.elevation)
    horizontalAngle = try row.angle(.horizontalAngle)
    direction = row.layout.hasDirection ? try row.direction() : (.nan, .nan, .nan)
    verticalEstimate = try row.verticalEstimate()
    rssi = try row.number(.rssi)
    firstPathRSSI = try row.number(.firstPathRSSI)
    nonLineOfSight = try row.nonLineOfSight()
    trueDistance = try row.number(.trueDistance, scaledBy: row.layout.trueDistanceUnit.exponent)
  }

  /// Appends the cells to the columns that exist.
  func append(to ranges: inout RangeColumns) {
    ranges.sigma?.append(sigma)
    ranges.azimuth?.append(azimuth)
    ranges.elevation?.append(elevation)
    ranges.horizontalAngle?.append(horizontalAngle)
    ranges.direction?.x.append(direction.x)
    ranges.direction?.y.append(direction.y)
    ranges.direction?.z.append(direction.z)
    ranges.verticalEstimate?.append(verticalEstimate)
    ranges.rssi?.append(rssi)
    ranges.firstPathRSSI?.append(firstPathRSSI)
    ranges.nonLineOfSight?.append(nonLineOfSight)
    ranges.trueDistance?.append(trueDistance)
  }
}
