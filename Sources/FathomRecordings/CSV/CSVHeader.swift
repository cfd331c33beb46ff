/// The header row of a file, matched with the columns that its kind of file can have.
struct CSVHeader: Sendable {
  /// A column of the file and what it was recognised as.
  struct Match: Sendable {
    /// Position in the row, from 0.
    var field: Int
    /// The name the file gives it.
    var given: String
    /// The unit in that name.
    var unit: String?
  }

  /// The names in the file, in its order.
  let names: [String]
  /// What was found for each column asked for, parallel to them.
  let matches: [Match?]
  /// The names that stand for none of the columns.
  let ignored: [String]

  /// Matches the row that `scanner` is at with `columns`.
  ///
  /// Where several of the file's columns go by names of one column, its own name wins, then the
  /// order of its other names; the rest is ignored.
  ///
  /// - Parameters:
  ///   - scanner: a scanner at the header row of the file at `path`.
  ///   - columns: the columns that this kind of file can have.
  ///   - renames: names given by the caller, by column.
  ///   - path: the file, for messages.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` where the row is no header, a name occurs
  ///   twice, a required column is missing or a renamed one does not exist.
  init(
    at scanner: CSVScanner, columns: [ColumnName], renames: [String: String] = [:], path: String
  ) throws(RecordingError) {
    let line = scanner.line
    if scanner.fault == .tooManyFields {
      throw .badData(
        path: path, line: line,
        reason: "the header has more than \(RecordingLimits.mostColumns) fields")
    }
    if scanner.fault == .tooLong {
      throw .badData(
        path: path, line: line,
        reason: "the header is longer than \(RecordingLimits.longestRow) bytes")
    }
    if scanner.fault != nil {
      throw .badData(path: path, line: line, reason: "the header's quotes do not match")
    }
    let names = scanner.fields.map { String(decoding: scanner.content($0), as: UTF8.self) }
    var places: [String: Int] = [:]
    for (place, name) in names.enumerated() where !name.isEmpty {
      if let first = places.updateValue(place, forKey: ColumnName.normalized(name)) {
        throw .badData(
          path: path, line: line,
          reason: "two columns are called \(Excerpt.quoted(name)): \(first + 1) and \(place + 1)")
      }
    }

    var matches = [Match?](repeating: nil, count: columns.count)
    var taken: Set<Int> = []
    for (key, given) in renames.sorted(by: { $0.key < $1.key }) {
      guard let column = columns.firstIndex(where: { $0.match(key) != nil }) else {
        let known = columns.map(\.name).joined(separator: ", ")
        throw .badData(
          path: path, line: nil,
          reason: "there is no column \(Excerpt.quoted(key)) to name: \(known)")
      }
      guard let place = names.firstIndex(of: given) ?? places[ColumnName.normalized(given)] else {
        throw .badData(
          path: path, line: line,
          reason: "no column is called \(Excerpt.quoted(given)), named for "
            + "\(columns[column].name); found \(Excerpt.list(names))")
      }
      guard matches[column] == nil, !taken.contains(place) else {
        throw .badData(
          path: path, line: nil,
          reason: "\(columns[column].name) or \(Excerpt.quoted(given)) is named twice")
      }
      matches[column] = Match(
        field: place, given: names[place], unit: columns[column].unit(of: names[place]))
      taken.insert(place)
    }
    for (index, column) in columns.enumerated() where matches[index] == nil {
      var best: (rank: Int, match: Match)?
      for (place, name) in names.enumerated() where !taken.contains(place) {
        guard let (rank, unit) = column.match(name), rank < best?.rank ?? .max else { continue }
        best = (rank, Match(field: place, given: name, unit: unit))
      }
      guard let best else { continue }
      matches[index] = best.match
      taken.insert(best.match.field)
    }

    let missing = columns.indices.filter { columns[$0].isRequired && matches[$0] == nil }
    if !missing.isEmpty {
      throw .badData(
        path: path, line: line,
        reason: Self.reason(missing: missing.map { columns[$0] }, among: names))
    }
    self.names = names
    self.matches = matches
    ignored = names.indices.filter { !taken.contains($0) }.map { names[$0] }
  }

  private static func reason(missing: [ColumnName], among names: [String]) -> String {
    let wanted = missing.map(\.name).joined(separator: ", ")
    var reason = "the header lacks \(wanted); found \(Excerpt.list(names))"
    if !names.isEmpty, names.allSatisfy({ $0.isEmpty || Double($0) != nil || $0.utf8.count <= 2 }),
      names.contains(where: { Double($0) != nil })
    {
      return "the first row is no header; it \(reason.dropFirst("the header ".count))"
    }
    for column in missing {
      let near = names.filter { name in
        let name = ColumnName.normalized(name)
        return column.stems.contains { Excerpt.distance($0, name) <= 1 && $0.utf8.count > 2 }
      }
      if let name = near.first {
        reason += " (is \(Excerpt.quoted(name)) the \(column.stems[0])?)"
      }
    }
    return reason
  }
}

extension CSVScanner {
  /// A scanner at the header row of `source`, for ``CSVHeader``.
  ///
  /// - Parameters:
  ///   - source: a file whose first row names its columns.
  ///   - delimiter: what separates fields; nil: found from the header.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` where there is no row at all.
  init(
    atHeaderOf source: ByteSource, delimiter: Delimiter? = nil
  ) throws(RecordingError) {
    self.init(
      source.bytes, delimiter: delimiter ?? Self.detectedDelimiter(of: source.bytes))
    guard next() else {
      let reason = source.bytes.isEmpty ? "the file is empty" : "the file has no header"
      throw .badData(path: source.path, line: nil, reason: reason)
    }
  }

  /// A scanner at the header row of a text in blocks, for ``CSVHeader``.
  ///
  /// - Parameters:
  ///   - text: a file whose first row names its columns; moves on to the block that holds all of it.
  ///   - delimiter: what separates fields; nil: found from the header.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` where there is no row at all.
  init(atHeaderOf text: inout TextBlocks, delimiter: Delimiter? = nil) throws(RecordingError) {
    while !text.isLast {
      // Any delimiter serves to find the row.
      var header = CSVScanner(text.block, delimiter: .comma, isLast: false)
      if header.next() { break }
      try text.advance(taking: 0)
    }
    self.init(
      text.block, delimiter: delimiter ?? Self.detectedDelimiter(of: text.block),
      isLast: text.isLast)
    guard next() else {
      let reason = text.block.isEmpty ? "the file is empty" : "the file has no header"
      throw .badData(path: text.path, line: nil, reason: reason)
    }
  }

  /// The delimiter of the first row of `bytes`: whichever of comma, semicolon and tab divides it
  /// most often, counted outside quotes; comma where none does.
  package static func detectedDelimiter(of bytes: [UInt8]) -> Delimiter {
    var best = (delimiter: Delimiter.comma, count: 0)
    // Any delimiter serves to find the row.
    var header = CSVScanner(bytes, delimiter: .comma)
    guard header.next() else { return .comma }
    let line = bytes[header.row]
    for candidate in Delimiter.allCases {
      var isQuoted = false
      var count = 0
      for byte in line {
        if byte == Self.quote { isQuoted.toggle() }
        if byte == candidate.byte, !isQuoted { count += 1 }
      }
      if count > best.count { best = (candidate, count) }
    }
    return best.delimiter
  }
}
