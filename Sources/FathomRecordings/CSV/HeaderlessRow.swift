import Fathom

/// A reader of the rows of a file without a header, whose layout fixes the columns.
///
/// Blank lines and lines that begin with `#` are skipped; a line ends with LF, CRLF or CR.
struct HeaderlessRow {
  /// A separator of fields.
  enum Separator {
    /// Any number of spaces and tabs.
    case blanks
    /// A comma, with optional blanks around it.
    case commas
  }

  /// Fields of the current row.
  private(set) var fields: [Range<Int>] = []
  /// Range of the current row without its line end.
  private(set) var row = 0..<0
  /// Line of the current row, from 1.
  private(set) var line = 0
  private let bytes: [UInt8]
  private var cursor = 0

  /// Creates a reader before the first row of `bytes`.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Moves to the next row; returns false at the end.
  mutating func next(separatedBy separator: Separator) -> Bool {
    while cursor < bytes.count {
      let start = cursor
      var end = start
      while end < bytes.count, bytes[end] != Self.lineFeed, bytes[end] != Self.carriageReturn {
        end += 1
      }
      cursor = end + 1
      if end + 1 < bytes.count, bytes[end] == Self.carriageReturn, bytes[end + 1] == Self.lineFeed {
        cursor += 1
      }
      line += 1
      let content = trimmed(start..<end)
      if content.isEmpty || bytes[content.lowerBound] == UInt8(ascii: "#") { continue }
      row = content
      split(by: separator)
      return true
    }
    return false
  }

  /// Whether the field is a decimal number.
  func isNumber(_ field: Range<Int>) -> Bool { decimal(field) != nil }

  /// Returns the time in the field at `index`, given in `unit`.
  func time(_ index: Int, in unit: TimeUnit) throws(RowFault) -> Timestamp {
    guard let number = decimal(fields[index]) else {
      throw fault(index, "timestamp", "is not a number")
    }
    guard let nanoseconds = number.nanoseconds(from: unit) else {
      throw fault(index, "timestamp", "exceeds 292 years")
    }
    return Timestamp(nanoseconds: nanoseconds)
  }

  /// Returns the position in the second to fourth field, or in the fields at `places`, in metres.
  func position(in places: [Int] = [1, 2, 3]) throws(RowFault) -> Vector<3> {
    var position = Vector<3>.zero
    for (axis, name) in ["x", "y", "z"].enumerated() {
      let place = places[axis]
      guard let number = decimal(fields[place]) else {
        throw fault(place, name, "is not a number")
      }
      position[axis] = number.value(in: bytes)
      guard position[axis].isFinite else {
        throw fault(place, name, "is not a finite number")
      }
      if let reason = RecordingLimits.reasonTooFar(position[axis]) {
        throw RowFault(column: name, reason: "\(name) \(reason)")
      }
    }
    return position
  }

  /// Returns the current row as rejected for `fault`.
  func rejected(_ fault: RowFault) -> RejectedRow {
    RejectedRow(
      line: line, column: fault.column, reason: fault.reason, text: Excerpt.text(bytes[row]))
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private func decimal(_ field: Range<Int>) -> DecimalNumber? {
    DecimalNumber(bytes, field, decimalSeparator: UInt8(ascii: "."))
  }

  private func fault(_ index: Int, _ name: String, _ what: String) -> RowFault {
    RowFault(column: name, reason: "\(name) \(what): \(Excerpt.quoted(bytes[fields[index]]))")
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var range = range
    while let first = range.first, isBlank(bytes[first]) { range = range.dropFirst() }
    while let last = range.last, isBlank(bytes[last]) { range = range.dropLast() }
    return range
  }

  private mutating func split(by separator: Separator) {
    fields.removeAll(keepingCapacity: true)
    var start = row.lowerBound
    for index in row {
      let isEnd =
        separator == .commas ? bytes[index] == UInt8(ascii: ",") : isBlank(bytes[index])
      guard isEnd else { continue }
      if separator == .commas || index > start { fields.append(trimmed(start..<index)) }
      start = index + 1
    }
    fields.append(trimmed(start..<row.upperBound))
  }
}
