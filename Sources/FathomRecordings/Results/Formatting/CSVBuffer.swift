import CVectors
import Fathom

/// Rows of a CSV file as bytes: fields are appended one by one, separated by commas.
package struct CSVBuffer {
  /// What has been written, and room for more.
  private var buffer: [UInt8]
  private var count = 0
  private var isFirst = true

  /// A text that starts with `header` and makes room for `count` rows.
  package init(header: String, rows count: Int) {
    self.init(rows: count, of: header.utf8.count)
    append(bytes: header.utf8)
    append(byte: Self.newline)
  }

  /// An empty text with room for `rows` rows of about `length` bytes.
  package init(rows: Int, of length: Int) {
    buffer = [UInt8](repeating: 0, count: (rows + 1) * (length + 1))
  }

  /// What has been written so far.
  package var bytes: [UInt8] { Array(buffer[..<count]) }

  /// Whether nothing has been written.
  var isEmpty: Bool { count == 0 }

  /// Calls `body` with what has been written so far.
  func withBytes<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var result: Result<Void, Failure> = .success(())
    buffer.withUnsafeBytes { bytes in
      do throws(Failure) {
        try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      } catch {
        result = .failure(error)
      }
    }
    try result.get()
  }

  /// Forgets what has been written; the memory stays.
  mutating func removeAll() { count = 0 }

  /// Makes room for `rows` more rows of about `length` bytes.
  mutating func reserveCapacity(rows: Int, of length: Int) {
    makeRoom(for: (rows + 1) * (length + 1))
  }

  /// Appends a number with a fixed number of decimals; NaN and infinities leave the field empty.
  package mutating func append(_ value: Double, decimals: Int) {
    write { FixedDecimal.write(value, decimals: decimals, at: $0) }
  }

  /// Appends an instant in seconds.
  package mutating func append(_ time: Timestamp, decimals: Int) {
    write { FixedDecimal.write(time, decimals: decimals, at: $0) }
  }

  /// Appends a whole number.
  package mutating func append(_ value: Int) {
    write { FixedDecimal.write(value, at: $0) }
  }

  /// Appends a text, quoted where it has to be [RFC 4180], and where the ``CSVScanner`` would take it
  /// for a comment or strip its blanks.
  package mutating func append(_ text: String) { append(field: Self.field(text)) }

  /// Appends the bytes of a field, which are as they have to be.
  package mutating func append(field: [UInt8]) {
    separate()
    append(bytes: field)
  }

  /// Appends a short word in small letters.
  @inline(__always)
  package mutating func append(word: String) {
    separate()
    append(bytes: word.utf8)
  }

  /// The field that holds `text`, for texts that are written many times.
  package static func field(_ text: String) -> [UInt8] {
    guard needsQuotes(text.utf8) else { return Array(text.utf8) }
    var field = [quote]
    for byte in text.utf8 {
      if byte == quote { field.append(quote) }
      field.append(byte)
    }
    return field + [quote]
  }

  /// Ends the row.
  package mutating func endRow() {
    append(byte: Self.newline)
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

  // MARK: Whole rows

  /// Writes a row of at most `most` bytes.
  ///
  /// - Parameters:
  ///   - most: the room that the row gets.
  ///   - body: writes at least one field with the cursor that it is given.
  @inline(__always)
  mutating func writeRow(most: Int, _ body: (inout FieldCursor) -> Void) {
    makeRoom(for: most)
    buffer.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var cursor = FieldCursor(end: base + count)
      body(&cursor)
      let end = cursor.end - base
      precondition(end > count && end - count <= most, "a row is longer than its room")
      // In place of the comma behind the last field.
      base[end - 1] = Self.newline
      count = end
    }
  }

  // MARK: Room

  /// Writes a field that takes no more than the longest number.
  @inline(__always)
  private mutating func write(
    _ body: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
  ) {
    separate()
    makeRoom(for: FixedDecimal.mostBytes)
    buffer.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      count = body(base + count) - base
    }
  }

  @inline(__always)
  private mutating func separate() {
    if !isFirst { append(byte: Self.comma) }
    isFirst = false
  }

  @inline(__always)
  private mutating func append(byte: UInt8) {
    makeRoom(for: 1)
    buffer[count] = byte
    count += 1
  }

  private mutating func append(bytes: some Collection<UInt8>) {
    makeRoom(for: bytes.count)
    for byte in bytes {
      buffer[count] = byte
      count += 1
    }
  }

  @inline(__always)
  private mutating func makeRoom(for bytes: Int) {
    if buffer.count - count < bytes { grow(by: bytes) }
  }

  private mutating func grow(by bytes: Int) {
    buffer.append(contentsOf: repeatElement(0, count: max(bytes, buffer.count)))
  }

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let newline = UInt8(ascii: "\n")
}

/// The place in a ``CSVBuffer`` where the next field goes; every field is written with a comma behind it.
///
/// Its room was established by ``CSVBuffer/writeRow(most:_:)``: ``FixedDecimal/mostBytes`` and one for a
/// number, the longest of its table for a field, at least 16.
struct FieldCursor {
  /// Behind the last comma.
  private(set) var end: UnsafeMutablePointer<UInt8>

  /// A cursor at `end`.
  @inline(__always)
  init(end: UnsafeMutablePointer<UInt8>) { self.end = end }

  /// Writes a number with a fixed number of decimals; NaN and infinities leave the field empty.
  @inline(__always)
  mutating func append(_ value: Double, decimals: Int) {
    close(FixedDecimal.write(value, decimals: decimals, at: end))
  }

  /// Writes three numbers with four decimals, as one by one.
  @inline(__always)
  mutating func appendWithFourDecimals(_ a: Double, _ b: Double, _ c: Double) {
    if let end = cvectors_write_three(end, a, b, c) {
      self.end = end
    } else {
      append(a, decimals: 4)
      append(b, decimals: 4)
      append(c, decimals: 4)
    }
  }

  /// Writes the upper triangle of a symmetric matrix, row by row, with eight decimals, as one by one.
  @inline(__always)
  mutating func appendWithEightDecimals(_ matrix: Matrix<3, 3>) {
    if let end = cvectors_write_six(
      end, matrix[0, 0], matrix[0, 1], matrix[0, 2], matrix[1, 1], matrix[1, 2], matrix[2, 2])
    {
      self.end = end
    } else {
      for row in 0..<3 {
        for column in row..<3 { append(matrix[row, column], decimals: 8) }
      }
    }
  }

  /// Writes the next instant of `times`, in seconds.
  @inline(__always)
  mutating func append(_ time: Timestamp, of times: inout TimeColumn) {
    close(times.write(time, at: end))
  }

  /// Writes a whole number.
  @inline(__always)
  mutating func append(_ value: Int) { close(FixedDecimal.write(value, at: end)) }

  /// Writes an empty field.
  @inline(__always)
  mutating func appendEmpty() { close(end) }

  /// Writes field `index` of `table`.
  @inline(__always)
  mutating func append(_ index: Int, of table: FieldTable) {
    end = table.write(index, at: end)
  }

  @inline(__always)
  private mutating func close(_ field: UnsafeMutablePointer<UInt8>) {
    field.pointee = UInt8(ascii: ",")
    end = field + 1
  }
}
