import Fathom

/// Lines or documents of which JSON objects are made before they are read, from a file or a stream.
protocol ObjectLines: Sendable {
  /// The format of the text.
  var format: LogFormat { get }
  /// A note for the user on the text so far; nil for none.
  var note: String? { get }

  /// Returns the objects of the next bytes of the text, on the lines of those of which they are made.
  ///
  /// Bytes of an incomplete line or document wait for the next ones, unless the text ends with them.
  mutating func objects(of bytes: [UInt8], isLast: Bool) -> [UInt8]

  /// Discards an incomplete line or document; returns whether there was one.
  mutating func cut() -> Bool
}

extension JSONTables {
  /// Reads the tables of objects that are made of `lines`, those of `input`.
  ///
  /// - Throws: ``RecordingError`` when the file cannot be read, or a temporary file not be written.
  init(
    _ input: StoredInput, by lines: some ObjectLines, renames: [String: String],
    declared: [String], omitsRanges: Bool
  ) throws(RecordingError) {
    var lines = lines
    let spool = SpooledText(path: input.path)
    var text = try TextBlocks(input, blockSize: Self.blockSize)
    while true {
      try spool.append(lines.objects(of: text.block, isLast: text.isLast))
      if text.isLast { break }
      try text.advance(taking: text.block.count)
    }
    let file = SourceFile(path: input.path, bytes: text.storedCount, xxh3: text.storedHash.text)
    let objects = try spool.input(
      TextOrigin(file: file, lines: LineMap(), hasPairs: lines.format == .keyValue))
    try self.init(objects, renames: renames, declared: declared, omitsRanges: omitsRanges)
    (origin, format, note) = (file, lines.format, lines.note)
  }
}
