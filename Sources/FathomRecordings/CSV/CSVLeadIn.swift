/// The comments and titles before the first row of a text; one of the comments can name the columns.
///
/// Spreadsheets have titles above the header, and terminals print messages before it. Such lines are no rows if
/// a line below them has names only, of which one is that of a time, a distance or a coordinate, and rows of as
/// many cells follow, with numbers there.
///
/// Loggers write `# time,bssid,distance_mm` or `// fields: ...` above rows without a header. A comment is the
/// header if it has as many cells as a row, all of them names, of which one is that of a time, a distance or a
/// coordinate, and the row has numbers there. Comments begin with `#`, `//`, or `%` and a blank.
struct CSVLeadIn: Sendable, Equatable {
  /// Offset of the first line that is no comment.
  private(set) var end = 0
  /// Offset of the line of the header; -1 without one.
  private(set) var headerLine = -1
  /// Offset of its first name.
  private(set) var header = 0
  /// Whether the lines before ``end`` are titles, which begin with no sign of a comment.
  private(set) var hasTitle = false

  /// Rows that are compared with the comments; the first ones can be cut.
  private static let mostRows = 4
  /// Bytes that are looked at; longer comments are left to their `#`.
  private static let mostBytes = 1 << 14

  /// Creates the lead-in of a text without one.
  init() {}

  /// Looks at the beginning of a text, `bytes` up to `limit`; nil if more of it is needed.
  init?(_ bytes: [UInt8], delimiter: UInt8, upTo limit: Int, isLast: Bool) {
    guard let mark = bytes[..<limit].first(where: { $0 > 0x20 }) else {
      if isLast { return }
      return nil
    }
    // A comment, or the delimiter of a spreadsheet.
    guard "#/%s".utf8.contains(mark) else {
      if let header = Self.headerBelowTitle(bytes, upTo: limit) {
        (end, hasTitle) = (header, true)
      }
      return
    }
    var comments: [(line: Int, content: Range<Int>)] = []
    var rows: [Range<Int>] = []
    var position = 0
    while position < limit, rows.count < Self.mostRows, position < Self.mostBytes {
      guard
        let lineEnd = bytes[position..<limit].firstIndex(where: Self.endsLine)
          ?? (isLast ? limit : nil)
      else { break }
      let line = Self.trimmed(bytes, position..<lineEnd, delimiter)
      if !line.isEmpty {
        let isSeparator = position == 0 && bytes[line].starts(with: "sep=".utf8)
        if let content = Self.comment(bytes, line, delimiter) {
          if rows.isEmpty { comments.append((position, content)) }
        } else if !isSeparator {
          if rows.isEmpty { end = position }
          rows.append(line)
        }
      }
      position = lineEnd + 1
    }
    let isEnough =
      rows.count == Self.mostRows || position >= Self.mostBytes || isLast && position >= limit
    guard isEnough else { return nil }
    guard let first = rows.first, !comments.isEmpty else {
      end = 0
      return
    }
    // A row of names is the header itself.
    let isHeader = Self.cells(bytes, first, delimiter).contains {
      $0.count > 3 && Self.isLetter(bytes[$0.lowerBound]) && Self.isKnown(bytes[$0])
    }
    if isHeader { return }
    for comment in comments.reversed() {
      guard let names = Self.names(bytes, comment.content, delimiter) else { continue }
      let known = names.indices.filter { Self.isKnown(bytes[names[$0]]) }
      guard !known.isEmpty,
        rows.contains(where: { Self.fits(bytes, $0, delimiter, names.count, known) })
      else { continue }
      (headerLine, header) = (comment.line, names[0].lowerBound)
      return
    }
  }

  // MARK: Titles

  /// Lines among which the header below a title is looked for.
  private static let mostTitleLines = 24
  /// Bytes in which it is looked for: the least that the first block of any text has.
  static let mostTitleBytes = 1 << 12

