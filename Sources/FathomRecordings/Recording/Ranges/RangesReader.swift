import Fathom

/// A reader of `ranges.csv`: one range or event per row, with columns found by name.
///
/// Every row becomes exactly one of a range, an event or a rejected row. A rejected row has no
/// other effect and adds no names. The file is read in blocks, on one or several threads; neither
/// affects the result.
struct RangesReader {
  private var text: TextBlocks
  /// Parser for several threads; nil for a single thread.
  private let parallelParser: ParallelRangesParser?
  /// Comment lines before the header.
  private var commentLines: Int
  private var isDone = false
  /// The chunk in context.
  private var chunk: RangesChunkParser
  /// Tables that have been parsed but not returned.
  private var queue: ParsedRangesQueue
  /// Parser of a device log; nil for rows with columns.
  private var log: LogParser?
  /// The counter in which times are given; nil for times that do not wrap.
  private var counter: DeviceCounter?
  private let zeroIsDistance: Bool
  /// The file from which the text was made; nil for a text that is the file.
  private let origin: TextOrigin?

  /// Columns of the file and their units.
  var layout: RangesLayout { chunk.format.layout }

  /// The file's entry in a summary, with the checksum of the bytes read so far.
  var source: SourceFile {
    origin?.file
      ?? SourceFile(path: text.path, bytes: text.storedCount, xxh3: text.storedHash.text)
  }

  /// Reads the whole ranges file in `input`; when no anchors are `declared`, they are those of the
  /// file.
  static func read(
    _ input: StoredInput, options: RecordingOptions, declared: [String],
    blockSize: Int = TextBlocks.usualSize, width: Int = 1
  ) throws(RecordingError) -> ParsedRanges {
    var reader = try RangesReader(
      input, options: options, declared: declared, blockSize: blockSize, width: width)
    var file = ParsedRanges(layout: reader.layout)
    while !reader.isDone {
      let isFirst = file.rowsRead == 0
      let stored = reader.text.storedCount
      let known = file.counts
      if reader.parallelParser == nil {
        // Rows are appended to the file directly, without an intermediate table.
        swap(&reader.chunk.sink.rows, &file)
        try reader.processBlock()
        swap(&reader.chunk.sink.rows, &file)
      } else {
        try reader.processBlock()
        reader.queue.move(to: &file, width: width)
      }
      reader.continueTimes(of: &file, from: known)
      if isFirst, !reader.isDone {
        // Estimated from the rows per byte so far; compressed input has more rows per stored byte.
        let share = Double(input.byteCount) / Double(max(1, stored))
        file.ranges.reserveLargePages(Int(1.02 * share * Double(file.ranges.count)))
      }
    }
    file.commentLines += reader.commentLines
    if let origin = reader.origin { file.replaceLines(by: origin.lines) }
    file.tagNames = reader.chunk.sink.names.tags.names
    file.anchorNames = reader.chunk.sink.names.anchors.names
    file.tagAnchors = reader.tagAnchors
    if file.tagAnchors.isEmpty || !options.tagAnchors.isEmpty {
      try reader.checkAnchors(ranges: file.ranges.count + file.tagRanges.count)
    }
    file.source = reader.source
    file.logNotes = reader.logNotes
    file.undeclared = reader.undeclaredMessage
    return file
  }

