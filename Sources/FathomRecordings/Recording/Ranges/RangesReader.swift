import Fathom

/// Reads `ranges.csv`: one range or event per row, columns found by name.
///
/// Every row ends up in exactly one place: a range, an event, or a rejected row. A rejected row
/// leaves nothing else behind, not even a new name. The file is read in stretches, on one thread or on
/// several; neither has an influence on what is read.
struct RangesReader {
  private var text: TextBlocks
  /// How blocks are taken on several threads; nil where there is one.
  private let parallelParser: ParallelRangesParser?
  /// Lines of comment before the header.
  private var commentLines: Int
  private var isDone = false
  /// The chunk that knows all before it.
  private var chunk: RangesChunkParser
  /// What was read and is still to be given out.
  private var queue: RangesTableQueue

  /// Where the columns are and in which units.
  var layout: RangesLayout { chunk.format.layout }

  /// The file as a summary lists it, with the check sum of what was taken in so far.
  var source: SourceFile {
    SourceFile(path: text.path, bytes: text.storedCount, xxh3: text.storedHash.text)
  }

  /// The whole ranges file in `input`.
  ///
  /// - Parameters:
  ///   - input: the file.
  ///   - options: the caller's units, names and separators.
  ///   - declared: names of the anchors that are declared; empty where none are, and the anchors
  ///     are then those of the file.
  ///   - blockSize: bytes that one thread looks at in one go.
  ///   - width: on how many threads, at least 1.
  /// - Returns: the file's rows and layout.
  /// - Throws: as ``init(_:options:declared:blockSize:usesFastParser:width:)``, ``next()`` and
  ///   ``checkAnchors()``.
  static func read(
    _ input: StoredInput, options: RecordingOptions, declared: [String],
    blockSize: Int = TextBlocks.usualSize, width: Int = 1
  ) throws(RecordingError) -> RangesTable {
    var reader = try RangesReader(
      input, options: options, declared: declared, blockSize: blockSize, width: width)
    var file = RangesTable(layout: reader.layout)
    while !reader.isDone {
      let isFirst = file.rowsRead == 0
      let stored = reader.text.storedCount
      if width == 1 {
        // Rows go to the file at once, not to a stretch and from there to the file.
        swap(&reader.chunk.file, &file)
        try reader.takeBlock()
        swap(&reader.chunk.file, &file)
      } else {
        try reader.takeBlock()
        reader.queue.move(to: &file, width: width)
      }
      if isFirst, !reader.isDone {
        // As many rows to the byte as there were so far; what comes compressed has more.
        let share = Double(input.byteCount) / Double(max(1, stored))
        file.ranges.reserveLargePages(Int(1.02 * share * Double(file.ranges.count)))
      }
    }
    file.commentLines += reader.commentLines
    file.tagNames = reader.chunk.names.tags.names
    file.anchorNames = reader.chunk.names.anchors.names
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
  ///   - blockSize: bytes that one thread looks at in one go.
  ///   - usesFastParser: whether simple rows may be read in the quick way; for tests.
  ///   - width: on how many threads, at least 1.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` where the file has no usable header, or no
  ///   column for the anchor and several are declared; ``RecordingError/noInput(path:reason:)`` where it
  ///   cannot be read.
  init(
    _ input: StoredInput, options: RecordingOptions, declared: [String],
    blockSize: Int = TextBlocks.usualSize, usesFastParser: Bool = true, width: Int = 1
  ) throws(RecordingError) {
    // Enough chunks that no thread waits long for the last of them, or for a chunk to be begun.
    var text = try TextBlocks(input, blockSize: width > 1 ? 16 * width * blockSize : blockSize)
    let header = try CSVScanner(atHeaderOf: &text, delimiter: options.delimiter)
    let layout = try RangesLayout(at: header, options: options, path: text.path)
    if layout[.anchor] == nil, declared.count > 1 {
      throw .badData(
        path: text.path, line: header.line,
        reason: "the header lacks anchor, and \(declared.count) anchors are declared")
    }
    commentLines = header.commentLines
    chunk = RangesChunkParser(
      RangesFormat(
        layout: layout, options: options, declared: declared.count, usesFastParser: usesFastParser),
      at: RangesPosition(position: header.position, line: header.lineAfter),
      names: RangesNames(
        tags: NameTable(), anchors: NameTable(declared),
        declaredAnchors: declared.isEmpty ? .max : declared.count),
      into: RangesTable(layout: layout), isInContext: true)
    self.text = text
    queue = RangesTableQueue(layout: layout)
    parallelParser = width > 1 ? ParallelRangesParser(width: width, size: 2 * blockSize) : nil
  }

  /// The next stretch of the file; nil at its end.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where the file cannot be read on;
  ///   ``RecordingError/badData(path:line:reason:)`` for damaged gzip, endless lines, and more names than
  ///   one recording can have.
  mutating func next() throws(RecordingError) -> RangesTable? {
    while true {
      if var file = queue.next(names: chunk.names) {
        file.commentLines += commentLines
        commentLines = 0
        return file
      }
      if isDone { return nil }
      try takeBlock()
      if parallelParser == nil { queue.append(&chunk) }
    }
  }

  /// Throws where rows named anchors that are not declared; call after the last stretch.
  func checkAnchors() throws(RecordingError) {
    guard let (line, name, rows) = chunk.undeclared else { return }
    let many = rows == 1 ? "1 row" : "\(rows) rows"
    throw .badData(
      path: text.path, line: line,
      reason: "anchor \(Excerpt.quoted(name)) is not declared (\(many) with undeclared anchors)")
  }

  /// Takes the complete rows of the block at hand and moves on to the next one.
  private mutating func takeBlock() throws(RecordingError) {
    let ahead = parallelParser?.take(&text, from: &chunk, into: &queue)
    try chunk.takeRows(
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
}
