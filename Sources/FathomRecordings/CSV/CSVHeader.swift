/// The header row of a file, matched with the columns known for its kind of file.
struct CSVHeader: Sendable {
  /// A column of the file that matches a known column.
  struct Match: Sendable {
    /// Index in the row, from 0.
    var field: Int
    /// Name in the file.
    var given: String
    /// Unit in that name; nil if the name has none.
    var unit: String?
  }

  /// Names in the file, in order.
  let names: [String]
  /// Match of each known column, parallel to the list of columns; nil when the file lacks it.
  private(set) var matches: [Match?]
  /// Names that match no known column.
  private(set) var ignored: [String]
  /// Units in the row below the names, parallel to them; empty without such a row.
  let units: [String]

  /// Matches the current row of `scanner` with `columns`.
  ///
  /// When several of the file's columns match one known column, its own name takes precedence, then
  /// the order of its other names. The remaining ones are ignored.
  ///
  /// `renames` are names of columns given by the caller, by known column; `units` are those in the
  /// row below the header, if it has one. `advice` returns what to try when the given columns are
  /// missing, for the end of the message. Throws when the row is not a header, a name occurs twice,
  /// a required column is missing, or a column in `renames` is unknown or absent.
  init(
    at scanner: CSVScanner, columns: [ColumnName], renames: [String: String] = [:],
    units: [String] = [], path: String, advice: ([ColumnName]) -> String = { _ in "" }
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
    try self.init(
      names: scanner.fields.map { String(decoding: scanner.content($0), as: UTF8.self) },
      columns: columns, renames: renames, units: units, path: path, line: line, advice: advice)
  }

  /// Matches the columns called `names`, in the order of the file, with `columns`, as a header in a
  /// file.
  ///
  /// `line` is that of the header, for messages; nil if the caller named the columns.
  init(
    names: [String], columns: [ColumnName], renames: [String: String] = [:],
    units: [String] = [], path: String, line: Int?, advice: ([ColumnName]) -> String = { _ in "" }
  ) throws(RecordingError) {
    var places: [String: Int] = [:]
    for (place, name) in names.enumerated() where !name.isEmpty {
      if let first = places.updateValue(place, forKey: ColumnName.normalized(name)) {
        throw .badData(
          path: path, line: line,
          reason: "two columns are called \(Excerpt.quoted(name)): \(first + 1) and \(place + 1)")
      }
    }

    func unit(_ column: ColumnName, _ place: Int) -> String? {
      column.unit(of: names[place]) ?? column.unit(below: place, units)
    }
    var matches = [Match?](repeating: nil, count: columns.count)
    var taken: Set<Int> = []
    for (key, given) in renames.sorted(by: { $0.key < $1.key }) {
      guard let column = columns.firstIndex(where: { $0.match(key) != nil }) else {
        let known = columns.map(\.name).joined(separator: ", ")
        throw .badData(
          path: path, line: nil,
          reason: "unknown column \(Excerpt.quoted(key)); known columns: \(known)")
      }
      guard let place = names.firstIndex(of: given) ?? places[ColumnName.normalized(given)] else {
        throw .badData(
          path: path, line: line,
          reason: "no column is called \(Excerpt.quoted(given)), given for "
            + "\(columns[column].name); found \(Excerpt.list(names))")
      }
      guard matches[column] == nil, !taken.contains(place) else {
        throw .badData(
          path: path, line: nil,
          reason: "\(columns[column].name) or \(Excerpt.quoted(given)) is assigned twice")
      }
      matches[column] = Match(
        field: place, given: names[place], unit: unit(columns[column], place))
      taken.insert(place)
    }
    // Fathom's own names precede all others, and cost nothing to look for.
    for (index, column) in columns.enumerated() where matches[index] == nil {
      guard let place = places[column.name], !taken.contains(place) else { continue }
      matches[index] = Match(
        field: place, given: names[place], unit: unit(column, place))
      taken.insert(place)
    }
    for (index, column) in columns.enumerated()
    where matches[index] == nil && taken.count < names.count {
      var best: (rank: Int, match: Match)?
      for (place, name) in names.enumerated() where !taken.contains(place) {
        guard let (rank, named) = column.match(name), rank < best?.rank ?? .max else { continue }
        let unit = named ?? column.unit(below: place, units)
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
        reason: Self.reason(missing: missing.map { columns[$0] }, among: names)
          + advice(missing.map { columns[$0] }))
    }
    self.names = names
    self.units = units
    self.matches = matches
    ignored = names.indices.filter { !taken.contains($0) }.map { names[$0] }
  }

  /// Gives the column at index `column` the field `field` of the file, or none.
  mutating func assign(_ field: Int?, to column: Int, _ known: ColumnName) {
    if let old = matches[column]?.field, old != field { ignored.append(names[old]) }
    matches[column] = field.map {
      Match(
        field: $0, given: names[$0],
        unit: known.unit(of: names[$0]) ?? known.unit(below: $0, units))
    }
    if let field { ignored.removeAll { $0 == names[field] } }
  }

  /// Replaces the names of the columns that are not used.
  mutating func ignore(_ names: [String]) { ignored = names }

  /// Ignores all columns except those at the indices `fields`.
  mutating func ignore(except fields: Set<Int>) {
    ignored = names.indices.filter { !fields.contains($0) }.map { names[$0] }
  }

