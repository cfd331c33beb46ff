import Fathom

/// The next rows of a stream.
struct LiveBatch {
  var ranges: ParsedRanges
  /// Measurements that are no ranges, in the order of their arrival.
  var readings: [LiveReading] = []
  /// The text of their tables, of which the first rows are below a header.
  var tables: [(kind: TableKind, rows: [UInt8])] = []
}

/// A parser of a ranges file or a device log that arrives piece by piece.
///
/// It uses the readers of whole files. The format is recognised as soon as the first lines suffice;
/// until then they are kept.
struct LiveLines {
  private let name: String
  private var declared: [String]
  /// The anchors that a device log states before its ranges; nil without them.
  private(set) var logAnchors: LogAnchors?
  private let options: RecordingOptions
  private let startsMidLine: Bool
  /// Text that is not parsed yet: an incomplete line, or all of it before the format is recognised.
  private var text: [UInt8] = []
  private var chunk: RangesChunkParser?
  /// Parser of a device log; nil for rows with columns.
  private var log: LogParser?
  /// The rows of JSON objects; nil for other text.
  private var objects: LiveObjects?
  /// The header of rows with columns, which a device that restarts sends again.
  private var header: [UInt8] = []
  private var mayRepeatHeader = false
  /// The number of lines that must be complete before the format is recognised again.
  private var linesNeeded = Self.fewestLines
  /// Lines that were cut off by a connection that ended.
  private(set) var cutLines = 0

  /// Lines from which the format is recognised, unless the stream pauses or ends before.
  private static let fewestLines = 8

  /// Creates a parser at the beginning of a stream.
  ///
  /// - Parameters:
  ///   - name: the name of the stream in messages.
  ///   - declared: the names of the declared anchors; empty if none are declared.
  ///   - options: units, names and separators given by the caller.
  ///   - startsMidLine: whether the stream was joined at an arbitrary byte.
  init(name: String, declared: [String], options: RecordingOptions, startsMidLine: Bool) {
    self.name = name
    self.declared = declared
    self.options = options
    self.startsMidLine = startsMidLine
    names = RangesNames(declared: declared)
  }

  /// The names of tags and anchors before there are ranges.
  private var names: RangesNames

  /// The layout of the rows; nil before the format is recognised.
  var layout: RangesLayout? { chunk?.format.layout }

  /// Whether text waits for the format to be recognised.
  var isWaiting: Bool { chunk == nil && !text.isEmpty }

  /// Notes for the user on a device log.
  var logNotes: [String] { log?.notes() ?? [] }

  /// The counter in which times are given; nil for times that do not wrap.
  private var counter: DeviceCounter?

  /// Notes for the user on objects that are no ranges.
  var objectNotes: [String] { objects?.notes ?? [] }

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

  /// Parses the complete lines of the text so far and of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: the next part of the stream.
  ///   - isLast: whether the stream ends with it.
  ///   - isPause: whether nothing follows for some time, so that fewer lines decide the format.
  /// - Returns: The rows; nil before the format is recognised.
  /// - Throws: ``RecordingError`` if the format has no distances, or for too many names.
  mutating func parse(
    _ bytes: [UInt8], isLast: Bool = false, isPause: Bool = false
  ) throws(RecordingError) -> LiveBatch? {
    if objects != nil { return try parseObjects(bytes, isLast: isLast) }
    text += bytes
    if chunk == nil, try !begin(isLast: isLast, isPause: isPause) { return nil }
    if objects != nil { return try parseObjects([], isLast: isLast) }
    skipRepeatedHeader()
    try parse(isLast: isLast)
    return removeRows().map { LiveBatch(ranges: $0) }
  }

