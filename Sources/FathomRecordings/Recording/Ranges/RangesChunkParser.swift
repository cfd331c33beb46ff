import Fathom

/// The format of the rows of a ranges file.
struct RangesFormat {
  /// Columns of the file and their units.
  let layout: RangesLayout
  /// Units, names and separators given by the caller.
  let options: RecordingOptions
  /// Number of declared anchors; when it is zero, the anchors are those of the file.
  let declared: Int
  /// Declared anchors, for messages.
  let spellings: AnchorSpellings
  /// Parser of simple rows; nil when ``RangesRow`` parses all rows.
  let fastParser: FastRowParser?
  /// Whether the file has columns besides time, tag, anchor, distance and event.
  let hasOptionalColumns: Bool
  /// Whether all rejected rows are collected, not only the first.
  let packsRejected: Bool
  /// The indices of the names of ``RecordingOptions/tagAnchors``.
  let tagPlaces: [[UInt8]: Int32]

  /// Creates the format of a file of the given layout with anchors of the names `declared`.
  init(
    layout: RangesLayout, options: RecordingOptions, declared: [String], usesFastParser: Bool,
    packsRejected: Bool = false
  ) {
    self.packsRejected = packsRejected
    tagPlaces = Dictionary(
      options.tagAnchors.enumerated().map { (Array($0.element.utf8), Int32($0.offset)) },
      uniquingKeysWith: { first, _ in first })
    self.layout = layout
    self.options = options
    self.declared = declared.count
    spellings = AnchorSpellings(declared)
    fastParser = usesFastParser ? FastRowParser(layout: layout, options: options) : nil
    var columns = RangeColumns()
    hasOptionalColumns = columns.addOptionalColumns(of: layout)
  }
}

/// A parser of a chunk of a ranges file.
///
/// A chunk in context begins with the file, or where another chunk has ended: it knows the line
/// number and all previous names. Any other chunk is parsed independently: it counts lines from its
/// own start, and stops before the first row that needs context.
struct RangesChunkParser {
  let format: RangesFormat
  /// Known names.
  var names: RangesNames
  /// Start of the next row in the current text.
  var place: RangesPosition
  /// Whether lines are counted from the beginning of the file and all previous names are known.
  let isInContext: Bool
  /// Rows parsed so far.
  var file: RangesTable
  /// Times of day, epochs and rounds so far, for files without instants.
  private var days = DayCounter()
  private var epochs: Int64 = 0
  private var rounds = RoundCounter()
  private let times: EpochTimes
  /// Indices of the tags and anchors of a device log, by their index in the log; negative if not
  /// yet known.
  var logTags: [Int32] = []
  var logAnchors: [Int32] = []
  /// Rows rejected because of undeclared anchors.
  var undeclared = UndeclaredAnchors()
  /// Whether an independent chunk has too many names: it must be parsed again in context.
  private(set) var hasTooManyNames = false

  /// Creates a parser of the chunk at `place`, with the known `names`; `isInContext` is false for
  /// an independent chunk.
  ///
  /// The rows are appended to `file`, which must be empty.
  init(
    _ format: RangesFormat, at place: RangesPosition, names: RangesNames,
    into file: RangesTable, isInContext: Bool
  ) {
    self.format = format
    times = EpochTimes(rate: format.options.epochRate)
    self.place = place
    self.names = names
    self.isInContext = isInContext
    self.file = file
  }