  /// Creates the header of rows that have the columns `present`, under their own names.
  init(columns: [ColumnName], present: [Int]) {
    names = present.map { columns[$0].name }
    units = []
    var matches = [Match?](repeating: nil, count: columns.count)
    for (field, column) in present.enumerated() {
      matches[column] = Match(field: field, given: names[field], unit: nil)
    }
    self.matches = matches
    ignored = []
  }

  /// The names, with the units in the row below them.
  var namesWithUnits: [String] {
    names.indices.map { place in
      let unit = units.indices.contains(place) ? units[place] : ""
      return unit.isEmpty ? names[place] : "\(names[place]) [\(unit)]"
    }
  }

  /// Note on the units below the header; nil without such a row.
  func unitsNote(among columns: [ColumnName]) -> String? {
    if units.isEmpty { return nil }
    let unknown = zip(columns, matches).compactMap { column, match -> String? in
      guard let match, match.unit == nil, units.indices.contains(match.field) else { return nil }
      let isMeasure =
        switch column.quantity {
        case .time, .length, .angle: true
        default: false
        }
      let unit = units[match.field]
      return isMeasure && unit.contains { $0.isLetter }
        ? "the unit \(Excerpt.quoted(unit)) of column \(match.given) is unknown and not used" : nil
    }
    return (["units are those in the row below the header"] + unknown).joined(separator: "; ")
  }

  private static func reason(missing: [ColumnName], among names: [String]) -> String {
    let wanted = missing.map(\.name).joined(separator: ", ")
    var reason = "the header lacks \(wanted); found \(Excerpt.list(names))"
    if !names.isEmpty, names.allSatisfy({ $0.isEmpty || Double($0) != nil || $0.utf8.count <= 2 }),
      names.contains(where: { Double($0) != nil })
    {
      return "the first row is not a header; it \(reason.dropFirst("the header ".count))"
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
  /// Creates a scanner at the header row of `source`, for ``CSVHeader``.
  ///
  /// `delimiter` is nil to detect it from the header. A file without a row is an error.
  init(
    atHeaderOf source: ByteSource, delimiter: Delimiter? = nil
  ) throws(RecordingError) {
    let isTranscoded = source.lines != nil
    self.init(
      source.bytes,
      delimiter: isTranscoded ? .comma : delimiter ?? Self.detectedDelimiter(of: source.bytes),
      lines: source.lines)
    guard next() else {
      let reason = source.bytes.isEmpty ? "the file is empty" : "the file has no header"
      throw .badData(path: source.path, line: nil, reason: reason)
    }
  }

  /// Creates a scanner at the header row of a text in blocks, for ``CSVHeader``.
  ///
  /// The text is advanced to the block that holds the complete row. `delimiter` is nil to detect it
  /// from the header. A text without a row is an error.
  init(atHeaderOf text: inout TextBlocks, delimiter: Delimiter? = nil) throws(RecordingError) {
    while !text.isLast {
      // Any delimiter finds the row.
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

  /// Returns the one of comma, semicolon, tab and bar that occurs most often outside quotes in the first
  /// row of `bytes`; when none occurs, blank if the row has blanks, otherwise comma.
  ///
  /// Tabs count as blanks where both separate names: `time_s anchor<tab>distance_m`.
  package static func detectedDelimiter(of bytes: [UInt8]) -> Delimiter {
    var best = (delimiter: Delimiter.comma, count: 0)
    // Any delimiter finds the row.
    var header = CSVScanner(bytes, delimiter: .comma)
    if let stated = CSVScanner.statedDelimiter(of: bytes) { return stated }
    guard header.next() else { return .comma }
    let line = bytes[header.row]
    for candidate in Delimiter.allCases where candidate != .blank {
      var isQuoted = false
      var count = 0
      for byte in line {
        if byte == Self.quote { isQuoted.toggle() }
        if byte == candidate.byte, !isQuoted { count += 1 }
      }
      // Equally many commas are those of decimal numbers in a file without a header.
      if count > 0, count >= best.count { best = (candidate, count) }
    }
    if best.count == 0 {
      let words = line.split(separator: UInt8(ascii: " "))
      if words.count > 1 { return .blank }
    }
    if best.delimiter == .tab, Self.separatesByBlanksToo(bytes) { return .blank }
    return best.delimiter
  }

  /// Whether a blank separates two names in the first row of `bytes`, as tabs do.
  ///
  /// It does so if one of both is by itself the name of a time, a distance or a coordinate, and the next row
  /// has a number below it and as many words.
  private static func separatesByBlanksToo(_ bytes: [UInt8]) -> Bool {
    let tab = UInt8(ascii: "\t")
    var rows = CSVScanner(bytes, delimiter: .blank)
    guard rows.next() else { return false }
    let names = rows.fields
    guard rows.next(), rows.fields.count == names.count else { return false }
    return names.indices.contains { place in
      let before = place > 0 ? names[place - 1].range.upperBound : nil
      let after = place + 1 < names.count ? names[place + 1].range.lowerBound : nil
      let name = names[place].range
      let isBesideBlanks =
        before.map { !bytes[$0..<name.lowerBound].contains(tab) } ?? false
        || after.map { !bytes[name.upperBound..<$0].contains(tab) } ?? false
      guard isBesideBlanks, CSVLeadIn.isKnown(bytes[name]) else { return false }
      return [UInt8(ascii: "."), UInt8(ascii: ",")].contains {
        DecimalNumber(bytes, rows.fields[place].range, decimalSeparator: $0) != nil
      }
    }
  }
}
