import Fathom

/// The format of the rows of a ranges file.
struct RangesFormat {
  /// Columns of the file and their units.
  let layout: RangesLayout
  /// Units, names and separators given by the caller.
  let options: RecordingOptions
  /// The rules for its rows.
  let rules: RangeRules
  /// Parser of simple rows; nil when ``RangeTextRow`` parses all rows.
  let fastParser: FastRowParser?

  /// Creates the format of a file of the given layout with anchors of the names `declared`.
  init(
    layout: RangesLayout, options: RecordingOptions, declared: [String], usesFastParser: Bool,
    packsRejected: Bool = false
  ) {
    self.layout = layout
    self.options = options
    rules = RangeRules(
      declared: declared, tagAnchors: options.tagAnchors, packsRejected: packsRejected)
    let isSimple =
      layout.format.hasColumns && !layout.needsContext && layout.anchorColumns.isEmpty
      && layout.delimiter != .blank && layout.timeUnit != .ticks
    fastParser =
      usesFastParser && isSimple ? FastRowParser(layout: layout, options: options) : nil
  }
}

/// A parser of a chunk of a ranges file.
///
/// A chunk in context begins with the file, or where another chunk has ended: it knows the line
/// number and all previous names. Any other chunk is parsed independently: it counts lines from its
/// own start, and stops before the first row that needs context.
struct RangesChunkParser {
  let format: RangesFormat
  /// What the rows so far are, and the known names.
  var sink: RangeSink
  /// Start of the next row in the current text.
  var place: RangesPosition
  /// Whether lines are counted from the beginning of the file and all previous names are known.
  let isInContext: Bool
  /// Times of day, epochs and rounds so far, for files without instants.
  private var days = DayCounter()
  private var epochs: Int64 = 0
  private var rounds = RoundCounter()
  private let times: EpochTimes
  /// Indices of the tags and anchors of a device log, by their index in the log; negative if not
  /// yet known.
  var logTags: [Int32] = []
  var logAnchors: [Int32] = []
  /// Whether an independent chunk has too many names: it must be parsed again in context.
  private(set) var hasTooManyNames = false

  /// Creates a parser of the chunk at `place`, with the known `names`; `isInContext` is false for
  /// an independent chunk.
  ///
  /// The rows are appended to `rows`, which must be empty.
  init(
    _ format: RangesFormat, at place: RangesPosition, names: RangesNames,
    into rows: ParsedRanges, isInContext: Bool
  ) {
    self.format = format
    times = EpochTimes(rate: format.options.epochRate)
    self.place = place
    sink = RangeSink(format.rules, names: names, into: rows)
    self.isInContext = isInContext
  }

  /// Parses the complete rows of `block`, in which the chunk is positioned, up to the offset
  /// `limit`.
  ///
  /// With `isLast`, the file ends there. Throws when it has more names than one recording can have.
  mutating func processRows(
    of block: [UInt8], upTo limit: Int, isLast: Bool, path: String
  ) throws(RecordingError) {
    let scanner = CSVScanner(
      block, delimiter: format.layout.delimiter, line: place.line, upTo: limit, isLast: isLast)
    var row = RangeTextRow(scanner: scanner, layout: format.layout, options: format.options)
    var comments = 0
    defer { sink.rows.commentLines += comments }
    while true {
      if let fastParser = format.fastParser {
        sink.rows.rowsRead += block.withUnsafeBufferPointer {
          fastParser.parse(
            UnsafeBufferPointer(rebasing: $0[..<limit]), from: &place, names: sink.names,
            into: &sink.rows.ranges)
        }
      }
      row.resume(at: place)
      guard row.next() else { break }
      // Its message contains a line number, which is not known without context.
      if !isInContext, row.scanner.fault == .unclosedQuote { return }
      process(row)
      // Only rows parsed here can have new names.
      if let reason = sink.reasonTooManyNames {
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

  /// Passes the content of `row` to the sink, or rejects it.
  private mutating func process(_ row: RangeTextRow) {
    do throws(RowFault) {
      try row.checkShape()
      if let event = try row.event() {
        try processEvent(event, row)
      } else if format.layout.anchorColumns.isEmpty {
        try processRange(row)
      } else {
        try processEpoch(row)
      }
    } catch {
      reject(row, error)
    }
  }

  /// Forgets the tags at the indices `places`, and all names of a device log, which are then new.
  mutating func forget(tags places: [Int32]) {
    sink.names.forget(tags: places)
    (logTags, logAnchors) = ([], [])
  }

  private mutating func reject(_ row: RangeTextRow, _ fault: RowFault) {
    sink.reject(
      RejectedRow(
        line: row.scanner.line, column: fault.column, reason: fault.reason,
        text: Excerpt.text(row.scanner.bytes[row.scanner.row])))
  }

  /// Passes on the ranges of a row with a column for each anchor.
  ///
  /// Each distance counts as a row. A cell that is not a number rejects itself only.
  private mutating func processEpoch(_ row: RangeTextRow) throws(RowFault) {
    let time = try time(of: row)
    let tag = try row.name(.tag, isRequired: true)
    let numbers = try row.numbers()
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
        let anchor = try sink.anchor(
          Array(column.anchor.utf8)[...], column: column.anchor, line: row.scanner.line)
        sink.append(
          at: instant, tag: sink.tag(tag), peer: .anchor(anchor), distance: distance,
          line: row.scanner.line, numbers)
      } catch {
        isEmpty = false
        reject(row, error)
      }
    }
    if isEmpty { throw RowFault(reason: "the row has no distance") }
  }

  /// Returns the time of `row`; nil if the file has no times.
  private mutating func time(of row: RangeTextRow) throws(RowFault) -> Timestamp? {
    switch format.layout.times {
    case .number: return try row.time()
    case .none: return nil
    case .clock, .digits, .days, .divided:
      let clock = try row.clock()
      return Timestamp(
        nanoseconds: clock.isTimeOfDay ? days.unfold(clock.nanoseconds) : clock.nanoseconds)
    }
  }

  private mutating func processRange(_ row: RangeTextRow) throws(RowFault) {
    let time = try time(of: row)
    let tag = try row.name(.tag, isRequired: true)
    let anchor = try row.name(.anchor, isRequired: true)
    let distance = try row.distance()
    // All cells are parsed before any name is added.
    let numbers = try row.numbers()
    let (column, line) = (row.givenName(.anchor), row.scanner.line)
    if let time {
      let peer = try sink.peer(anchor, of: tag, column: column, line: line)
      sink.append(
        at: time, tag: sink.tag(tag), peer: peer, distance: distance, line: line, numbers)
    } else {
      let place = try sink.anchor(anchor, column: column, line: line)
      let tag = sink.tag(tag)
      sink.append(
        at: try times.time(of: rounds.round(tag: tag, anchor: place)), tag: tag,
        peer: .anchor(place), distance: distance, line: line, numbers)
    }
  }

  private mutating func processEvent(
    _ event: SessionEvent, _ row: RangeTextRow
  ) throws(RowFault) {
    guard let time = try time(of: row) else {
      throw RowFault(reason: "an event needs a time, but the file has none")
    }
    let tag = try row.name(.tag, isRequired: true)
    let anchor = try row.name(.anchor, isRequired: false)
    try sink.append(
      event, at: time, tag: tag, anchor: anchor,
      columns: (row.givenName(.event), row.givenName(.anchor)),
      hasDistance: !row.lacksDistance(), line: row.scanner.line)
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

/// A parsing position in a text.
struct RangesPosition {
  /// Offset of the first byte that has not been parsed.
  var position: Int
  /// Line of that byte.
  var line: Int
}