  /// Parses the complete rows of `block`.
  ///
  /// - Parameters:
  ///   - block: text of the file, in which the chunk is positioned.
  ///   - limit: offset at which the text ends.
  ///   - isLast: whether the file ends there.
  ///   - path: name of the file in messages.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when the file has more names than one
  ///   recording can have.
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
      // Its message contains a line number, which is not known without context.
      if !isInContext, row.scanner.fault == .unclosedQuote { return }
      take(row)
      // Only rows parsed here can have new names.
      let reason = RecordingLimits.reasonTooMany(
        tags: names.tags.count, anchors: names.anchors.count)
      if let reason {
        hasTooManyNames = true
        throw .badData(path: path, line: row.scanner.line, reason: reason)
      }
      place = RangesPosition(position: row.scanner.position, line: row.scanner.lineAfter)
      comments = row.scanner.commentLines
    }
    // Blank lines and comments before the end were skipped.
    place = RangesPosition(position: row.scanner.position, line: row.scanner.lineAfter)
    comments = row.scanner.commentLines
  }

  /// Appends `row` to the ranges, events or rejected rows.
  private mutating func take(_ row: RangesRow) {
    do throws(RowFault) {
      try row.checkShape()
      if let event = try row.event() {
        try takeEvent(event, row)
      } else if format.layout.anchorColumns.isEmpty {
        try takeRange(row)
      } else {
        try takeEpoch(row)
        return
      }
      file.rowsRead += 1
    } catch {
      reject(row, error)
    }
  }

  private mutating func reject(_ row: RangesRow, _ fault: RowFault) {
    file.rowsRead += 1
    reject(
      RejectedRow(
        line: row.scanner.line, column: fault.column, reason: fault.reason,
        text: Excerpt.text(row.scanner.bytes[row.scanner.row])))
  }

  /// Appends a rejected row.
  mutating func reject(_ rejected: RejectedRow) {
    file.rejected.append(rejected)
    if format.packsRejected { file.packedRejected.append(rejected) }
  }

  /// Appends the ranges of a row with a column for each anchor.
  ///
  /// Each distance counts as a row. A cell that is not a number rejects itself only.
  private mutating func takeEpoch(_ row: RangesRow) throws(RowFault) {
    let time = try time(of: row)
    let tag = try row.name(.tag, isRequired: true)
    let optional = format.hasOptionalColumns ? try OptionalCells(row) : nil
    let instant: Timestamp
    if let time {
      instant = time
    } else {
      instant = try times.time(of: epochs)
      epochs += 1
    }
    var isEmpty = true
    for column in format.layout.anchorColumns {
      do throws(RowFault) {
        guard let distance = try row.distance(in: column) else { continue }
        isEmpty = false
        let name = Array(column.anchor.utf8)[...]
        let anchor =
          format.declared > 0
          ? try declaredPlace(of: name, column: column.anchor, line: row.scanner.line)
          : names.anchors.place(of: name)
        file.rowsRead += 1
        file.ranges.time.append(instant)
        file.ranges.tag.append(tagPlace(tag, row))
        file.ranges.anchor.append(anchor)
        file.ranges.distance.append(distance)
        file.ranges.line.append(row.scanner.line)
        optional?.append(to: &file.ranges)
      } catch {
        isEmpty = false
        reject(row, error)
      }
    }
    if isEmpty { throw RowFault(reason: "the row has no distance") }
  }

  /// Returns the time of `row`; nil if the file has no times.
  private mutating func time(of row: RangesRow) throws(RowFault) -> Timestamp? {
    switch format.layout.times {
    case .number: return try row.time()
    case .none: return nil
    case .clock, .digits:
      let clock = try row.clock()
      return Timestamp(
        nanoseconds: clock.isTimeOfDay ? days.unfold(clock.nanoseconds) : clock.nanoseconds)
    }
  }

  private mutating func takeRange(_ row: RangesRow) throws(RowFault) {
    let time = try time(of: row)
    let tag = try row.name(.tag, isRequired: true)
    let anchor = try row.name(.anchor, isRequired: true)
    let distance = try row.distance()
    // All cells are parsed before any is stored, so that the columns keep equal lengths.
    let optional = format.hasOptionalColumns ? try OptionalCells(row) : nil
    if !format.tagPlaces.isEmpty, let time, let anchor {
      let name = row.scanner.content(anchor)
      if let other = format.tagPlaces[name] {
        guard name != (tag.map { row.scanner.content($0) } ?? Self.onlyName) else {
          throw RowFault(
            column: format.layout[.anchor]?.given ?? "",
            reason: "a tag has no range to itself: "
              + Excerpt.quoted(String(decoding: name, as: UTF8.self)))
        }
        file.tagRanges.append(
          at: time, from: tagPlace(tag, row), to: other, distance: distance,
          sigma: optional?.sigma ?? .nan, line: row.scanner.line)
        return
      }
    }
    let anchorPlace = try anchorPlace(anchor, row)

    let tagIndex = tagPlace(tag, row)
    if let time {
      file.ranges.time.append(time)
    } else {
      let round = rounds.round(tag: tagIndex, anchor: anchorPlace)
      file.ranges.time.append(try times.time(of: round))
    }
    file.ranges.tag.append(tagIndex)
    file.ranges.anchor.append(anchorPlace)
    file.ranges.distance.append(distance)
    file.ranges.line.append(row.scanner.line)
    optional?.append(to: &file.ranges)
  }

  private mutating func takeEvent(_ event: SessionEvent, _ row: RangesRow) throws(RowFault) {
    guard let time = try time(of: row) else {
      throw RowFault(reason: "an event needs a time, but the file has none")
    }
    let tag = try row.name(.tag, isRequired: true)
    let anchor = try row.name(.anchor, isRequired: false)
    guard try row.lacksDistance() else {
      throw RowFault(
        column: format.layout[.event]?.given ?? "",
        reason: "row has both an event and a distance; write them on separate rows")
    }
    let anchorPlace = anchor == nil ? nil : try anchorPlace(anchor, row)
    file.events.append(
      RecordedEvent(
        time: time, tag: tagPlace(tag, row), anchor: anchorPlace, event: event,
        line: row.scanner.line))
  }

  // MARK: Names

  /// Name of the only tag or anchor when the file has no column for it.
  static let onlyName: [UInt8] = [UInt8(ascii: "0")]

  private mutating func tagPlace(_ field: CSVField?, _ row: RangesRow) -> Int32 {
    let place = Self.place(of: field, row.scanner, in: &names.tags)
    if field == nil { names.onlyTag = place }
    return place
  }

  /// Returns the index of an anchor; throws if it is not declared while others are.
  private mutating func anchorPlace(
    _ field: CSVField?, _ row: RangesRow
  ) throws(RowFault) -> Int32 {
    // Without a column there is at most one declared anchor, to which the row then belongs.
    if field == nil, format.declared == 1 {
      names.onlyAnchor = 0
      return 0
    }
    if format.declared > 0, let field {
      return try declaredPlace(
        of: row.scanner.content(field)[...], column: format.layout[.anchor]?.given ?? "",
        line: row.scanner.line)
    }
    let place = Self.place(of: field, row.scanner, in: &names.anchors)
    if field == nil { names.onlyAnchor = place }
    return place
  }

  /// Returns the index of a declared anchor; counts the row and throws if it is not declared.
  mutating func declaredPlace(
    of name: ArraySlice<UInt8>, column: String, line: Int
  ) throws(RowFault) -> Int32 {
    let place = names.anchors.withLookUp { view in
      name.withUnsafeBufferPointer { view.place(of: $0) }
    }
    if let place { return place }
    let text = String(decoding: name, as: UTF8.self)
    undeclared.append(text, line: line)
    throw RowFault(column: column, reason: UndeclaredAnchors.reason(text, format.spellings))
  }

  private static func place(
    of field: CSVField?, _ scanner: CSVScanner, in table: inout NameTable
  ) -> Int32 {
    guard let field else { return table.place(of: onlyName[...]) }
    if field.hasDoubledQuotes { return table.place(of: scanner.content(field)[...]) }
    return table.place(of: scanner.bytes[field.range])
  }
}

