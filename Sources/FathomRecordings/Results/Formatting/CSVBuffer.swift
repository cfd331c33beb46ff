import CVectors
import Fathom

/// A buffer of rows of text as bytes, to which fields are appended one by one: CSV, JSON Lines, or
/// fields separated by blanks.
package struct CSVBuffer {
  /// The text so far, and spare capacity.
  private var buffer: [UInt8]
  /// Length of the text so far, in bytes.
  private(set) var count = 0
  private var isFirst = true

  /// Creates a text that starts with `header`, with capacity for `count` rows.
  package init(header: String, rows count: Int) {
    self.init(rows: count, of: header.utf8.count)
    append(bytes: header.utf8)
    append(byte: Self.newline)
  }

  /// Creates an empty text with capacity for `rows` rows of about `length` bytes.
  package init(rows: Int, of length: Int) {
    buffer = [UInt8](repeating: 0, count: (rows + 1) * (length + 1))
  }

  /// The text so far.
  package var bytes: [UInt8] { Array(buffer[..<count]) }

  /// Whether the text is empty.
  var isEmpty: Bool { count == 0 }

  /// Calls `body` with the text so far.
  func withBytes<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try buffer.withBytes { (bytes) throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }

  /// Calls `body` with the text and empties it once it is longer than `limit` bytes.
  @inline(__always)
  mutating func flush<Failure: Error>(
    beyond limit: Int = 0, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    guard count > limit else { return }
    try withBytes(body)
    removeAll()
  }

  /// Empties the text and keeps its memory.
  mutating func removeAll() { count = 0 }

  /// Reserves capacity for `rows` more rows of about `length` bytes.
  mutating func reserveCapacity(rows: Int, of length: Int) {
    ensureCapacity(for: (rows + 1) * (length + 1))
  }

  /// Appends a number with a fixed number of decimals; for NaN and infinities, an empty field.
  package mutating func append(_ value: Double, decimals: Int) {
    write { FixedDecimal.write(value, decimals: decimals, at: $0) }
  }

  /// Appends an instant in seconds.
  package mutating func append(_ time: Timestamp, decimals: Int) {
    write { FixedDecimal.write(time, decimals: decimals, at: $0) }
  }

  /// Appends an integer.
  package mutating func append(_ value: Int) {
    write { FixedDecimal.write(value, at: $0) }
  }

  /// Appends a text.
  ///
  /// It is quoted where [RFC 4180] requires it, and where the ``CSVScanner`` would read it as a
  /// comment or strip its blanks.
  package mutating func append(_ text: String) { append(field: Self.field(text)) }

  /// Appends a field whose bytes are already escaped.
  package mutating func append(field: [UInt8]) {
    separate()
    append(bytes: field)
  }

  /// Appends a word of lower-case letters.
  @inline(__always)
  package mutating func append(word: String) {
    separate()
    append(bytes: word.utf8)
  }

  /// Returns the escaped field for `text`, for texts that are written many times.
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

  /// Writes a row of at most `most` bytes; `body` writes at least one field with the given cursor.
  @inline(__always)
  mutating func writeRow(
    most: Int, separator: UInt8 = UInt8(ascii: ","), _ body: (inout FieldCursor) -> Void
  ) {
    ensureCapacity(for: most)
    buffer.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var cursor = FieldCursor(end: base + count, separator: separator)
      body(&cursor)
      let end = cursor.end - base
      precondition(end > count && end - count <= most, "a row exceeds its reserved capacity")
      // Replaces the separator after the last field.
      base[end - 1] = Self.newline
      count = end
    }
  }

  /// Writes an object of JSON of at most `most` bytes as a row; its members are fields, of which
  /// `body` writes at least one.
  @inline(__always)
  mutating func writeObject(most: Int, _ body: (inout FieldCursor) -> Void) {
    writeRow(most: most) { cursor in
      cursor.beginObject()
      body(&cursor)
    }
    // Replaces the newline. The cursor cannot step back: the optimiser of Swift 6.3 drops a store to a
    // pointer that was advanced and then indexed with a negative offset.
    buffer[count - 1] = UInt8(ascii: "}")
    append(byte: Self.newline)
  }

  // MARK: Capacity

  /// Writes a field of at most ``FixedDecimal/mostBytes``.
  @inline(__always)
  private mutating func write(
    _ body: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
  ) {
    separate()
    ensureCapacity(for: FixedDecimal.mostBytes)
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
    ensureCapacity(for: 1)
    buffer[count] = byte
    count += 1
  }

  private mutating func append(bytes: some Collection<UInt8>) {
    ensureCapacity(for: bytes.count)
    for byte in bytes {
      buffer[count] = byte
      count += 1
    }
  }

  @inline(__always)
  private mutating func ensureCapacity(for bytes: Int) {
    if buffer.count - count < bytes { grow(by: bytes) }
  }

  private mutating func grow(by bytes: Int) {
    buffer.append(contentsOf: repeatElement(0, count: max(bytes, buffer.count)))
  }

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let newline = UInt8(ascii: "\n")
}

/// The position in a ``CSVBuffer`` of the next field; every field is followed by a separator.
///
/// ``CSVBuffer/writeRow(most:separator:_:)`` reserves the capacity. A number needs
/// ``FixedDecimal/mostBytes`` and one byte. A field of a table needs the length of the longest field,
/// at least 16 bytes. Groups of numbers and fields of tables have commas.
struct FieldCursor {
  /// The position after the last separator.
  fileprivate(set) var end: UnsafeMutablePointer<UInt8>
  fileprivate let separator: UInt8

  /// Writes a number with a fixed number of decimals; for NaN and infinities, an empty field.
  @inline(__always)
  mutating func append(_ value: Double, decimals: Int) {
    close(FixedDecimal.write(value, decimals: decimals, at: end))
  }

  /// Writes three numbers with four decimals; the text is that of three separate calls.
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

  /// Writes the upper triangle of a symmetric matrix, row by row, with eight decimals; the text is
  /// that of six separate calls.
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

  /// Writes `time` in seconds, as the next instant of `times`.
  @inline(__always)
  mutating func append(_ time: Timestamp, of times: inout TimeColumn) {
    close(times.write(time, at: end))
  }

  /// Writes an integer.
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

  /// Begins an object of JSON, whose members are fields.
  @inline(__always)
  mutating func beginObject() { put(UInt8(ascii: "{")) }

  /// Writes `null`.
  @inline(__always)
  mutating func appendNull() {
    for byte in "null,".utf8 { put(byte) }
  }

  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    end.pointee = byte
    end += 1
  }

  @inline(__always)
  private mutating func close(_ field: UnsafeMutablePointer<UInt8>) {
    end = field
    put(separator)
  }
}
