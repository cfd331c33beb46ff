import Fathom

/// The next rows of a stream.
struct LiveBatch {
  var ranges: ParsedRanges
  /// Measurements that are no ranges, in the order of their arrival.
  var readings: [LiveReading] = []
  /// The text of their tables, of which the first rows are below a header.
  var tables: [(kind: TableKind, rows: [UInt8])] = []

  /// The number of usable rows.
  var usedCount: Int {
    ranges.ranges.count + ranges.tagRanges.count + ranges.events.count + readings.count
  }
}

/// A parser of a ranges file, a device log or JSON objects that arrive piece by piece.
///
/// It uses the readers of whole files. The format is recognised as soon as the first lines suffice;
/// until then they are kept. A header is recognised whenever it comes: after rows of a stream that was joined
/// late, or after a foreign line, and the rows that follow have its columns.
struct LiveLines {
  let name: String
  var declared: [String]
  /// The anchors that a device log states before its ranges; nil without them.
  var logAnchors: LogAnchors?
  let options: RecordingOptions
  let startsMidLine: Bool
  /// Text that is not parsed yet: an incomplete line, or all of it before the format is recognised.
  var text: [UInt8] = []
  /// Offset in ``text`` of the first line in which no header was looked for.
  var searched = 0
  var headers: LiveHeaderSearch
  var beginning = LiveBeginning()
  var chunk: RangesChunkParser?
  /// Parser of a device log; nil for rows with columns.
  var log: LogParser?
  /// The lines or documents of which objects are made; nil for other text.
  var objectLines: (any ObjectLines)?
  /// The rows of JSON objects; nil for other text.
  var objects: LiveObjects?
  /// The header of rows with columns without its line end, which a device that restarts sends again.
  var header: [UInt8] = []
  /// The number of layouts that were recognised: one more for each header that differs from the last.
  var layoutCount = 0
  /// Usable rows of the current layout.
  var usedCount = 0
  /// Lines that were cut off by a connection that ended.
  var cutLines = 0
  /// Whether more rows follow in the text that was given, with another layout.
  private(set) var hasMore = false
  /// Bytes of an incomplete row when it was last looked at.
  private var stalled = 0

  /// Usable rows of a device log after which a header in it is one of its lines; fewer may be foreign.
  private static let fewRows = 8
  /// Bytes of an incomplete row that is looked at whenever bytes come.
  ///
  /// At twice as many, bytes that come one by one cost twice the time.
  static let shortRow = 1 << 12

  /// Creates a parser at the beginning of a stream, which messages call `name`.
  ///
  /// With `startsMidLine`, the stream was joined at an arbitrary byte.
  init(name: String, declared: [String], options: RecordingOptions, startsMidLine: Bool) {
    self.name = name
    self.declared = declared
    self.options = options
    self.startsMidLine = startsMidLine
    names = RangesNames(declared: declared)
    headers = LiveHeaderSearch(options: options, declared: declared)
  }

  /// The names of tags and anchors before there are ranges.
  var names: RangesNames

  /// The layout of the rows; nil before the format is recognised.
  var layout: RangesLayout? { chunk?.format.layout }

  /// Whether text waits for the format to be recognised.
  var isWaiting: Bool { chunk == nil && objects == nil && !text.isEmpty }

  /// Why the lines so far cannot be used: no format is recognised; nil before the first line, and once
  /// there is a format.
  var reasonUnrecognised: String? {
    guard chunk == nil, objects == nil, !beginning.hasBeginning,
      let line = beginning.firstLine ?? firstLine
    else { return nil }
    let sample = RowSample(
      line, delimiter: options.delimiter, columns: TableKind.ranges.renames(options.columns))
    var scanner = CSVScanner(line, delimiter: sample.delimiter)
    do throws(RecordingError) {
      if scanner.next(), scanner.fault == nil {
        _ = try RangesLayout(
          at: scanner, options: options, path: name, declared: declared, sample: sample)
      }
    } catch {
      if case .badData(_, _, let reason) = error {
        return "no header and no line of a known format has come: \(reason)"
      }
    }
    return "no header and no line of a known format has come: \(Excerpt.quoted(line[...]))"
  }

  /// The first complete line of the text, cut like ``LiveBeginning/firstLine``; nil without one.
  private var firstLine: [UInt8]? {
    text.firstIndex(of: UInt8(ascii: "\n")).map { Array(text[..<$0].prefix(256)) }
  }

  /// Notes for the user on a device log.
  var logNotes: [String] { log?.notes() ?? [] }

  /// The counter in which times are given; nil for times that do not wrap.
  var counter: DeviceCounter?

  /// Notes for the user on the form of objects, and on those that are no ranges.
  var objectNotes: [String] {
    [objectLines?.note].compactMap { $0 } + (objects?.notes ?? [])
  }

