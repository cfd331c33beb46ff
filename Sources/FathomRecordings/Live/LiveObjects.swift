/// JSON objects that arrive piece by piece, as the rows of ranges in CSV that they stand for.
///
/// The columns are those of the first objects, and every usual column of ranges besides, since a later
/// object may have more keys than the first.
struct LiveObjects {
  private var transcoder: JSONTranscoder
  /// Text of an object that is not complete.
  private var text: [UInt8] = []

  /// Creates a transcoder of the stream called `name`.
  init(name: String, options: RecordingOptions, declared: [String]) {
    let rules = JSONPlan.Rules(renames: options.columns, declared: declared)
    transcoder = JSONTranscoder(live: rules, path: name)
  }

  /// Returns the rows of the complete objects so far, the first time below a header.
  ///
  /// Objects of other kinds are counted, see ``notes``.
  ///
  /// - Throws: ``RecordingError``, never for objects in memory.
  mutating func rows(of bytes: [UInt8], isLast: Bool) throws(RecordingError) -> [UInt8] {
    text += bytes
    text.removeFirst(try transcoder.take(text, isLast: isLast))
    return transcoder.removeRows()
  }

  /// Discards an incomplete object; returns whether there was one.
  mutating func cut() -> Bool {
    defer { text = [] }
    return text.contains { $0 > 0x20 }
  }

  /// Notes for the user on objects that a stream does not use.
  var notes: [String] {
    let kinds = TableKind.allCases.filter { $0 != .ranges && transcoder[$0].rowCount > 0 }
    if kinds.isEmpty { return [] }
    let counts = kinds.map { "\(transcoder[$0].rowCount) of \($0.rawValue)" }
    return [
      "a stream uses only ranges: \(counts.joined(separator: ", ")) are not used, but by"
        + " fathom process"
    ]
  }
}
