/// A table that is transcoded from JSON to dense CSV: a header, then a row per line.
///
/// Its columns are the keys of its objects: all keys seen until its first row is written, and after that
/// only in the next pass. Keys that match the same known column in the same unit share a column.
struct JSONTable {
  /// A column of the table.
  private struct Column {
    var name: String
    /// Index of the column in the list of its kind, and its unit; nil for an unknown one.
    var known: Int?
    var unit: String?
  }

  /// A row of a plan, with its cells in the order of the columns.
  struct Layout {
    /// Index of the token for each column; negative when the row has none.
    var tokens: [Int32] = []
    /// Whether the cell is the token's key.
    var isKey: [Bool] = []
  }

  let kind: TableKind
  /// Whether rows have been written.
  private(set) var isBegun = false
  /// Whether a known column was found too late for the rows before.
  private(set) var isIncomplete = false
  /// Number of rows written, also of rejected ones.
  private(set) var rowCount = 0
  /// Number of rejected rows.
  private(set) var faultCount = 0
  /// Number of rows that were removed.
  private var removedCount = 0
  /// The text of the table, or its part that is not in ``spool`` yet.
  private(set) var csv: [UInt8] = []
  /// The text before; nil for a table in memory.
  let spool: SpooledText?
  /// The line in the JSON file of each line of the text.
  private(set) var lines = LineMap()
  private var columns: [Column] = []
  private var places: [String: Int] = [:]
  private let renames: [String: String]
  private var isLive = false
  /// Whether the rows are only counted.
  private let isOmitted: Bool
  /// The column of tags in the ranges of a stream, whose objects may lack a tag.
  private var tagPlace: Int?
  /// The known columns that keys match best, nil for unknown keys.
  private var matches: [String: Match?] = [:]
  private typealias Match = (column: Int, rank: Int, unit: String?)

  /// Keys whose columns are remembered.
  private static let mostMatches = 4096
  /// Columns that are unknown, of which more are ignored.
  private static let mostUnknown = 256

  /// Creates an empty table of the file at `path`, in memory unless `isSpooled` is set; if `isOmitted` is
  /// set, its rows are only counted.
  init(
    _ kind: TableKind, path: String, renames: [String: String], isSpooled: Bool,
    isOmitted: Bool = false
  ) {
    (self.kind, self.renames, self.isOmitted) = (kind, renames, isOmitted)
    spool = isSpooled ? SpooledText(path: path) : nil
  }

  /// Creates the table of a stream, which cannot be read again: a key that comes late has no column unless
  /// it is a usual one.
  init(live kind: TableKind, path: String, renames: [String: String]) {
    self.init(kind, path: path, renames: renames, isSpooled: false)
    isLive = true
  }

  /// Creates the table of the next pass, with the columns of the `table` of the pass before.
  init(again table: JSONTable, path: String) {
    self.init(
      table.kind, path: path, renames: table.renames, isSpooled: table.spool != nil,
      isOmitted: table.isOmitted)
    (columns, places) = (table.columns, table.places)
  }

  /// Returns the layout of a row with `members`; new keys become columns.
  mutating func layout(_ members: JSONMembers) -> Layout {
    var layout = Layout()
    var taken: [Int: (rank: Int, place: Int)] = [:]
    func set(_ cell: JSONCell, at place: Int) {
      let missing = max(0, place + 1 - layout.tokens.count)
      layout.tokens += Array(repeating: -1, count: missing)
      layout.isKey += Array(repeating: false, count: missing)
      switch cell {
      case .value(let token): (layout.tokens[place], layout.isKey[place]) = (Int32(token), false)
      case .key(let token): (layout.tokens[place], layout.isKey[place]) = (Int32(token), true)
      }
    }
    let matches = members.cells.map { match($0.key) }
    var known: [JSONCell] = []
    for (member, match) in zip(members.cells, matches) {
      guard let match, match.rank < taken[match.column]?.rank ?? .max else { continue }
      if let before = taken[match.column] { layout.tokens[before.place] = -1 }
      guard let place = place(of: member.key, match.column, match.unit) else { continue }
      set(member.cell, at: place)
      taken[match.column] = (match.rank, place)
      known.append(member.cell)
    }
    for (member, match) in zip(members.cells, matches)
    where match == nil && !known.contains(member.cell) {
      if let place = place(of: member.key, nil, nil) { set(member.cell, at: place) }
    }
    return layout
  }

  /// Returns the known column that `key` matches best; nil if it is unknown.
  private mutating func match(_ key: String) -> Match? {
    if let known = matches[key] { return known }
    var best: Match?
    for (index, column) in kind.columns.enumerated() {
      guard let (rank, unit) = kind.match(key, column, renames), rank < best?.rank ?? .max else {
        continue
      }
      best = (index, rank, unit ?? (column.quantity == .time ? nil : column.unit(of: column.name)))
    }
    if matches.count < Self.mostMatches { matches[key] = .some(best) }
    return best
  }