  /// A message about ranges between tags; nil without such rows.
  var tagRangeMessage: String? {
    guard let chunk,
      let tag = chunk.sink.tagAnchors.first
    else { return nil }
    return "\(Excerpt.quoted(tag)) in the column anchor is a tag: ranges between tags are not used"
      + " in a stream, but by fathom process"
  }

  /// A message about rows of undeclared anchors; nil without such rows.
  var undeclaredMessage: String? {
    chunk?.sink.undeclaredMessage
  }

  /// The rows of undeclared anchors of the layout before.
  var undeclared = UndeclaredAnchors()

  /// Parses the complete lines of the text so far and of `bytes`, the next part of the stream.
  ///
  /// With `isPause`, nothing follows for some time, so that fewer lines decide the format. Returns
  /// the rows up to the next header with other columns, where ``hasMore`` becomes true; nil before
  /// the format is recognised. Throws if the stream ends and has no distances, or for too many
  /// names.
  mutating func parse(
    _ bytes: [UInt8], isLast: Bool = false, isPause: Bool = false
  ) throws(RecordingError) -> LiveBatch? {
    hasMore = false
    text += objectLines?.objects(of: bytes, isLast: isLast) ?? bytes
    if chunk == nil, objects == nil, try !begin(isLast: isLast, isPause: isPause) { return nil }
    // An incomplete row is not scanned again for each of its parts.
    if !isLast, !bytes.isEmpty, text.count < 2 * stalled, !bytes.contains(where: Self.isLineEnd) {
      return nil
    }
    guard var batch = try parseToHeader(isLast: isLast) else { return nil }
    stalled = text.count > Self.shortRow ? text.count : 0
    if beginning.rejected.total > 0 {
      var rejected = beginning.removeRejected()
      rejected.append(contentsOf: batch.ranges.rejected)
      batch.ranges.rejected = rejected
    }
    usedCount += batch.usedCount
    return batch
  }

  /// Parses the text up to the next header with other columns, or all complete rows.
  private mutating func parseToHeader(isLast: Bool) throws(RecordingError) -> LiveBatch? {
    var begin = 0
    while log?.format.isBinary != true,
      let found = headers.next(
        in: text, from: &searched, known: header,
        findsObjects: log == nil && objects == nil && usedCount == 0)
    {
      let line = text[found].prefix { !Self.isLineEnd($0) }
      let isKnown = line.count == header.count && line.elementsEqual(header)
      if isKnown || log != nil {
        try parseRows(Array(text[begin..<found.lowerBound]), isLast: log == nil)
        begin = found.lowerBound
      }
      if isKnown, log == nil {
        begin = found.upperBound
        chunk?.place.line += 1
      } else if log == nil || usedCount + (chunk?.sink.rows.ranges.count ?? 0) < Self.fewRows {
        return try change(at: found.lowerBound, from: begin)
      }
    }
    if objects != nil { return try parseObjects(isLast: isLast) }
    let rest = begin == 0 ? text : Array(text[begin...])
    removeText(upTo: begin + (try parseRows(rest, isLast: isLast)))
    if text.count > RecordingLimits.longestRow { cutLine() }
    return removeRows().map { LiveBatch(ranges: $0) }
  }

  /// Parses the text from `begin` up to `header`, and begins again there.
  private mutating func change(
    at header: Int, from begin: Int
  ) throws(RecordingError) -> LiveBatch? {
    let lines = Array(text[begin..<header])
    var batch: LiveBatch?
    if objects != nil {
      batch = try parseObjects(lines, isLast: true)
    } else {
      try parseRows(lines, isLast: true)
      batch = removeRows().map { LiveBatch(ranges: $0) }
    }
    removeText(upTo: header)
    if let chunk {
      names = chunk.sink.names
      beginning.line = chunk.place.line
      undeclared = chunk.sink.undeclared
    }
    (chunk, log, objects, counter, self.header) = (nil, nil, nil, nil, [])
    objectLines = nil
    searched = 0
    hasMore = true
    return batch
  }

  private mutating func removeText(upTo end: Int) {
    text.removeFirst(end)
    searched = max(0, searched - end)
  }

  static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// Parses the complete objects of the text so far.
  ///
  /// An incomplete line that has no part of an object waits: it may become a header.
  private mutating func parseObjects(isLast: Bool) throws(RecordingError) -> LiveBatch? {
    var end = text.count
    if !isLast, objects?.isInside == false {
      let begin = text.lastIndex(where: Self.isLineEnd).map { $0 + 1 } ?? 0
      let line = text[begin...]
      if line.count < RecognisedFormat.headCount, !line.contains(where: Self.isPartOfJSON) {
        end = begin
      }
    }
    let bytes = Array(text[..<end])
    removeText(upTo: end)
    searched = text.isEmpty ? 0 : searched
    return try parseObjects(bytes, isLast: isLast)
  }