  /// Returns the offset of the header below the title with which a text begins; nil without a title.
  private static func headerBelowTitle(_ bytes: [UInt8], upTo limit: Int) -> Int? {
    let limit = min(limit, mostTitleBytes)
    guard let first = bytes[..<limit].first(where: { $0 > 0x20 }),
      isLetter(first) || "\"=-*+<".utf8.contains(first), !beginsWithTable(bytes[..<limit])
    else { return nil }
    var lines: [(line: Range<Int>, delimiter: UInt8, cells: [Range<Int>])] = []
    var position = 0
    while position < limit, lines.count < mostTitleLines {
      let end = bytes[position..<limit].firstIndex(where: endsLine) ?? limit
      if bytes[position..<end].contains(where: { $0 > 0x20 && !",;|\"".utf8.contains($0) }) {
        let line = position..<end
        let delimiter = usualDelimiter(bytes[line])
        let cells = cells(bytes, trimmed(bytes, line, delimiter), delimiter)
        // The first line of most texts is the header.
        if lines.isEmpty, isHeader(bytes, cells) { return nil }
        lines.append((line, delimiter, cells))
      }
      position = end + 1
    }
    for place in lines.indices.dropFirst() {
      let (line, delimiter, cells) = lines[place]
      guard bytes[line.lowerBound] != UInt8(ascii: "#"), isHeader(bytes, cells) else { continue }
      let known = cells.indices.filter { isKnown(bytes[cells[$0]]) }
      let rows = lines[(place + 1)...].prefix(3)
      guard rows.contains(where: { fits(bytes, $0.line, delimiter, cells.count, known) }) else {
        continue
      }
      return hasTable(bytes, lines[..<place].map(\.cells)) ? nil : line.lowerBound
    }
    return nil
  }

  /// Whether the first two lines have as many commas, semicolons or tabs, and no cell of the first is empty or a
  /// number: they are no title.
  ///
  /// Most texts are decided by it, at a small part of the cost.
  private static func beginsWithTable(_ text: ArraySlice<UInt8>) -> Bool {
    func isDelimiter(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\t")
    }
    var counts = (first: 0, second: 0)
    var isSecond = false
    var before: UInt8 = 0
    for byte in text {
      if endsLine(byte) {
        if isSecond, !endsLine(before) { break }
        isSecond = true
      } else if isSecond {
        if isDelimiter(byte) { counts.second += 1 }
      } else {
        if isDelimiter(before), isDelimiter(byte) || byte &- UInt8(ascii: "0") < 10 { return false }
        if isDelimiter(byte) { counts.first += 1 }
      }
      before = byte
    }
    return counts.first > 0 && counts.first == counts.second
  }

  /// Whether cells are names only, one of which is that of a time, a distance or a coordinate.
  private static func isHeader(_ bytes: [UInt8], _ cells: [Range<Int>]) -> Bool {
    let filled = cells.filter { !$0.isEmpty }
    return filled.count > 1
      && filled.allSatisfy { cell in
        cell.count < 64 && bytes[cell].last != UInt8(ascii: ":")
          && bytes[cell].contains(where: isLetter) && !isNumber(bytes[cell])
          && !bytes[cell].contains(UInt8(ascii: "="))
      }
      && filled.contains { isKnown(bytes[$0]) }
  }

  /// Whether two lines in succession have as many cells, with a number in each: another table.
  private static func hasTable(_ bytes: [UInt8], _ lines: [[Range<Int>]]) -> Bool {
    func numbers(_ cells: [Range<Int>]) -> Int { cells.count { isNumber(bytes[$0]) } }
    return zip(lines, lines.dropFirst()).contains {
      $0.count > 1 && $0.count == $1.count && numbers($0) > 0 && numbers($1) > 0
    }
  }

  /// Returns the delimiter that occurs most often in a line, and blanks without one.
  private static func usualDelimiter(_ line: ArraySlice<UInt8>) -> UInt8 {
    var best = (delimiter: UInt8(ascii: " "), count: 0)
    for delimiter in ";\t|,".utf8 {
      let count = line.count { $0 == delimiter }
      if count > best.count { best = (delimiter, count) }
    }
    return best.delimiter
  }

  // MARK: Lines

