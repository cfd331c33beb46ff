import Fathom

/// The lines of a live stream before its format is recognised.
struct LiveBeginning {
  /// The number of lines that must be complete before the format is recognised.
  var linesNeeded = fewestLines
  /// The number in the stream of the first line that is kept, from 1.
  var line = 1
  /// The first line that was discarded, without its end and cut after 256 bytes; nil before.
  var firstLine: [UInt8]?
  /// Whether the text begins with a header or an object of JSON.
  var hasBeginning = false
  /// Lines that were discarded because a header or lines of a known format came later.
  private(set) var rejected = RejectedRows()
  /// Bytes that were discarded.
  private var discarded = 0
  /// Bytes of the stream from which the next attempt is made.
  private var nextAttempt = 0

  /// Lines from which the format is recognised, unless the stream pauses or ends before.
  private static let fewestLines = 8

  /// The reason for which they are rejected.
  static let reason = "the line comes before a header or lines of a known format"

  /// Whether enough lines have come to recognise their format.
  func isDue(lines: Int, bytes: Int) -> Bool {
    discarded + bytes >= nextAttempt
      && (lines >= linesNeeded || lines > 0 && bytes >= RecognisedFormat.headCount)
  }

  /// Notes that no format was recognised in `bytes` with `lines`.
  ///
  /// In a long text of no format the attempts become rare, so that they cost a constant share.
  mutating func fail(lines: Int, bytes: Int) {
    // A pause repeats the attempt: the number grows with the lines only.
    linesNeeded = max(2 * lines, linesNeeded)
    let count = discarded + bytes
    guard count >= RecognisedFormat.headCount else { return }
    nextAttempt = count + max(RecognisedFormat.headCount, count / 2)
  }

  /// Discards the lines of `text`; one that began before the stream was joined is not counted.
  mutating func discard(_ text: ArraySlice<UInt8>, startsMidLine: Bool) {
    let first = text.prefix { !LiveLines.isLineEnd($0) }
    if firstLine == nil { firstLine = Array(first.prefix(256)) }
    var count = text.count { $0 == UInt8(ascii: "\n") }
    if count == 0, !text.isEmpty { count = 1 }
    var counted = count
    if startsMidLine, discarded == 0, line == 1 { counted -= 1 }
    if counted > 0 {
      rejected.append(
        RejectedRow(
          line: line + count - counted, column: "",
          reason: Self.reason, text: Excerpt.text(first)),
        times: counted)
    }
    line += count
    discarded += text.count
    (linesNeeded, hasBeginning) = (Self.fewestLines, false)
  }

  /// Allows an attempt at once, because the text begins with a header.
  mutating func restart() {
    (linesNeeded, nextAttempt, hasBeginning) = (Self.fewestLines, 0, false)
  }

  /// Removes and returns the lines that were discarded.
  mutating func removeRejected() -> RejectedRows {
    defer { rejected = RejectedRows() }
    return rejected
  }
}

extension LiveLines {
  /// Recognises the format of the text so far; returns false if more lines are needed.
  mutating func begin(isLast: Bool, isPause: Bool) throws(RecordingError) -> Bool {
    if let format = options.format, format != .csv {
      return try text.isEmpty ? false : begin(as: format, reason: "as requested", isLast: isLast)
    }
    discardToHeader()
    if text.isEmpty { return try end(isLast: isLast) }
    let lines = text.count { $0 == UInt8(ascii: "\n") }
    let isDue =
      beginning.isDue(lines: lines, bytes: text.count) && !JSONForm.mayBeginDocuments(text)
    if isDue || isLast || isPause && lines > 0 || canBegin {
      var found = recognised(text, isLast: isLast)
      // A stream that is joined in the middle of a line has its first line one line later.
      if !found.isKnown, let end = text.firstIndex(of: UInt8(ascii: "\n")), end + 1 < text.count {
        let rest = Array(text[(end + 1)...])
        let next = recognised(rest, isLast: isLast)
        if next.isKnown {
          discard(upTo: end + 1)
          found = next
        }
      }
      if found.isKnown || isLast && beginning.firstLine == nil {
        beginning.restart()
        let reason = options.format == nil ? found.format.reason : "as requested"
        return try begin(as: found.format.format, reason: reason, isLast: isLast)
      }
      beginning.fail(lines: lines, bytes: text.count)
    }
    guard text.count >= RecognisedFormat.headCount || isLast else { return false }
    discard(upTo: text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count)
    return try end(isLast: isLast)
  }

