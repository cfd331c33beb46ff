/// Splits bytes into rows and fields, as RFC 4180 has it, without making a single `String`.
///
/// Beyond the RFC:
/// - a line ends with LF, CRLF or CR; the last one may lack its end. Vertical tab and form feed are
///   ordinary characters;
/// - blank lines are skipped, and so are comments, which are lines that begin with `#`;
/// - spaces and tabs around a field are not part of it; inside quotes they are;
/// - a quote in the middle of an unquoted field is an ordinary character.
///
/// A row whose quoting is broken ends with its first line, and scanning goes on with the next line:
/// one forgotten quote costs one row, not the rest of the file. A quote counts as not closed also
/// where its field runs over the end of a line and exceeds ``longestFieldOfLines`` bytes. A row with too
/// many bytes or fields ends with its first line as well, whatever its quotes say.
///
/// A long text can be scanned in blocks, with the same rows as if it were one: where more follows the
/// bytes at hand, scanning stops before the first row whose end they do not show, at ``position``, from
/// which the next block has to begin.
package struct CSVScanner: Sendable {
  /// Bytes beyond which a quoted field that contains ends of lines is taken for a forgotten quote.
  package static let longestFieldOfLines = RecordingLimits.longestFieldOfLines

  /// What is scanned.
  package let bytes: [UInt8]
  /// What stands between fields.
  package let delimiter: UInt8
  /// The fields of the current row; empty where it has a fault.
  package private(set) var fields: [CSVField] = []
  /// What is wrong with the current row.
  package private(set) var fault: CSVFault?
  /// The current row's bytes without the end of its line.
  package private(set) var row = 0..<0
  /// The line that the current row begins on, 1 for the first.
  package private(set) var line = 0
  /// Lines of comment skipped so far.
  package private(set) var commentLines = 0

  /// Where the next row begins, or the blank or comment before it.
  package private(set) var position = 0
  /// The line after the current row.
  package private(set) var lineAfter: Int
  /// The place where scanning ends.
  private let limit: Int
  /// Whether nothing follows there.
  private let isLast: Bool
  /// Whether what was scanned last may go on behind it.
  private var touchesEnd = false

  /// A scanner at the beginning of `bytes`, whose fields are divided by `delimiter`.
  ///
  /// - Parameters:
  ///   - bytes: what is scanned; it begins with a line.
  ///   - delimiter: what stands between fields.
  ///   - line: number of the first line.
  ///   - limit: the place where scanning ends, nil for that of the last byte.
  ///   - isLast: whether the text ends there.
  package init(
    _ bytes: [UInt8], delimiter: Delimiter, line: Int = 1, upTo limit: Int? = nil,
    isLast: Bool = true
  ) {
    self.bytes = bytes
    self.delimiter = delimiter.byte
    self.limit = min(limit ?? bytes.count, bytes.count)
    self.isLast = isLast
    lineAfter = line
    fields.reserveCapacity(16)
  }

  /// Moves to the next row; false at the end of the text, or of what of it is complete.
  package mutating func next() -> Bool {
    fields.removeAll(keepingCapacity: true)
    fault = nil
    touchesEnd = false
    while position < limit {
      let start = position
      line = lineAfter
      let isComment = bytes[position] == UInt8(ascii: "#")
      let isRow = !isComment && !isBlankLine()
      if isRow { scanRow() } else { skipLine() }
      if touchesEnd, !isLast {
        position = start
        lineAfter = line
        fields.removeAll(keepingCapacity: true)
        return false
      }
      if isComment { commentLines += 1 }
      if isRow { return true }
    }
    return false
  }

  /// Goes on at `position`, where line `line` begins: another reader has taken the rows before it.
  package mutating func resume(at position: Int, line: Int) {
    self.position = position
    lineAfter = line
  }

  /// The bytes of `field`, with doubled quotes made single.
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

  /// `field` without blanks around it, also where they are in quotes.
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
  private func endsLine(_ byte: UInt8) -> Bool {
    byte == Self.lineFeed || byte == Self.carriageReturn
  }

  private func isBlankLine() -> Bool {
    var index = position
    while index < limit, isBlank(bytes[index]) { index += 1 }
    return index == limit || endsLine(bytes[index])
  }

  /// Moves behind the end of the line at `index`, which is one, or the end of the bytes.
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
      guard index < limit, bytes[index] == delimiter else { break }
      guard fields.count < RecordingLimits.mostColumns else {
        fault = .tooManyFields
        return endBrokenRow(from: start)
      }
      index += 1
    }
    guard index - start <= RecordingLimits.longestRow else {
      fault = .tooLong
      return endBrokenRow(from: start)
    }
    row = start..<index
    endLine(at: index)
  }

  /// Scans an unquoted field that begins at `index`, which then stands behind it.
  @inline(__always)
  private mutating func scanPlainField(_ index: inout Int) {
    let start = index
    while index < limit {
      let byte = bytes[index]
      if byte == delimiter || endsLine(byte) { break }
      index += 1
    }
    var end = index
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    fields.append(CSVField(range: start..<end, hasDoubledQuotes: false))
  }

  /// Scans a field whose opening quote is at `index`; returns what stands behind it, nil for a
  /// fault.
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
    while after < limit, isBlank(bytes[after]) { after += 1 }
    guard after == limit || bytes[after] == delimiter || endsLine(bytes[after]) else {
      fault = lines == 0 ? .textAfterQuote : .unclosedQuote
      return nil
    }
    lineAfter += lines
    fields.append(CSVField(range: start..<end, hasDoubledQuotes: hasDoubledQuotes))
    return after
  }

  /// Ends a row of broken quoting with its first line.
  private mutating func endBrokenRow(from start: Int) {
    fields.removeAll(keepingCapacity: true)
    lineAfter = line
    position = start
    var index = start
    while index < limit, !endsLine(bytes[index]) { index += 1 }
    row = start..<index
    endLine(at: index)
  }
}

/// One field of a row, as a range of the scanned bytes.
package struct CSVField: Sendable, Equatable {
  /// The field's bytes, without its quotes and without blanks around it.
  package var range: Range<Int>
  /// Whether the field is in quotes and a doubled quote in it stands for one.
  package var hasDoubledQuotes: Bool

  /// Whether there is nothing in the field.
  package var isEmpty: Bool { range.isEmpty }
}

/// Why a row cannot be split into fields.
package enum CSVFault: Sendable, Equatable {
  /// A quote is opened and not closed.
  case unclosedQuote
  /// Something other than a delimiter follows a closing quote.
  case textAfterQuote
  /// There are more fields than ``RecordingLimits/mostColumns``.
  case tooManyFields
  /// The row is longer than ``RecordingLimits/longestRow``.
  case tooLong
}

/// What stands between the fields of a row.
public enum Delimiter: String, Sendable, Hashable, CaseIterable, Codable {
  /// A comma.
  case comma = ","
  /// A semicolon, usual beside decimal commas.
  case semicolon = ";"
  /// A tab.
  case tab = "\t"

  /// The delimiter as a byte.
  @inlinable
  package var byte: UInt8 {
    switch self {
    case .comma: UInt8(ascii: ",")
    case .semicolon: UInt8(ascii: ";")
    case .tab: UInt8(ascii: "\t")
    }
  }
}
