import Foundation

/// A position in a part of some bytes, from which tokens are taken.
///
/// Every access is checked against the end of the part.
struct TokenCursor: Sendable {
  /// All bytes.
  let bytes: [UInt8]
  /// Offset of the next byte.
  var position: Int
  /// Offset of the first byte after the part.
  private(set) var end: Int

  /// Creates a cursor at the beginning of `range`, which must lie within `bytes`.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = min(range.upperBound, bytes.count)
  }

  /// Whether the cursor is at the end of the part.
  var isAtEnd: Bool { position >= end }

  /// The byte at the cursor; nil at the end.
  @inline(__always)
  var next: UInt8? { position < end ? bytes[position] : nil }

  /// The byte `offset` bytes after the cursor; nil beyond the end.
  func peek(_ offset: Int) -> UInt8? { position + offset < end ? bytes[position + offset] : nil }

  /// The bytes from the cursor to the end.
  var rest: ArraySlice<UInt8> { bytes[min(position, end)..<end] }

  /// Returns a cursor for `range` of the same bytes.
  func part(_ range: Range<Int>) -> TokenCursor { TokenCursor(bytes, range) }

  /// Takes `byte`; returns false if another is next.
  @inline(__always)
  mutating func consume(_ byte: UInt8) -> Bool {
    guard position < end, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// Takes `text`; returns false if other bytes are next.
  @inline(__always)
  mutating func consume(_ text: StaticString) -> Bool {
    guard matches(text, at: position) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  /// Takes `text`; returns false if other bytes are next.
  @inline(__always)
  mutating func consume(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count <= end - position else { return false }
    var place = position
    for byte in text {
      if bytes[place] != byte { return false }
      place += 1
    }
    position = place
    return true
  }

  /// Takes spaces and tabs; returns whether there were any.
  @inline(__always) @discardableResult
  mutating func consumeBlanks() -> Bool {
    let start = position
    while position < end,
      bytes[position] == UInt8(ascii: " ") || bytes[position] == UInt8(ascii: "\t")
    {
      position += 1
    }
    return position > start
  }

  /// Whether `text` stands at `offset`.
  @inline(__always)
  func matches(_ text: StaticString, at offset: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard count <= end - offset else { return false }
    for index in 0..<count where bytes[offset + index] != text.utf8Start[index] { return false }
    return true
  }

  /// Whether `range` holds exactly `text`.
  @inline(__always)
  func isText(_ range: Range<Int>, _ text: StaticString) -> Bool {
    range.count == text.utf8CodeUnitCount && matches(text, at: range.lowerBound)
  }

  /// Returns the offset of the next occurrence of `text`; nil without one.
  ///
  /// The C library finds the first byte of `text`, several bytes at a time: this is fast if it is rare.
  func offset(of text: StaticString) -> Int? {
    let first = Int32(text.utf8Start[0])
    var offset = position
    while offset < end {
      let found = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.flatMap { base in
          memchr(base + offset, first, end - offset).map {
            base.distance(to: UnsafeRawPointer($0))
          }
        }
      }
      guard let found else { return nil }
      if matches(text, at: found) { return found }
      offset = found + 1
    }
    return nil
  }

  /// Moves past the next occurrence of `text`; returns false, unmoved, without one.
  mutating func skip(past text: StaticString) -> Bool {
    guard let offset = offset(of: text) else { return false }
    position = offset + text.utf8CodeUnitCount
    return true
  }

  /// Takes the bytes before the first one for which `isEnd` holds.
  @inline(__always)
  mutating func consume(until isEnd: (UInt8) -> Bool) -> Range<Int> {
    let start = position
    while position < end, !isEnd(bytes[position]) { position += 1 }
    return start..<position
  }

  /// Returns `range` without blanks at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high, bytes[low] == UInt8(ascii: " ") || bytes[low] == UInt8(ascii: "\t") {
      low += 1
    }
    while low < high, bytes[high - 1] == UInt8(ascii: " ") || bytes[high - 1] == UInt8(ascii: "\t")
    {
      high -= 1
    }
    return low..<high
  }

  // MARK: Numbers

  /// Takes a decimal number; returns nil, unmoved, if the next bytes are none.
  mutating func number() -> Double? {
    let start = position
    let token = consume { !Self.isPartOfNumber($0) }
    guard let value = number(in: token) else {
      position = start
      return nil
    }
    return value
  }

  /// Returns the finite decimal number that fills `range`; nil if it is not one.
  func number(in range: Range<Int>) -> Double? {
    guard let number = DecimalNumber(bytes, range, decimalSeparator: UInt8(ascii: ".")) else {
      return nil
    }
    let value = number.value(in: bytes)
    return value.isFinite ? value : nil
  }

  /// Returns the time in `unit` that fills `range`, in nanoseconds; nil if it is not one.
  func nanoseconds(in range: Range<Int>, _ unit: TimeUnit) -> Int64? {
    DecimalNumber(bytes, range, decimalSeparator: UInt8(ascii: "."))?.nanoseconds(from: unit)
  }

  /// Returns the decimal integer, of at most 18 digits, that fills `range`; nil if it is not one.
  func integer(in range: Range<Int>) -> Int64? {
    var digits = range
    let isNegative = digits.first.map { bytes[$0] == UInt8(ascii: "-") } ?? false
    if isNegative { digits = digits.dropFirst() }
    guard (1...18).contains(digits.count) else { return nil }
    var value: Int64 = 0
    for index in digits {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = 10 * value + Int64(digit)
    }
    return isNegative ? -value : value
  }

  /// Returns the hexadecimal integer, of at most 8 digits, that fills `range`; nil if it is not one.
  func hexadecimal(in range: Range<Int>) -> UInt32? {
    guard (1...8).contains(range.count) else { return nil }
    var value: UInt32 = 0
    for index in range {
      guard let digit = Self.hexadecimalDigit(bytes[index]) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  @inline(__always)
  static func isPartOfNumber(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "+") || byte | 0x20 == UInt8(ascii: "e")
  }

  /// Returns the value of a hexadecimal digit; nil for other bytes.
  static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

// MARK: - JSON

extension TokenCursor {
  /// Takes a JSON string; returns the bytes between its quotes, escapes included.
  mutating func string() -> Range<Int>? {
    consumeBlanks()
    guard consume(UInt8(ascii: "\"")) else { return nil }
    let start = position
    while let byte = next {
      // A backslash can be the last byte of the part.
      position = min(end, position + (byte == UInt8(ascii: "\\") ? 2 : 1))
      if byte == UInt8(ascii: "\"") { return start..<(position - 1) }
    }
    return nil
  }

  /// Takes a JSON string, number or word; returns its bytes without quotes.
  mutating func scalar() -> Range<Int>? {
    consumeBlanks()
    if next == UInt8(ascii: "\"") { return string() }
    let token = consume {
      $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]")
    }
    let value = trimmed(token)
    return value.isEmpty ? nil : value
  }

  /// Takes a JSON object; calls `member` at the value of each key, which it must take.
  ///
  /// - Returns: Whether the object is complete and `member` returned true for all of its members.
  mutating func object(_ member: (Range<Int>, inout TokenCursor) -> Bool) -> Bool {
    consumeBlanks()
    guard consume(UInt8(ascii: "{")) else { return false }
    consumeBlanks()
    if consume(UInt8(ascii: "}")) { return true }
    while true {
      guard let key = string() else { return false }
      consumeBlanks()
      guard consume(UInt8(ascii: ":")), member(key, &self) else { return false }
      consumeBlanks()
      if consume(UInt8(ascii: "}")) { return true }
      guard consume(UInt8(ascii: ",")) else { return false }
    }
  }

  /// Takes a JSON array; calls `element` at each value, which it must take.
  ///
  /// - Returns: Whether the array is complete and `element` returned true for all of its values.
  mutating func array(_ element: (inout TokenCursor) -> Bool) -> Bool {
    consumeBlanks()
    guard consume(UInt8(ascii: "[")) else { return false }
    consumeBlanks()
    if consume(UInt8(ascii: "]")) { return true }
    while true {
      guard element(&self) else { return false }
      consumeBlanks()
      if consume(UInt8(ascii: "]")) { return true }
      guard consume(UInt8(ascii: ",")) else { return false }
    }
  }

  /// Takes any JSON value, without checking what its brackets contain.
  mutating func skipValue() -> Bool {
    consumeBlanks()
    guard let first = next else { return false }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return scalar() != nil }
    var depth = 0
    while let byte = next {
      if byte == UInt8(ascii: "\"") {
        guard string() != nil else { return false }
        continue
      }
      position += 1
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
      if depth == 0 { return true }
    }
    return false
  }
}