  /// Returns the place of the column for `key`, which is added if it is new; nil if it is ignored.
  private mutating func place(of key: String, _ known: Int?, _ unit: String?) -> Int? {
    let name = ColumnName.normalized(key)
    if let place = places[name] { return place }
    if let known,
      let place = columns.firstIndex(where: { $0.known == known && $0.unit == unit })
    {
      return place
    }
    if known == nil || isLive, isBegun || columns.count >= Self.mostUnknown { return nil }
    if isBegun { isIncomplete = true }
    places[name] = columns.count
    columns.append(Column(name: key, known: known, unit: unit))
    return columns.count - 1
  }

  // MARK: Writing

  /// Begins the table, whose first row is on `line` of the JSON file.
  private mutating func begin(line: Int) {
    isBegun = true
    if columns.isEmpty {
      let usual = kind.columns.prefix(max(2, kind.columns.count { $0.isRequired }))
      columns = usual.map { Column(name: $0.name, known: nil, unit: nil) }
    }
    if isLive { addUsualColumns() }
    if isLive, kind == .ranges {
      tagPlace = columns.firstIndex { $0.known == RangeField.tag.index }
    }
    for (index, column) in columns.enumerated() {
      if index > 0 { csv.append(UInt8(ascii: ",")) }
      appendLines(line, JSONText.appendField(Array(column.name.utf8), to: &csv))
    }
    endRow(line)
  }

  /// Adds the columns that later objects may have.
  ///
  /// Not those of directions and heights of ranges, which are a property of the device: its first object
  /// has them. The columns of odometry tell what it measures.
  private mutating func addUsualColumns() {
    let usual: [Int] =
      switch kind {
      case .ranges:
        [
          .tag, .anchor, .event, .number(.sigma), .number(.rssi), .number(.firstPathRSSI),
          .number(.nonLineOfSight),
        ].map { (field: RangeField) in field.index }
      case .odometry: kind.columns.indices.filter { kind.columns[$0].name == "tag" }
      default: Array(kind.columns.indices)
      }
    for index in usual where !columns.contains(where: { $0.known == index }) {
      let column = kind.columns[index]
      let unit = column.quantity == .time ? nil : column.unit(of: column.name)
      places[ColumnName.normalized(column.name)] = columns.count
      columns.append(Column(name: column.name, known: index, unit: unit))
    }
  }

  /// Rows of a stream in CSV.
  struct Rows {
    /// The number of rows.
    var count: Int
    /// The rows, the first of a table below its header.
    var csv: [UInt8]
    /// The line of the stream of each line of the text.
    var lines: LineMap
  }

  /// Removes and returns the rows so far.
  mutating func removeRows() -> Rows {
    defer { (csv, lines, removedCount) = ([], LineMap(), rowCount) }
    return Rows(count: rowCount - removedCount, csv: csv, lines: lines)
  }

  /// Writes a row of the object with `tokens` of `bytes`, on `line` of the JSON file.
  mutating func append(
    _ layout: Layout, _ tokens: [JSONToken], _ bytes: UnsafeBufferPointer<UInt8>, line: Int
  ) {
    rowCount += 1
    if isIncomplete || isOmitted { return }
    if !isBegun { begin(line: line) }
    let start = csv.count
    for place in columns.indices {
      if place > 0 { csv.append(UInt8(ascii: ",")) }
      guard place < layout.tokens.count, layout.tokens[place] >= 0 else {
        if place == tagPlace { csv += RangeField.onlyName }
        continue
      }
      let token = tokens[Int(layout.tokens[place])]
      if layout.isKey[place] {
        let raw = UnsafeBufferPointer(rebasing: bytes[token.key])
        appendLines(
          line, JSONText.appendField(raw, hasEscapes: token.hasEscapedKey, to: &csv))
      } else if token.kind == .text {
        let raw = UnsafeBufferPointer(rebasing: bytes[token.value])
        appendLines(line, JSONText.appendField(raw, hasEscapes: token.hasEscapes, to: &csv))
      } else if token.kind == .plain {
        csv.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[token.value]))
      }
    }
    // A blank line would be no row.
    if csv.count == start { csv += [UInt8(ascii: "\""), UInt8(ascii: "\"")] }
    endRow(line)
  }

  /// Writes a row that readers reject for `fault`; `raw` is its text.
  mutating func append(_ fault: JSONFault, _ raw: UnsafeBufferPointer<UInt8>, line: Int) {
    rowCount += 1
    faultCount += 1
    if isIncomplete || isOmitted { return }
    if !isBegun { begin(line: line) }
    csv += CSVFault.marker(of: fault)
    for byte in raw.prefix(Self.longestExcerpt) {
      csv.append(
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte)
    }
    endRow(line)
  }

  /// Bytes of a rejected object that are kept, more than an excerpt shows.
  private static let longestExcerpt = 1024

  private mutating func appendLines(_ line: Int, _ count: Int) {
    for _ in 0..<count { lines.append(line) }
  }

  private mutating func endRow(_ line: Int) {
    csv.append(UInt8(ascii: "\n"))
    lines.append(line)
  }

  /// Begins the table without rows, so that it has a header.
  mutating func finish(line: Int) {
    if !isBegun { begin(line: line) }
  }

  /// Moves the text to the spool; throws when a temporary file cannot be written.
  mutating func spoolText() throws(RecordingError) {
    guard let spool else { return }
    try spool.append(csv)
    csv.removeAll(keepingCapacity: true)
  }
}
