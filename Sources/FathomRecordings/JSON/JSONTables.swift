/// The tables in a JSON file of mixed kinds.
struct JSONTables {
  private let transcoder: JSONTranscoder
  private let path: String
  private let storedCount: Int
  private let storedHash: ContentHash
  /// The file from which the objects were made; nil for a file in JSON.
  var origin: SourceFile?
  /// The format of that file.
  var format = LogFormat.json
  /// How its rows became objects, for the user; nil for a file in JSON.
  var note: String?

  /// Bytes of the file that are transcoded at a time.
  static let blockSize = 1 << 20

  /// Transcodes all of `input`, which begins with a JSON object.
  ///
  /// `renames` are names of columns of ranges given by the caller, by known column; `declared` are
  /// the names of the declared anchors. With `omitsRanges`, ranges are only counted. `blockSize`
  /// bytes are transcoded at a time.
  init(
    _ input: StoredInput, renames: [String: String] = [:], declared: [String] = [],
    omitsRanges: Bool = false, blockSize: Int = blockSize
  ) throws(RecordingError) {
    let rules = JSONPlan.Rules(omitsRanges: omitsRanges, renames: renames, declared: declared)
    var pass = JSONTranscoder(rules, primary: .ranges, path: input.path)
    var text = try Self.transcode(input, &pass, blockSize)
    while let next = pass.again() {
      pass = next
      text = try Self.transcode(input, &pass, blockSize)
    }
    (path, storedCount, storedHash) = (input.path, text.storedCount, text.storedHash)
    transcoder = pass
  }

  private static func transcode(
    _ input: StoredInput, _ pass: inout JSONTranscoder, _ blockSize: Int
  ) throws(RecordingError) -> TextBlocks {
    var text = try TextBlocks(input, blockSize: blockSize)
    while true {
      let taken = try pass.transcode(text.block, isLast: text.isLast)
      if text.isLast { break }
      try text.advance(taking: taken)
    }
    try pass.finish()
    return text
  }

  /// Returns the number of rows of a kind, without rejected ones.
  func count(of kind: TableKind) -> Int { transcoder[kind].rowCount - transcoder[kind].faultCount }

  /// The ranges as an input in CSV, with the rows rejected by no other table.
  func ranges() throws(RecordingError) -> StoredInput {
    let table = transcoder[.ranges]
    let origin = TextOrigin(
      file: origin ?? SourceFile(path: path, bytes: storedCount, xxh3: storedHash.text),
      lines: table.lines, hasPairs: format == .keyValue)
    guard let spool = table.spool else {
      return StoredInput(path: path, bytes: table.csv, origin: origin)
    }
    return try spool.input(origin)
  }

  /// Returns the table of `kind` in CSV; nil if the file has no rows of it.
  func source(_ kind: TableKind) -> ByteSource? {
    guard count(of: kind) > 0 else { return nil }
    let table = transcoder[kind]
    return ByteSource(
      table.csv, path: path, storedCount: storedCount, storedHash: storedHash, lines: table.lines)
  }
}

extension ByteSource {
  /// Returns the text as a table of `kind` in CSV, transcoded if it is JSON.
  ///
  /// Objects of other kinds are left out, as in a file of mixed kinds. If all are of other kinds,
  /// those that have the columns of the table are its rows: truth can have an attitude, like a
  /// pose. A text in memory gives no error.
  func table(_ kind: TableKind) throws(RecordingError) -> ByteSource {
    guard lines == nil, JSONObjects.begins(bytes) else { return self }
    var pass = try transcoded(JSONPlan.Rules(wanted: kind))
    if pass[kind].rowCount == pass[kind].faultCount {
      pass = try transcoded(JSONPlan.Rules(wanted: kind, isLenient: true))
    }
    try pass.finish()
    return ByteSource(
      pass[kind].csv, path: path, storedCount: storedCount, storedHash: storedHash,
      lines: pass[kind].lines)
  }

  private func transcoded(_ rules: JSONPlan.Rules) throws(RecordingError) -> JSONTranscoder {
    var pass = JSONTranscoder(rules, primary: rules.wanted ?? .ranges, path: path)
    _ = try pass.transcode(bytes, isLast: true)
    while var next = pass.again() {
      _ = try next.transcode(bytes, isLast: true)
      pass = next
    }
    return pass
  }
}
