import Fathom

/// The cells of plain rows, see ``PlainRanges``.
///
/// A cursor stands at the first byte of a cell and moves to what ends it. No function looks behind the
/// end of a line, so that a line feed somewhere ahead is all they need.
struct PlainCells {
  /// What stands between fields.
  let delimiter: UInt8
  /// What stands between whole and fraction.
  let separator: UInt8
  /// The power of ten that leads from the unit of times to nanoseconds.
  let timeExponent: Int

  /// A position in the text.
  typealias Cursor = UnsafePointer<UInt8>

  /// Whether `byte` ends a cell.
  @inline(__always)
  func isEnd(_ byte: UInt8) -> Bool {
    byte == delimiter || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// Moves over a cell that is not used; false where it is quoted.
  @inline(__always)
  func skip(_ cursor: inout Cursor) -> Bool {
    while !isEnd(cursor.pointee) {
      if cursor.pointee == UInt8(ascii: "\"") { return false }
      cursor += 1
    }
    return true
  }

  /// The place of the name at `cursor`; nil where it is new, empty, or has anything in it but visible ASCII.
  @inline(__always)
  func name(_ cursor: inout Cursor, _ names: NameTable.LookUp) -> Int32? {
    let start = cursor
    var key: UInt64 = 0
    while !isEnd(cursor.pointee) {
      let byte = cursor.pointee
      guard byte > UInt8(ascii: " "), byte < 0x7F, byte != UInt8(ascii: "\"") else { return nil }
      key = key << 8 | UInt64(byte)
      cursor += 1
    }
    let count = cursor - start
    if count == 0 { return nil }
    return count <= 8
      ? names.place(ofShort: key) : names.place(of: UnsafeBufferPointer(start: start, count: count))
  }

  /// The digits of a number of at most 18 digits.
  private struct Digits {
    var significand: UInt64
    /// How many of them are decimals.
    var decimals: Int
    var isNegative: Bool
  }

  /// The number at `cursor` without exponent; nil where it is not that, or not the whole cell.
  @inline(__always)
  private func digits(_ cursor: inout Cursor) -> Digits? {
    let isNegative = cursor.pointee == UInt8(ascii: "-")
    if isNegative { cursor += 1 }
    let start = cursor
    var significand: UInt64 = 0
    while true {
      let digit = cursor.pointee &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      significand = significand &* 10 &+ UInt64(digit)
      cursor += 1
    }
    var count = cursor - start
    var decimals = 0
    if cursor.pointee == separator, separator != delimiter {
      cursor += 1
      let point = cursor
      while true {
        let digit = cursor.pointee &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        significand = significand &* 10 &+ UInt64(digit)
        cursor += 1
      }
      decimals = cursor - point
      count += decimals
    }
    guard count > 0, count <= 18, isEnd(cursor.pointee) else { return nil }
    return Digits(significand: significand, decimals: decimals, isNegative: isNegative)
  }

  /// The number at `cursor` times 10 to the power of `scale`, which is not positive; nil where it is not
  /// plain.
  @inline(__always)
  func number(_ cursor: inout Cursor, scale: Int = 0) -> Double? {
    // Both operands of the division are exact, so that it is rounded once [Clinger 1990].
    guard let digits = digits(&cursor), digits.significand <= 1 << 53 else { return nil }
    let magnitude = Double(digits.significand) / Self.power(digits.decimals - scale)
    return digits.isNegative ? -magnitude : magnitude
  }

  /// The instant at `cursor`; nil where it is not plain.
  @inline(__always)
  func time(_ cursor: inout Cursor) -> Timestamp? {
    guard let digits = digits(&cursor), digits.decimals <= timeExponent else { return nil }
    let (nanoseconds, overflow) = digits.significand.multipliedReportingOverflow(
      by: Self.wholePower(timeExponent - digits.decimals))
    guard !overflow, nanoseconds <= UInt64(Int64.max) else { return nil }
    let magnitude = Int64(nanoseconds)
    return Timestamp(nanoseconds: digits.isNegative ? -magnitude : magnitude)
  }

  /// 10 to the power of `exponent`, 0 to 21.
  @inline(__always)
  private static func power(_ exponent: Int) -> Double { powers[exponent] }

  /// 10 to the power of `exponent`, 0 to 9.
  @inline(__always)
  private static func wholePower(_ exponent: Int) -> UInt64 { UInt64(powers[exponent]) }

  /// 18 decimals, and 3 more from millimetres.
  private static let powers: InlineArray<22, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21,
  ]
}