  private static func endsLine(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Returns `range` without blanks at its ends; a tab that is the delimiter stays.
  private static func trimmed(
    _ bytes: [UInt8], _ range: Range<Int>, _ delimiter: UInt8
  ) -> Range<Int> {
    func isBlank(_ byte: UInt8) -> Bool {
      Self.isBlank(byte) && (byte == UInt8(ascii: " ") || byte != delimiter)
    }
    var range = range
    while let first = range.first, isBlank(bytes[first]) { range = range.dropFirst() }
    while let last = range.last, isBlank(bytes[last]) { range = range.dropLast() }
    return range
  }

  /// Returns the text of the comment `line`; nil for another line.
  private static func comment(
    _ bytes: [UInt8], _ line: Range<Int>, _ delimiter: UInt8
  ) -> Range<Int>? {
    let text = bytes[line]
    var mark = 0
    if text.starts(with: "//".utf8) {
      mark = 2
    } else if let first = text.first, first == UInt8(ascii: "#") || first == UInt8(ascii: "%") {
      mark = text.prefix { $0 == first }.count
      // ROS writes a header such as `%time,field.range`.
      if first == UInt8(ascii: "%"), mark < text.count, !isBlank(bytes[line.lowerBound + mark]) {
        return nil
      }
    }
    return mark == 0 ? nil : trimmed(bytes, line.dropFirst(mark), delimiter)
  }

  // MARK: Cells

  /// Returns the cells of `line`, without blanks and quotes around them.
  private static func cells(
    _ bytes: [UInt8], _ line: Range<Int>, _ delimiter: UInt8
  ) -> [Range<Int>] {
    var cells: [Range<Int>] = []
    var begin = line.lowerBound
    var isQuoted = false
    func add(_ end: Int) {
      var cell = trimmed(bytes, begin..<end, delimiter)
      if cell.count > 1, bytes[cell.lowerBound] == UInt8(ascii: "\""),
        bytes[cell.upperBound - 1] == UInt8(ascii: "\"")
      {
        cell = cell.dropFirst().dropLast()
      }
      // Any number of blanks and tabs is one delimiter.
      if delimiter != UInt8(ascii: " ") || !cell.isEmpty { cells.append(cell) }
    }
    for place in line {
      if bytes[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
      let separates =
        bytes[place] == delimiter || delimiter == UInt8(ascii: " ") && isBlank(bytes[place])
      guard separates, !isQuoted else { continue }
      add(place)
      begin = place + 1
    }
    add(line.upperBound)
    return cells
  }

  /// Returns the names in a comment; nil if it has something else.
  ///
  /// A word before a colon, as in `fields: time,range`, is no part of the names.
  private static func names(
    _ bytes: [UInt8], _ content: Range<Int>, _ delimiter: UInt8
  ) -> [Range<Int>]? {
    var content = content
    let word = bytes[content].prefix { isLetter($0) || isBlank($0) }
    if word.endIndex < content.upperBound, bytes[word.endIndex] == UInt8(ascii: ":"), !word.isEmpty
    {
      content = trimmed(bytes, word.endIndex + 1..<content.upperBound, delimiter)
    }
    let cells = cells(bytes, content, delimiter)
    let areNames = cells.allSatisfy { cell in
      cell.count < 64
        && cell.first.map { isLetter(bytes[$0]) || bytes[$0] == UInt8(ascii: "_") } ?? false
    }
    return cells.count > 1 && areNames ? cells : nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 &- UInt8(ascii: "a") < 26 || byte >= 0x80
  }

  /// Whether a row has `count` cells, and numbers or nothing in those at `places`.
  private static func fits(
    _ bytes: [UInt8], _ row: Range<Int>, _ delimiter: UInt8, _ count: Int, _ places: [Int]
  ) -> Bool {
    let cells = cells(bytes, row, delimiter)
    guard cells.count == count,
      places.allSatisfy({ cells[$0].isEmpty || isNumber(bytes[cells[$0]]) })
    else { return false }
    return places.contains { !cells[$0].isEmpty }
  }

  /// Whether `cell` begins like a number, a date or a time of day.
  private static func isNumber(_ cell: ArraySlice<UInt8>) -> Bool {
    let digits = cell.drop { "+-.,".utf8.contains($0) }
    return cell.count - digits.count < 3
      && (digits.first.map { $0 &- UInt8(ascii: "0") < 10 } ?? false)
  }

  /// Whether `name` is that of a time, a distance or a coordinate.
  static func isKnown(_ name: ArraySlice<UInt8>) -> Bool {
    var words: [String] = []
    var isSmall = false
    for byte in name {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "(") { break }
      let isCapital = byte &- UInt8(ascii: "A") < 26
      if !isLetter(byte) {
        isSmall = false
        if words.last != "" { words.append("") }
        continue
      }
      if words.isEmpty || isCapital && isSmall { words.append("") }
      words[words.count - 1].unicodeScalars.append(Unicode.Scalar(isCapital ? byte | 0x20 : byte))
      isSmall = !isCapital
    }
    words.removeAll { $0.isEmpty }
    if words.contains(where: Self.words.contains) { return true }
    return words.first == "x" && words.dropFirst().allSatisfy { ["m", "cm", "mm"].contains($0) }
  }

  /// Words in names of times and distances, and of geographic coordinates.
  private static let words: Set<String> = [
    "time", "timestamp", "ts", "t", "stamp", "millis", "micros", "nanos", "date", "datetime",
    "clock",
    "epoch", "elapsed", "realtime", "uptime", "distance", "dist", "range", "rng", "latitude", "lat",
    "zeit", "zeitstempel", "uhrzeit", "temps", "tiempo", "tempo", "hora",
  ]
}