  /// Whether text with `byte` can belong to objects, or stand between them.
  private static func isPartOfJSON(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "\"")
      || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
  }

  /// Parses the complete objects of `bytes` and of those before.
  private mutating func parseObjects(
    _ bytes: [UInt8], isLast: Bool
  ) throws(RecordingError) -> LiveBatch? {
    guard var objects else { return nil }
    self.objects = nil
    defer { self.objects = objects }
    objects.append(bytes)
    let format = objectLines?.format ?? .json
    let reason = RecognisedFormat.reason(of: format)
    var batch = LiveBatch(
      ranges: ParsedRanges(layout: RangesLayout(format, reason: reason)))
    while let run = objects.next(isLast: isLast) {
      switch run {
      case .ranges(let rows):
        var rows = rows
        if chunk == nil {
          swap(&text, &rows)
          defer { swap(&text, &rows) }
          try beginRows(as: format, reason: reason)
        }
        try parseRows(rows, isLast: true)
      case .readings(let readings, let kind, let rows):
        batch.tables.append((kind, rows))
        for var reading in readings {
          reading.place = chunk?.sink.rows.ranges.count ?? 0
          if kind == .differences { try know(reading.tag) }
          batch.readings.append(reading)
        }
      }
    }
    if let ranges = removeRows() {
      batch.ranges = ranges
    } else {
      (batch.ranges.tagNames, batch.ranges.anchorNames) = (names.tags.names, names.anchors.names)
    }
    batch.ranges.rejected.append(contentsOf: objects.removeRejected())
    let isEmpty = chunk == nil && batch.tables.isEmpty && batch.ranges.rejected.isEmpty
    return isEmpty ? nil : batch
  }

  /// The factors that turns of odometry may have.
  var turnFactors: [Double] { objects?.turnFactors ?? [1, -1] }

  /// Whether odometry, and heights, are those of poses.
  var usesPoses: (odometry: Bool, heights: Bool) { objects?.usesPoses ?? (false, false) }

  /// Adds the name of a tag that has time differences.
  private mutating func know(_ tag: String) throws(RecordingError) {
    let name = Array(tag.utf8)
    let reason: String?
    if chunk != nil {
      _ = chunk?.sink.names.tags.place(of: name[...])
      reason = chunk?.sink.reasonTooManyNames
    } else {
      _ = names.tags.place(of: name[...])
      reason = RecordingLimits.reasonTooMany(tags: names.tags.count, anchors: names.anchors.count)
    }
    if let reason { throw .badData(path: self.name, line: nil, reason: reason) }
  }

  /// Parses the complete rows of `bytes` into the rows of ``chunk``; returns the number of bytes taken.
  @discardableResult
  private mutating func parseRows(_ bytes: [UInt8], isLast: Bool) throws(RecordingError) -> Int {
    guard var parser = chunk else { return 0 }
    chunk = nil
    defer { chunk = parser }
    if var log {
      self.log = nil
      defer { self.log = log }
      return try parser.processLines(
        &log, of: bytes, isLast: isLast, path: name, zeroIsDistance: options.zeroIsDistance)
    }
    try parser.processRows(of: bytes, upTo: bytes.count, isLast: isLast, path: name)
    defer { parser.place.position = 0 }
    return isLast ? bytes.count : parser.place.position
  }

  /// Removes and returns the rows so far; nil before there are any.
  private mutating func removeRows() -> ParsedRanges? {
    guard var parser = chunk else { return nil }
    chunk = nil
    defer { chunk = parser }
    var table = ParsedRanges(layout: parser.format.layout)
    swap(&table, &parser.sink.rows)
    if var counter {
      table.continueTimes(&counter, from: (0, 0, 0))
      self.counter = counter
    }
    table.tagNames = parser.sink.names.tags.names
    table.anchorNames = parser.sink.names.anchors.names
    return table
  }

  /// Forgets the tags at the indices `tags`, called `names`; new tags then have these indices.
  mutating func forget(tags: [Int], called names: [String]) {
    let places = tags.map { Int32($0) }
    objects?.forget(names)
    log?.rows.forgetNames()
    if chunk == nil { self.names.forget(tags: places) } else { chunk?.forget(tags: places) }
  }

  /// Discards an incomplete line: the rest of it will not arrive.
  ///
  /// - Parameter losesLine: whether the reader has discarded one already.
  mutating func cut(losesLine: Bool) {
    if losesLine { cutLines += 1 }
    if objects?.cut() == true { cutLines += 1 }
    if objectLines?.cut() == true { cutLines += 1 }
    if chunk == nil, objects == nil {
      guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return cutLine() }
      if end + 1 < text.count { cutLines += 1 }
      text.removeSubrange((end + 1)...)
      searched = min(searched, text.count)
    } else {
      cutLine()
    }
  }

  mutating func cutLine() {
    if text.isEmpty { return }
    (text, searched) = ([], 0)
    cutLines += 1
  }
}