  /// Parses the complete objects of the text so far and of `bytes`.
  private mutating func parseObjects(
    _ bytes: [UInt8], isLast: Bool
  ) throws(RecordingError) -> LiveBatch? {
    guard var objects else { return nil }
    self.objects = nil
    defer { self.objects = objects }
    objects.append(bytes)
    var batch = LiveBatch(
      ranges: ParsedRanges(layout: RangesLayout(.json, reason: RecognisedFormat.jsonReason)))
    while let run = objects.next(isLast: isLast) {
      switch run {
      case .ranges(let rows):
        text += rows
        if chunk == nil { try beginRows(as: .json, reason: RecognisedFormat.jsonReason) }
        try parse(isLast: true)
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

  /// Parses the text into the rows of ``chunk``.
  private mutating func parse(isLast: Bool) throws(RecordingError) {
    guard var parser = chunk else { return }
    chunk = nil
    defer { chunk = parser }
    let taken: Int
    if var log {
      self.log = nil
      defer { self.log = log }
      taken = try parser.processLines(
        &log, of: text, isLast: isLast, path: name, zeroIsDistance: options.zeroIsDistance)
    } else {
      try parser.processRows(of: text, upTo: text.count, isLast: isLast, path: name)
      taken = isLast ? text.count : parser.place.position
      parser.place.position = 0
    }
    text.removeFirst(taken)
    if text.count > RecordingLimits.longestRow { cutLine() }
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

  /// Discards an incomplete line: the rest of it will not arrive.
  ///
  /// - Parameter losesLine: whether the reader has discarded one already.
  mutating func cut(losesLine: Bool) {
    mayRepeatHeader = true
    if losesLine { cutLines += 1 }
    if objects?.cut() == true { cutLines += 1 }
    if chunk == nil {
      guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return cutLine() }
      if end + 1 < text.count { cutLines += 1 }
      text.removeSubrange((end + 1)...)
    } else {
      cutLine()
    }
  }

  private mutating func cutLine() {
    if text.isEmpty { return }
    text = []
    cutLines += 1
  }

  /// Removes the header at the beginning of the text that follows a cut.
  private mutating func skipRepeatedHeader() {
    guard mayRepeatHeader, log == nil, !header.isEmpty else { return }
    if text.starts(with: header) {
      text.removeFirst(header.count)
      mayRepeatHeader = false
    } else if text.count >= header.count {
      mayRepeatHeader = false
    }
  }

  // MARK: Beginning

  /// Recognises the format of the text so far; returns false if more lines are needed.
  private mutating func begin(isLast: Bool, isPause: Bool) throws(RecordingError) -> Bool {
    if text.isEmpty { return false }
    let mustDecide = isLast || text.count >= RecognisedFormat.headCount
    if let format = options.format {
      return try begin(as: format, reason: "as requested", isLast: isLast)
    }
    let lines = text.count { $0 == UInt8(ascii: "\n") }
    if !mustDecide, !(isPause && lines > 0), lines < linesNeeded, !isBinary { return false }
    var found = recognised(text, isLast: isLast)
    // A stream that is joined in the middle of a line has its header one line later.
    if !found.isKnown, let end = text.firstIndex(of: UInt8(ascii: "\n")) {
      let rest = Array(text[(end + 1)...])
      let next = recognised(rest, isLast: isLast)
      if next.isKnown { (text, found) = (rest, next) }
    }
    if !found.isKnown, !mustDecide {
      linesNeeded = 2 * max(lines, linesNeeded)
      return false
    }
    return try begin(as: found.format.format, reason: found.format.reason, isLast: isLast)
  }

  /// Whether the text begins with binary frames, which have no lines.
  private var isBinary: Bool { LinkTrackFrameReader.begins(text) }

  private func recognised(
    _ head: [UInt8], isLast: Bool
  ) -> (format: RecognisedFormat, isKnown: Bool) {
    let found = RecognisedFormat(
      head: Array(head.prefix(RecognisedFormat.headCount)), isWhole: isLast, options: options,
      declared: declared)
    let isKnown =
      found.format != .csv || RangesLayout.isHeader(head, options: options, declared: declared)
    return (found, isKnown)
  }

  private mutating func begin(
    as format: LogFormat, reason: String, isLast: Bool
  ) throws(RecordingError) -> Bool {
    if declared.isEmpty, format.hasAnchors {
      let found = try LogAnchors(
        StoredInput(path: name, bytes: text), format, options: options)
      if !found.declared.names.isEmpty {
        declared = found.declared.names
        names = RangesNames(declared: declared)
        logAnchors = found
      }
    }
    if format == .json {
      var objects = LiveObjects(name: name, options: options, declared: declared)
      objects.append(text)
      text = []
      self.objects = objects
      return true
    }
    return try beginRows(as: format, reason: reason, isLast: isLast)
  }

  /// Begins with the rows of ranges, in CSV or in the log of a device.
  @discardableResult
  private mutating func beginRows(
    as format: LogFormat, reason: String, isLast: Bool = true
  ) throws(RecordingError) -> Bool {
    var layout: RangesLayout
    var options = options
    var place = 0
    if var parser = LogParser(format, options: options) {
      let head = Array(text.prefix(RecognisedFormat.headCount))
      parser.chooseTimes(from: head, isWhole: isLast)
      log = parser
      layout = RangesLayout(format, reason: reason)
    } else {
      guard isLast || text.contains(UInt8(ascii: "\n")) else { return false }
      if startsMidLine, !options.columns.isEmpty,
        options.columns.keys.allSatisfy({ Int($0) != nil })
      {
        // Without a header nothing tells whether the first line is complete.
        text.removeFirst((text.firstIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        if text.isEmpty { return false }
      }
      if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
      let sample = RowSample(
        text, delimiter: options.delimiter, columns: TableKind.ranges.renames(options.columns))
      var scanner = CSVScanner(text, delimiter: sample.delimiter, isLast: isLast)
      if sample.names == nil {
        guard scanner.next() else { return false }
        header = Array(text[..<scanner.position])
      }
      place = scanner.position
      layout = try RangesLayout(
        at: scanner, options: options, path: name, declared: declared, sample: sample)
      options.decimalSeparator = layout.decimalSeparator
      if format == .json { (layout.format, layout.reason) = (format, reason) }
      if let reason = layout.reasonWithoutAnchors(declared: declared, sample) {
        throw .badData(path: name, line: scanner.line, reason: reason)
      }
      counter = layout.counter
    }
    chunk = RangesChunkParser(
      RangesFormat(
        layout: layout, options: options, declared: declared, usesFastParser: true),
      at: RangesPosition(position: 0, line: log == nil && format != .json && place > 0 ? 2 : 1),
      names: names,
      into: ParsedRanges(layout: layout), isInContext: true)
    text.removeFirst(place)
    return true
  }
}