/// The times of epochs of a file that has none.
struct EpochTimes: Sendable {
  let rate: Double

  /// Creates the times of epochs at `rate` hertz; at 1 Hz without a rate.
  init(rate: Double?) { self.rate = rate ?? 1 }

  /// Returns the time of an epoch, from 0.
  func time(of epoch: Int64) throws(RowFault) -> Timestamp {
    guard let time = Timestamp(seconds: Double(epoch) / rate) else {
      throw RowFault(reason: "the time of the epoch exceeds 292 years")
    }
    return time
  }
}

/// The optional cells of a row of ranges; NaN when missing.
struct OptionalCells {
  var sigma = Double.nan
  var azimuth = Double.nan
  var elevation = Double.nan
  var horizontalAngle = Double.nan
  var direction = (x: Double.nan, y: Double.nan, z: Double.nan)
  var verticalEstimate: UInt8 = 0
  var rssi = Double.nan
  var firstPathRSSI = Double.nan
  var nonLineOfSight = Double.nan
  var trueDistance = Double.nan
  var height = Double.nan

  /// Creates cells that are all missing.
  init() {}

  /// Parses the optional cells of `row`.
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
    height = try row.number(.height, scaledBy: row.layout.heightUnit.exponent)
  }

  /// Appends the cells to the existing columns.
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
    ranges.height?.append(height)
  }
}
