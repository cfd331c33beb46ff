import Fathom

/// Rows of a CSV file as bytes: fields are appended one by one, separated by commas.
package struct CSVRow {
  /// What has been written so far.
  package private(set) var bytes: [UInt8] = []
  private var isFirst = true

  /// A text that starts with `header` and makes room for `count` rows.
  package init(header: String, rows count: Int) {
    bytes.reserveCapacity(header.utf8.count + 1 + count * header.utf8.count)
    bytes.append(contentsOf: header.utf8)
    bytes.append(Self.newline)
  }

  /// Appends a number with a fixed number of decimals; NaN and infinities leave the field empty.
  package mutating func append(_ value: Double, decimals: Int) {
    separate()
    FixedDecimal.append(value, decimals: decimals, to: &bytes)
  }

  /// Appends an instant in seconds.
  package mutating func append(_ time: Timestamp, decimals: Int) {
    separate()
    FixedDecimal.append(time, decimals: decimals, to: &bytes)
  }

  /// Appends a whole number.
  package mutating func append(_ value: Int) {
    separate()
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Appends a text, quoted where it has to be [RFC 4180], and where the ``CSVScanner`` would take it
  /// for a comment or strip its blanks.
  package mutating func append(_ text: String) {
    separate()
    guard Self.needsQuotes(text.utf8) else {
      bytes.append(contentsOf: text.utf8)
      return
    }
    bytes.append(Self.quote)
    for byte in text.utf8 {
      if byte == Self.quote { bytes.append(Self.quote) }
      bytes.append(byte)
    }
    bytes.append(Self.quote)
  }

  /// Ends the row.
  package mutating func endRow() {
    bytes.append(Self.newline)
    isFirst = true
  }

  private static func needsQuotes(_ text: String.UTF8View) -> Bool {
    guard let first = text.first, let last = text.last else { return false }
    return first == UInt8(ascii: "#") || isBlank(first) || isBlank(last)
      || text.contains {
        $0 == comma || $0 == quote || $0 == newline || $0 == UInt8(ascii: "\r")
      }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private mutating func separate() {
    if !isFirst { bytes.append(Self.comma) }
    isFirst = false
  }

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let newline = UInt8(ascii: "\n")
}

/// How many decimals times need so that none loses a digit: as many as the finest of them has, up to
/// nine, and no more.
package func decimals(for times: [Timestamp]) -> Int {
  var needed = 0
  var unit: Int64 = 1_000_000_000
  for time in times {
    while needed < 9, time.nanoseconds % unit != 0 {
      needed += 1
      unit /= 10
    }
  }
  return needed
}
