/// A scanner that splits bytes into rows and fields according to RFC 4180, without creating a
/// `String`.
///
/// Beyond the RFC:
/// - A line ends with LF, CRLF or CR; the end of the last line is optional. Vertical tab and form
///   feed are ordinary characters.
/// - Blank lines and comments, which are lines that begin with `#`, are skipped. So is a first line
///   `sep=;`, by which spreadsheets state the delimiter, and other comments before the first row. If one
///   of these is its header, it is the first row, see ``CSVLeadIn``.
/// - Spaces and tabs around a field are not part of it; inside quotes they are.
/// - A quote in the middle of an unquoted field is an ordinary character.
///
/// A row with invalid quoting ends with its first line, and scanning continues with the next line:
/// a missing quote costs one row, not the rest of the file. A quoted field that spans lines and
/// exceeds ``longestFieldOfLines`` bytes also counts as unclosed, and so does one in a row that has not
/// ``fieldCount`` fields: two missing quotes would hide all lines between them. A row with too many bytes
/// or fields ends with its first line as well, whatever its quotes.
///
/// A long text can be scanned in blocks, with the same rows as in one piece. When more text follows
/// the bytes, scanning stops before the first row whose end they do not contain; the next block
/// must begin there, at ``position``. The first block needs the ``CSVLeadIn/mostTitleBytes`` in which a
/// title is looked for.
package struct CSVScanner: Sendable {
  /// Bytes beyond which a quoted field that spans lines counts as a missing quote.
  package static let longestFieldOfLines = RecordingLimits.longestFieldOfLines

  /// Scanned bytes.
  package let bytes: [UInt8]
  /// Delimiter of fields.
  package let delimiter: UInt8
  /// Number of fields of a row; nil if it is not known.
  package var fieldCount: Int?
  /// The tab where blanks separate fields; otherwise the delimiter.
  private let secondDelimiter: UInt8
  /// Fields of the current row; empty when it has a fault.
  package private(set) var fields: [CSVField] = []
  /// Fault of the current row.
  package private(set) var fault: CSVFault?
  /// Bytes of the current row without its line end.
  package private(set) var row = 0..<0
  /// Line on which the current row begins, from 1.
  package var line: Int { lines?[textLine] ?? textLine }
  private var textLine = 0
  /// The lines of the file from which the bytes were made; nil for a file that is CSV.
  private let lines: LineMap?
  /// Comment lines skipped so far.
  package private(set) var commentLines = 0

  /// Offset of the next row, or of the blank line or comment before it.
  package private(set) var position = 0
  /// Line after the current row.
  package private(set) var lineAfter: Int
  /// Offset at which scanning ends.
  private let limit: Int
  /// Whether the text ends at ``limit``.
  private let isLast: Bool
  /// Whether the last scanned row or comment may continue beyond ``limit``.
  private var touchesEnd = false
  /// The comments before the first row; nil if more text is needed to know them.
  private var leadIn: CSVLeadIn? = CSVLeadIn()

  /// Creates a scanner at the beginning of `bytes`, which is the start of line number `line`.
  ///
  /// Scanning ends at the offset `limit`, nil for the end of `bytes`; with `isLast`, the text ends
  /// there.
  package init(
    _ bytes: [UInt8], delimiter: Delimiter, line: Int = 1, upTo limit: Int? = nil,
    isLast: Bool = true
  ) {
    self.init(bytes, delimiter: delimiter, line: line, upTo: limit, isLast: isLast, lines: nil)
  }

  /// Creates a scanner at the beginning of `bytes`, which were made from `lines` of a file.
  init(
    _ bytes: [UInt8], delimiter: Delimiter, line: Int = 1, upTo limit: Int? = nil,
    isLast: Bool = true, lines: LineMap?
  ) {
    self.bytes = bytes
    self.lines = lines
    self.delimiter = delimiter.byte
    secondDelimiter = delimiter == .blank ? UInt8(ascii: "\t") : delimiter.byte
    self.limit = min(limit ?? bytes.count, bytes.count)
    self.isLast = isLast
    lineAfter = line
    fields.reserveCapacity(16)
    if line == 1, lines == nil {
      leadIn = CSVLeadIn(
        bytes, delimiter: self.delimiter, upTo: self.limit, isLast: isLast)
    }
  }

  /// Whether lines before the header are titles.
  var hasTitle: Bool { leadIn?.hasTitle ?? false }

  /// Moves to the next row; returns false at the end of the text or of its complete rows.
  package mutating func next() -> Bool {
    fields.removeAll(keepingCapacity: true)
    fault = nil
    touchesEnd = false
    guard let leadIn else { return false }
    while position < limit {
      let start = position
      textLine = lineAfter
      let isHeader = position == leadIn.headerLine
      if isHeader { position = leadIn.header }
      let isComment =
        !isHeader
        && (bytes[position] == UInt8(ascii: "#") || position < leadIn.end && !isBlankLine()
          || (position == 0 && lineAfter == 1 && Self.statedDelimiter(of: bytes) != nil))
      let isRow = !isComment && !isBlankLine()
      if isRow { scanRow() } else { skipLine() }
      if touchesEnd, !isLast {
        position = start
        lineAfter = textLine
        fields.removeAll(keepingCapacity: true)
        return false
      }
      if isComment { commentLines += 1 }
      if isRow { return true }
    }
    return false
  }

  /// Returns the delimiter that the first line of a text states, as in `sep=;`; nil if it states
  /// none.
  static func statedDelimiter(of bytes: [UInt8]) -> Delimiter? {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard bytes.count > start + 4, bytes[start...].prefix(4).elementsEqual("sep=".utf8) else {
      return nil
    }
    let next = bytes.dropFirst(start + 5).first ?? lineFeed
    guard next == lineFeed || next == carriageReturn else { return nil }
    return Delimiter.allCases.first { $0.byte == bytes[start + 4] }
  }

  /// Continues at `position`, where line `line` begins: another parser has processed the rows
  /// before.
  ///
  /// A header in a comment is not looked for.
  package mutating func resume(at position: Int, line: Int) {
    self.position = position
    lineAfter = line
    leadIn = CSVLeadIn()
  }

  /// Whether the bytes were made from a file of another format, with commas and decimal points.
  var isTranscoded: Bool { lines != nil }

  /// Returns the bytes of `field`, with doubled quotes replaced by single ones.
  package func content(_ field: CSVField) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(field.range.count)
    var index = field.range.lowerBound
    while index < field.range.upperBound {
      content.append(bytes[index])
      index += field.hasDoubledQuotes && bytes[index] == Self.quote ? 2 : 1
    }
    return content
  }

  /// Returns `field` without leading and trailing blanks, also inside quotes.
  package func trimmed(_ field: CSVField) -> CSVField {
    var range = field.range
    while let first = range.first, isBlank(bytes[first]) { range = range.dropFirst() }
    while let last = range.last, isBlank(bytes[last]) { range = range.dropLast() }
    return CSVField(range: range, hasDoubledQuotes: field.hasDoubledQuotes)
  }

  // MARK: Scanning

  static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  @inline(__always)
  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (byte == UInt8(ascii: "\t") && delimiter != byte)
  }

  @inline(__always)
  private func separates(_ byte: UInt8) -> Bool { byte == delimiter || byte == secondDelimiter }

  @inline(__always)
  private func endsLine(_ byte: UInt8) -> Bool {
    byte == Self.lineFeed || byte == Self.carriageReturn
  }

  private func isBlankLine() -> Bool {
    var index = position
    while index < limit, isBlank(bytes[index]) { index += 1 }
    return index == limit || endsLine(bytes[index])
  }

  /// Moves past the line end at `index`, or to the end of the bytes.
  private mutating func endLine(at index: Int) {
    position = index + 1
    if index < limit, bytes[index] == Self.carriageReturn {
      // A line feed may follow.
      if position == limit { touchesEnd = true }
      if position < limit, bytes[position] == Self.lineFeed { position += 1 }
    }
    if index >= limit { touchesEnd = true }
    position = min(position, limit)
    lineAfter += 1
  }

  private mutating func skipLine() {
    var index = position
    while index < limit, !endsLine(bytes[index]) { index += 1 }
    endLine(at: index)
  }

  private mutating func scanRow() {
    let start = position
    var index = start
    while true {
      while index < limit, isBlank(bytes[index]) { index += 1 }
      if index < limit, bytes[index] == Self.quote {
        guard let end = scanQuotedField(&index) else { return endBrokenRow(from: start) }
        index = end
      } else {
        scanPlainField(&index)
      }
      guard index < limit, separates(bytes[index]) else { break }
      guard fields.count < RecordingLimits.mostColumns else {
        fault = .tooManyFields
        return endBrokenRow(from: start)
      }
      index += 1
      // Blanks at the end of a line separate nothing.
      if delimiter == UInt8(ascii: " ") {
        while index < limit, isBlank(bytes[index]) { index += 1 }
        if index == limit || endsLine(bytes[index]) { break }
      }
    }
    guard index - start <= RecordingLimits.longestRow else {
      fault = .tooLong
      return endBrokenRow(from: start)
    }
    if lineAfter > textLine, let fieldCount, fields.count != fieldCount {
      touchesEnd = index >= limit
      fault = .unclosedQuote
      return endBrokenRow(from: start)
    }
    row = start..<index
    endLine(at: index)
  }

  /// Scans an unquoted field from `index` on and moves `index` past it.
  @inline(__always)
  private mutating func scanPlainField(_ index: inout Int) {
    let start = index
    while index < limit {
      let byte = bytes[index]
      if separates(byte) || endsLine(byte) { break }
      index += 1
    }
    var end = index
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    fields.append(CSVField(range: start..<end, hasDoubledQuotes: false))
  }

  /// Scans a field whose opening quote is at `index`; returns the offset after it, nil for a fault.
  private mutating func scanQuotedField(_ index: inout Int) -> Int? {
    let start = index + 1
    var end = start
    var lines = 0
    var hasDoubledQuotes = false
    while true {
      guard end < limit, lines == 0 || end - start <= Self.longestFieldOfLines else {
        touchesEnd = end == limit
        fault = .unclosedQuote
        return nil
      }
      let byte = bytes[end]
      if byte == Self.quote {
        guard end + 1 < limit, bytes[end + 1] == Self.quote else { break }
        hasDoubledQuotes = true
        end += 2
        continue
      }
      // CRLF counts once, at its line feed.
      if byte == Self.lineFeed
        || (byte == Self.carriageReturn
          && !(end + 1 < limit && bytes[end + 1] == Self.lineFeed))
      {
        lines += 1
      }
      end += 1
    }
    var after = end + 1
    while after < limit, isBlank(bytes[after]), !separates(bytes[after]) { after += 1 }
    guard after == limit || separates(bytes[after]) || endsLine(bytes[after]) else {
      fault = lines == 0 ? .textAfterQuote : .unclosedQuote
      if end == start, let found = CSVFault(marker: bytes[after...]) { fault = found }
      return nil
    }
    lineAfter += lines
    fields.append(CSVField(range: start..<end, hasDoubledQuotes: hasDoubledQuotes))
    return after
  }

  /// Ends a row with a fault at the end of its first line.
  private mutating func endBrokenRow(from start: Int) {
    fields.removeAll(keepingCapacity: true)
    lineAfter = textLine
    position = start
    var index = start
    while index < limit, !endsLine(bytes[index]) { index += 1 }
    row = start..<index
    if case .notJSON = fault { row.removeFirst(min(row.count, CSVFault.markerCount)) }
    endLine(at: index)
  }
}

