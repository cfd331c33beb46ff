import Fathom

/// Reads `ranges.csv`: one range or event per row, columns found by name.
///
/// Every row ends up in exactly one place: a range, an event, or a rejected row. A rejected row
/// leaves nothing else behind, not even a new name. The file is read in stretches, on one thread or on
/// several; neither has an influence on what is read.
struct RangesReader {
  private var text: TextBlocks
  /// On how many threads.
  private let width: Int
  /// Bytes of a piece that one thread takes in one go, where there are several.
  private let pieceSize: Int
  /// Lines of comment before the header.
  private var commentLines: Int
  private var isDone = false
  /// The piece that knows all before it.
  private var piece: RangesPiece
  /// Stretches that were read and are still to be given out, the last one first.
  private var waiting: [RangesFile] = []
  /// Stretches that were emptied, for their memory.
  private var spare: [RangesFile] = []

  /// Where the columns are and in which units.
  var layout: RangesLayout { piece.format.layout }

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
  ///   - blockSize: bytes that one thread looks at in one go.
  ///   - width: on how many threads, at least 1.
  /// - Returns: the file's rows and layout.
  /// - Throws: as ``init(_:options:declared:blockSize:takesPlainRows:width:)``, ``next()`` and
  ///   ``checkAnchors()``.
  static func read(
    _ input: StoredInput, options: RecordingOptions, declared: [String],
    blockSize: Int = TextBlocks.usualSize, width: Int = 1
  ) throws(RecordingError) -> RangesFile {
    var reader = try RangesReader(
      input, options: options, declared: declared, blockSize: blockSize, width: width)
    var file = RangesFile(layout: reader.layout)
    while !reader.isDone {
      let isFirst = file.rowsRead == 0
      let stored = reader.text.storedCount
      if width == 1 {
        // Rows go to the file at once, not to a stretch and from there to the file.
        swap(&reader.piece.file, &file)
        try reader.takeBlock()
        swap(&reader.piece.file, &file)
      } else {
        try reader.takeBlock()
        reader.waiting.reverse()
        file.append(reader.waiting, width: width)
        reader.emptyWaiting()
      }
      if isFirst, !reader.isDone {
        // As many rows to the byte as there were so far; what comes compressed has more.
        let share = Double(input.byteCount) / Double(max(1, stored))
        file.ranges.reserveLargePages(Int(1.02 * share * Double(file.ranges.count)))
      }
    }
    file.commentLines += reader.commentLines
    file.tagNames = reader.piece.names.tags.names
    file.anchorNames = reader.piece.names.anchors.names
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
  ///   - takesPlainRows: whether plain rows may be read in the quick way; for tests.
  ///   - width: on how many threads, at least 1.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` where the file has no usable header, or no
  ///   column for the anchor and several are declared; ``RecordingError/noInput(path:reason:)`` where it
  ///   cannot be read.
  init(
    _ input: StoredInput, options: RecordingOptions, declared: [String],
    blockSize: Int = TextBlocks.usualSize, takesPlainRows: Bool = true, width: Int = 1
  ) throws(RecordingError) {
    // Enough pieces that no thread waits long for the last of them.
    var text = try TextBlocks(input, blockSize: width > 1 ? 4 * width * blockSize : blockSize)
    let header = try CSVScanner(atHeaderOf: &text, delimiter: options.delimiter)
    let layout = try RangesLayout(at: header, options: options, path: text.path)
    if layout[.anchor] == nil, declared.count > 1 {
      throw .badData(
        path: text.path, line: header.line,
        reason: "the header lacks anchor, and \(declared.count) anchors are declared")
    }
    commentLines = header.commentLines
    piece = RangesPiece(
      RangesFormat(
        layout: layout, options: options, declared: declared.count, takesPlainRows: takesPlainRows),
      at: PlainRanges.Place(position: header.position, line: header.lineAfter),
      names: PlainRanges.Names(
        tags: NameTable(), anchors: NameTable(declared),
        declaredAnchors: declared.isEmpty ? .max : declared.count),
      into: RangesFile(layout: layout), isInContext: true)
    self.text = text
    self.width = width
    pieceSize = max(1, blockSize / 2)
  }

  /// The next stretch of the file; nil at its end.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where the file cannot be read on;
  ///   ``RecordingError/badData(path:line:reason:)`` for damaged gzip, endless lines, and more names than
  ///   one recording can have.
  mutating func next() throws(RecordingError) -> RangesFile? {
    while waiting.isEmpty {
      if isDone { return nil }
      try takeBlock()
      if width == 1 { giveOut() }
    }
    guard var file = waiting.popLast() else { return nil }
    file.commentLines += commentLines
    commentLines = 0
    return file
  }

  /// Throws where rows named anchors that are not declared; call after the last stretch.
  func checkAnchors() throws(RecordingError) {
    guard let (line, name, rows) = piece.undeclared else { return }
    let many = rows == 1 ? "1 row" : "\(rows) rows"
    throw .badData(
      path: text.path, line: line,
      reason: "anchor \(Excerpt.quoted(name)) is not declared (\(many) with undeclared anchors)")
  }

  /// Forgets the stretches that wait, but for their memory.
  private mutating func emptyWaiting() {
    while var file = waiting.popLast() {
      file.removeAll()
      spare.append(file)
    }
  }

  /// An empty stretch.
  private mutating func emptyFile() -> RangesFile { spare.popLast() ?? RangesFile(layout: layout) }

  /// Puts the rows that the piece in context has taken behind those that wait.
  private mutating func giveOut() {
    var file = emptyFile()
    swap(&file, &piece.file)
    file.tagNames = piece.names.tags.names
    file.anchorNames = piece.names.anchors.names
    waiting.insert(file, at: 0)
  }

  /// Takes the complete rows of the block at hand and moves on to the next one.
  private mutating func takeBlock() throws(RecordingError) {
    var ahead: TextBlocks.Ahead?
    if width > 1 { ahead = takePieces() }
    try piece.takeRows(
      of: text.block, upTo: text.block.count, isLast: text.isLast, path: text.path)
    if width > 1 { giveOut() }
    if text.isLast {
      isDone = true
      return
    }
    if let ahead {
      try text.advance(taking: piece.place.position, to: ahead)
    } else {
      try text.advance(taking: piece.place.position)
    }
    piece.place.position = 0
  }

  // MARK: Several threads

  /// What one thread does.
  private enum Job {
    case idle
    case read(TextBlocks.Ahead)
    case take(RangesPiece, upTo: Int)
  }

  /// Takes rows of the block at hand on several threads, as far as pieces of it can be read on their own,
  /// and meanwhile reads the next block.
  private mutating func takePieces() -> TextBlocks.Ahead? {
    let block = text.block
    let path = text.path
    let ends = pieceEnds(block)
    guard let end = ends.last else { return nil }
    var jobs: [Job] = text.isLast ? [] : [.read(text.ahead(taking: end))]
    let known = piece.names
    jobs.append(.take(piece, upTo: ends[0]))
    for (begin, end) in zip(ends, ends.dropFirst()) {
      let place = PlainRanges.Place(position: begin, line: 1)
      let next = RangesPiece(
        piece.format, at: place, names: known, into: emptyFile(), isInContext: false)
      jobs.append(.take(next, upTo: end))
    }
    sideBySide(&jobs, width: width) { job in
      // What is in two places is copied when it changes.
      let mine = job
      job = .idle
      switch consume mine {
      case .idle: break
      case .read(var ahead):
        ahead.read()
        job = .read(ahead)
      case .take(var piece, let end):
        // Too many names are met again by the piece in context.
        do throws(RecordingError) {
          try piece.takeRows(of: block, upTo: end, isLast: false, path: path)
        } catch {}
        job = .take(piece, upTo: end)
      }
    }
    var ahead: TextBlocks.Ahead?
    var reached = piece.place.position
    for index in jobs.indices {
      let job = jobs[index]
      jobs[index] = .idle
      switch consume job {
      case .idle: break
      case .read(let read): ahead = read
      case .take(let next, let end):
        // A row ran over the end of its piece, or could not be judged: the others began in its middle.
        guard reached == piece.place.position else { continue }
        reached = end
        if next.isInContext {
          if next.hasTooManyNames { continue }
          piece = next
        } else if !piece.join(next, known: known) {
          continue
        }
        giveOut()
      }
    }
    return ahead
  }

  /// Where the block at hand is cut into pieces, which is behind line feeds; empty where there is none.
  private func pieceEnds(_ block: [UInt8]) -> [Int] {
    block.withUnsafeBufferPointer { bytes in
      let lineFeed = UInt8(ascii: "\n")
      guard let last = bytes.lastIndex(of: lineFeed), last >= piece.place.position else {
        return []
      }
      var ends: [Int] = []
      var next = piece.place.position + pieceSize
      while next < last {
        guard let end = bytes[next...].firstIndex(of: lineFeed) else { break }
        ends.append(end + 1)
        next = end + 1 + pieceSize
      }
      if ends.last != last + 1 { ends.append(last + 1) }
      return ends
    }
  }
}