  /// Creates a reader after the header of the ranges file in `input`.
  ///
  /// `declared` are the names of the declared anchors, if any. Each of `width` threads, at least 1,
  /// parses `blockSize` bytes at a time; `usesFastParser` is false only in tests. With
  /// `packsRejected`, the tables also have all rejected rows, not only the first. Throws when the
  /// header is invalid, or several anchors are declared and the file has no column for the anchor.
  init(
    _ input: StoredInput, options: RecordingOptions, declared: [String],
    blockSize: Int = TextBlocks.usualSize, usesFastParser: Bool = true, width: Int = 1,
    packsRejected: Bool = false
  ) throws(RecordingError) {
    let recognised = try RecognisedFormat(input, options: options, declared: declared)
    var tables: JSONTables?
    if recognised.format == .json, input.origin == nil {
      // A caller that wants the other tables of the file, too, has transcoded it.
      tables = try JSONTables(
        objectsOf: input, head: recognised.head, renames: options.columns, declared: declared)
    } else if recognised.format == .keyValue, input.origin == nil {
      tables = try JSONTables(
        pairsOf: input, head: recognised.head, options: options, declared: declared)
    } else if recognised.format == .csv, options.format == nil {
      tables = try JSONTables(
        foldedRowsOf: input, head: recognised.head, options: options, declared: declared)
    }
    if let tables {
      try self.init(
        tables.ranges(), options: options, declared: declared, blockSize: blockSize,
        usesFastParser: usesFastParser, width: width, packsRejected: packsRejected)
      return
    }
    if var log = LogParser(recognised.format, options: options) {
      try self.init(
        input, log: &log, recognised, declared: declared,
        options: options, blockSize: blockSize, packsRejected: packsRejected)
      return
    }
    try self.init(
      rowsOf: input, head: recognised.head, options: options, declared: declared,
      blockSize: blockSize,
      usesFastParser: usesFastParser, width: width, packsRejected: packsRejected)
  }

  /// Creates a reader after the header of the rows in `input`.
  private init(
    rowsOf input: StoredInput, head: [UInt8], options: RecordingOptions, declared: [String],
    blockSize: Int, usesFastParser: Bool, width: Int, packsRejected: Bool
  ) throws(RecordingError) {
    var options = options
    origin = input.origin
    if origin != nil { (options.delimiter, options.decimalSeparator) = (.comma, .point) }
    zeroIsDistance = options.zeroIsDistance
    let width = min(width, RecordingLimits.mostThreads)
    // Enough chunks that no thread waits long for the last one or for the first.
    var text = try TextBlocks(input, blockSize: width > 1 ? 12 * width * blockSize : blockSize)
    let sample = RowSample(
      head, delimiter: options.delimiter, columns: TableKind.ranges.renames(options.columns))
    var header =
      sample.names == nil
      ? try CSVScanner(atHeaderOf: &text, delimiter: options.delimiter)
      : CSVScanner(text.block, delimiter: sample.delimiter, isLast: text.isLast)
    var layout: RangesLayout
    do throws(RecordingError) {
      layout = try RangesLayout(
        at: header, options: options, path: text.path, declared: declared, sample: sample)
    } catch {
      throw SecondTable(head, options: options)?.error(text.path) ?? error
    }
    if let origin {
      (layout.format, layout.reason) = (origin.format, RecognisedFormat.reason(of: origin.format))
    }
    options.decimalSeparator = layout.decimalSeparator
    if let reason = layout.reasonWithoutAnchors(declared: declared, sample, path: text.path) {
      throw .badData(path: text.path, line: header.line, reason: reason)
    }
    counter = layout.counter
    commentLines = header.hasTitle ? 0 : header.commentLines
    if sample.units != nil, origin == nil { _ = header.next() }
    chunk = RangesChunkParser(
      RangesFormat(
        layout: layout, options: options, declared: declared,
        usesFastParser: usesFastParser, packsRejected: packsRejected),
      at: RangesPosition(position: header.position, line: header.lineAfter),
      names: RangesNames(declared: declared),
      into: ParsedRanges(layout: layout), isInContext: true)
    self.text = text
    queue = ParsedRangesQueue(layout: layout)
    parallelParser =
      width > 1 && !layout.needsContext
      ? ParallelRangesParser(width: width, size: 2 * blockSize) : nil
  }

  /// Creates a reader at the beginning of the device log in `input`.
  private init(
    _ input: StoredInput, log: inout LogParser, _ recognised: RecognisedFormat,
    declared: [String], options: RecordingOptions, blockSize: Int, packsRejected: Bool
  ) throws(RecordingError) {
    log.chooseTimes(from: recognised.head, isWhole: recognised.isWhole)
    self.log = log
    origin = nil
    counter = nil
    zeroIsDistance = options.zeroIsDistance
    let layout = RangesLayout(recognised.format, reason: recognised.reason)
    commentLines = 0
    chunk = RangesChunkParser(
      RangesFormat(
        layout: layout, options: options, declared: declared, usesFastParser: false,
        packsRejected: packsRejected),
      at: RangesPosition(position: 0, line: 1),
      names: RangesNames(declared: declared),
      into: ParsedRanges(layout: layout), isInContext: true)
    text = try TextBlocks(
      input, blockSize: blockSize, isText: !recognised.format.isBinary)
    queue = ParsedRangesQueue(layout: layout)
    parallelParser = nil
  }