/// A field of a row, as a range of the scanned bytes.
package struct CSVField: Sendable, Equatable {
  /// Range of the field's bytes, without its quotes and surrounding blanks.
  package var range: Range<Int>
  /// Whether the field is quoted and contains doubled quotes, each of which stands for one.
  package var hasDoubledQuotes: Bool

  /// Whether the field is empty.
  package var isEmpty: Bool { range.isEmpty }
}

/// A reason why a row cannot be split into fields.
package enum CSVFault: Sendable, Equatable {
  /// A quote is not closed.
  case unclosedQuote
  /// Something other than a delimiter follows a closing quote.
  case textAfterQuote
  /// The row has more fields than ``RecordingLimits/mostColumns``.
  case tooManyFields
  /// The row is longer than ``RecordingLimits/longestRow``.
  case tooLong
  /// The row stands for a part of a JSON file that is not a row.
  case notJSON(JSONFault)
}

extension CSVFault {
  /// Bytes with which a row that stands for a faulty part of a JSON file begins: an empty text in quotes,
  /// a control character and the fault.
  ///
  /// Text after a closing quote is a fault in any file, so that no row of a CSV file is read otherwise.
  static func marker(of fault: JSONFault) -> [UInt8] {
    [CSVScanner.quote, CSVScanner.quote, negative, fault.rawValue]
  }