  /// Ends a stream in which no format was recognised, if it ends; returns false otherwise.
  private func end(isLast: Bool) throws(RecordingError) -> Bool {
    guard isLast, let reason = reasonUnrecognised else { return false }
    throw .badData(path: name, line: 1, reason: reason)
  }

  /// Discards the lines before the next header, or before the next object of JSON.
  private mutating func discardToHeader() {
    guard !beginning.hasBeginning,
      let found = headers.next(in: text, from: &searched, findsObjects: options.format == nil)
    else { return }
    if found.lowerBound > 0 {
      // The lines before may be those of a device, with objects among them.
      if text[found.lowerBound] == UInt8(ascii: "{"), recognised(text, isLast: false).isKnown {
        return
      }
      discard(upTo: found.lowerBound)
    }
    beginning.restart()
    beginning.hasBeginning = true
  }

  private mutating func discard(upTo end: Int) {
    beginning.discard(text[..<end], startsMidLine: startsMidLine)
    text.removeFirst(end)
    searched = max(0, searched - end)
  }

  /// Whether the text begins with binary frames, which have no lines, or is long and begins with
  /// objects, which can share one line.
  private var canBegin: Bool {
    LogFormat.binary(text) != nil
      || text.count >= RecognisedFormat.headCount && JSONObjects.begins(text)
  }

  private func recognised(
    _ head: [UInt8], isLast: Bool
  ) -> (format: RecognisedFormat, isKnown: Bool) {
    let head = Array(head.prefix(RecognisedFormat.headCount))
    if headers.hasColumnsByNumber || options.format == .csv {
      let format = RecognisedFormat(head: [], isWhole: true, options: options)
      return (format, headers.hasColumnsByNumber || isHeader(head))
    }
    let found = RecognisedFormat(
      head: head, isWhole: isLast, options: options, declared: declared)
    return (found, found.format != .csv || isHeader(head))
  }

  /// Whether `head` begins with a header.
  ///
  /// A row of data is not one, although its cells may be called like columns or anchors.
  private func isHeader(_ head: [UInt8]) -> Bool {
    if RangesLayout.namesColumns(head, options: options, declared: declared) { return true }
    return options.columns.isEmpty && RangesLayout.isHeader(head, options: options, declared: [])
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
        headers.declare(declared)
        logAnchors = found
      }
    }
    usedCount = 0
    if format.isObjects {
      let head = Array(text.prefix(RecognisedFormat.headCount))
      objectLines =
        format == .keyValue
        ? KeyValueLog(head, options: options, declared: declared)
        : JSONForm(head, declared: declared)
      if let made = objectLines?.objects(of: text, isLast: isLast) { (text, searched) = (made, 0) }
      objects = LiveObjects(name: name, options: options, declared: declared)
      return true
    }
    return try beginRows(as: format, reason: reason, isLast: isLast)
  }

  /// Begins with the rows of ranges, in CSV or in the log of a device.
  @discardableResult
  mutating func beginRows(
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
      if startsMidLine, headers.hasColumnsByNumber, beginning.line == 1 {
        // Without a header nothing tells whether the first line is complete.
        text.removeFirst((text.firstIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        beginning.line += 1
        if text.isEmpty { return false }
      }
      if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
      let sample = RowSample(
        text, delimiter: options.delimiter, columns: TableKind.ranges.renames(options.columns))
      var scanner = CSVScanner(text, delimiter: sample.delimiter, isLast: isLast)
      if sample.names == nil {
        guard scanner.next() else { return false }
        header = format.isObjects ? [] : Array(text[scanner.row])
      }
      place = scanner.position
      layout = try RangesLayout(
        at: scanner, options: options, path: name, declared: declared, sample: sample)
      options.decimalSeparator = layout.decimalSeparator
      if format.isObjects { (layout.format, layout.reason) = (format, reason) }
      if let reason = layout.reasonWithoutAnchors(declared: declared, sample) {
        throw .badData(path: name, line: scanner.line, reason: reason)
      }
      counter = layout.counter
    }
    let isBelowHeader = log == nil && !format.isObjects && place > 0
    chunk = RangesChunkParser(
      RangesFormat(
        layout: layout, options: options, declared: declared, usesFastParser: true),
      at: RangesPosition(position: 0, line: beginning.line + (isBelowHeader ? 1 : 0)),
      names: names,
      into: ParsedRanges(layout: layout), isInContext: true)
    chunk?.sink.undeclared = undeclared
    text.removeFirst(place)
    // The text of objects is that of their rows here.
    if !format.isObjects { searched = max(0, searched - place) }
    layoutCount += 1
    return true
  }
}