  /// Continues the times of the rows of `file` from the given ones on, if they are a counter.
  private mutating func continueTimes(
    of file: inout ParsedRanges, from start: (ranges: Int, tagRanges: Int, events: Int)
  ) {
    guard var counter else { return }
    file.continueTimes(&counter, from: start)
    self.counter = counter
  }

  /// Notes for the user on a device log, on times and on names, after the last table.
  var logNotes: [String] {
    (log?.notes() ?? []) + [counter?.note, chunk.sink.loggedNote].compactMap { $0 }
  }

  /// Returns the next table of the file; nil at its end.
  ///
  /// Damaged gzip, excessively long lines, and more names than one recording can have are errors.
  mutating func next() throws(RecordingError) -> ParsedRanges? {
    while true {
      if var file = queue.next(names: chunk.sink.names) {
        continueTimes(of: &file, from: (0, 0, 0))
        file.commentLines += commentLines
        commentLines = 0
        if let origin { file.replaceLines(by: origin.lines) }
        return file
      }
      if isDone { return nil }
      try processBlock()
      if parallelParser == nil { queue.append(&chunk) }
    }
  }

  /// The message about rows of undeclared anchors, which were rejected; nil without such rows.
  var undeclaredMessage: String? { chunk.sink.undeclaredMessage }

  /// Names in the column of the anchors that are those of tags; call after the last table.
  ///
  /// Their rows were rejected. They are ranges between tags if the file is read again with
  /// ``RecordingOptions/tagAnchors``.
  var tagAnchors: [String] {
    log == nil ? chunk.sink.tagAnchors : []
  }

  /// Throws, with the names of the anchors, when rows of undeclared anchors were rejected and the
  /// file has no `ranges`; call after the last table.
  func checkAnchors(ranges: Int) throws(RecordingError) {
    guard ranges == 0, let message = undeclaredMessage else { return }
    throw .badData(
      path: text.path, line: line(chunk.sink.undeclared.firstLine),
      reason: "no range is left: \(message)\(origin == nil ? layout.anchorAdvice : "")"
    )
  }

  /// Returns the line in the file for a line of the text.
  private func line(_ line: Int) -> Int { origin?.lines[line] ?? line }

  /// Parses the complete rows of the current block and moves on to the next one.
  private mutating func processBlock() throws(RecordingError) {
    if log != nil { return try processLogBlock() }
    do throws(RecordingError) {
      try processRows()
    } catch {
      guard let origin else { throw error }
      throw error.onLine(of: origin.lines)
    }
  }

  private mutating func processRows() throws(RecordingError) {
    let ahead = parallelParser?.parse(&text, from: &chunk, into: &queue)
    try chunk.processRows(
      of: text.block, upTo: text.block.count, isLast: text.isLast, path: text.path)
    if parallelParser != nil { queue.append(&chunk) }
    if text.isLast {
      isDone = true
      return
    }
    if let ahead {
      try text.advance(taking: chunk.place.position, to: ahead)
    } else {
      try text.advance(taking: chunk.place.position)
    }
    chunk.place.position = 0
  }

  /// Parses the complete lines of the current block of a device log and moves on to the next one.
  private mutating func processLogBlock() throws(RecordingError) {
    guard var parser = log else { return }
    log = nil
    defer { log = parser }
    let taken = try chunk.processLines(
      &parser, of: text.block, isLast: text.isLast, path: text.path, zeroIsDistance: zeroIsDistance)
    if text.isLast {
      isDone = true
    } else {
      try text.advance(taking: taken)
    }
  }
}