  /// Number of bytes in ``marker(of:)``.
  static let markerCount = 4

  /// Creates the fault whose marker, behind its quotes, `bytes` begin with; nil if they do not.
  init?(marker bytes: ArraySlice<UInt8>) {
    guard bytes.first == Self.negative, bytes.count > 1,
      let fault = JSONFault(rawValue: bytes[bytes.startIndex + 1])
    else { return nil }
    self = .notJSON(fault)
  }

  /// The control character "negative acknowledge".
  private static let negative: UInt8 = 0x15
}

/// A delimiter of the fields of a row.
public enum Delimiter: String, Sendable, Hashable, CaseIterable, Codable {
  /// A comma.
  case comma = ","
  /// A semicolon, common with decimal commas.
  case semicolon = ";"
  /// A tab.
  case tab = "\t"
  /// A vertical bar.
  case bar = "|"
  /// Any number of blanks and tabs.
  case blank = " "

  /// The name of the delimiter: in a message it is easier to see than the character.
  package var name: String {
    switch self {
    case .comma: "comma"
    case .semicolon: "semicolon"
    case .tab: "tab"
    case .bar: "bar"
    case .blank: "blank"
    }
  }

  /// The delimiter as a byte.
  @inlinable
  package var byte: UInt8 {
    switch self {
    case .comma: UInt8(ascii: ",")
    case .semicolon: UInt8(ascii: ";")
    case .tab: UInt8(ascii: "\t")
    case .bar: UInt8(ascii: "|")
    case .blank: UInt8(ascii: " ")
    }
  }
}
