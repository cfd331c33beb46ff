import CVectors
import Fathom

/// A parser of the cells of simple rows; see ``FastRowParser``.
///
/// It reads words of eight bytes, which may extend beyond the cell: ``CellEndScanner/margin`` bytes
/// after the end of the row must be readable.
struct FastCellParser {
  /// Power of ten from the unit of times to nanoseconds.
  let timeExponent: Int
  /// Decimal separator XOR the digit zero, in every byte.
  ///
  /// It occurs in no cell when it is also the delimiter.
  private let point: UInt64

  /// A position in the text.
  typealias Cursor = UnsafePointer<UInt8>

  /// Creates a parser for the given decimal separator and unit of times.
  init(separator: UInt8, timeExponent: Int) {
    self.timeExponent = timeExponent
    point = UInt64(separator ^ Self.zero) &* Self.ones
  }

  private static let zero = UInt8(ascii: "0")
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080
  private static let zeros: UInt64 = 0x3030_3030_3030_3030

  /// Loads the eight bytes at `cursor`, the first one lowest.
  @inline(__always)
  static func word(_ cursor: Cursor) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
  }

  /// Returns a word whose lowest set bit is the high bit of the first zero byte of `word`; zero
  /// when there is no zero byte.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 {
    // A zero byte borrows from the next, so that higher bits may be wrong [Warren 2013, 6-1].
    (word &- ones) & ~word & highBits
  }

  /// Whether an ignored cell needs no closer inspection: it contains no quote and no line end.
  @inline(__always)
  func canSkip(_ start: Cursor, _ end: Cursor) -> Bool {
    var cursor = start
    while cursor < end {
      let byte = cursor.pointee
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") {
        return false
      }
      cursor += 1
    }
    return true
  }

  /// Returns the index of a name; nil when it is new, empty, or contains anything but visible
  /// ASCII.
  @inline(__always)
  func name(
    _ start: Cursor, _ end: Cursor, _ low: UInt64, _ names: NameTable.LookUp
  ) -> Int32? {
    let count = end - start
    // A NUL at the end would look like the padding of a shorter name.
    guard count > 0, end[-1] != 0 else { return nil }
    if count <= 8 {
      let unused = UInt64(truncatingIfNeeded: 64 &- 8 &* count)
      return names.place(ofShort: low & (.max &>> unused), 0)
    }
    if count <= 16 {
      let unused = UInt64(truncatingIfNeeded: 128 &- 8 &* count)
      return names.place(ofShort: low, Self.word(start + 8) & (.max &>> unused))
    }
    var cursor = start
    while cursor < end {
      guard NameTable.isPlain(cursor.pointee) else { return nil }
      cursor += 1
    }
    return names.place(of: UnsafeBufferPointer(start: start, count: count))
  }

  /// A number of at most 19 digits.
  private struct Digits {
    var significand: UInt64
    /// Number of decimals.
    var decimals: Int
    var isNegative: Bool
  }

  /// Parses a number without exponent; nil when the cell is anything else.
  @inline(__always)
  private func digits(_ start: Cursor, _ end: Cursor, _ word: UInt64) -> Digits? {
    var (start, word) = (start, word)
    let isNegative = UInt8(truncatingIfNeeded: word) == UInt8(ascii: "-")
    if isNegative {
      start += 1
      word = Self.word(start)
    }
    let count = end - start
    guard count > 0 else { return nil }
    if count > 16 { return manyDigits(start, end, isNegative) }
    // The cell is aligned to the end of eight or sixteen bytes, with zeros before it.
    word ^= Self.zeros
    var decimals = 0
    if count <= 8 {
      var bytes = word &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
      let points = Self.zeroBytes(bytes ^ point)
      if points != 0 {
        if count == 1 { return nil }
        decimals = Self.remove(points, from: &bytes, before: 0)
      }
      guard Self.areDigits(bytes) else { return nil }
      return Digits(
        significand: Self.number(bytes), decimals: decimals, isNegative: isNegative)
    }
    let unused = UInt64(truncatingIfNeeded: 128 &- 8 &* count)
    var first = word &<< unused
    var last = (Self.word(start + 8) ^ Self.zeros) &<< unused | (word &>> 1) &>> (63 &- unused)
    var points = Self.zeroBytes(last ^ point)
    if points != 0 {
      decimals = Self.remove(points, from: &last, before: first &>> 56)
      first &<<= 8
    } else {
      points = Self.zeroBytes(first ^ point)
      if points != 0 { decimals = 8 &+ Self.remove(points, from: &first, before: 0) }
    }
    guard Self.areDigits(first), Self.areDigits(last) else { return nil }
    return Digits(
      significand: Self.number(first) &* 100_000_000 &+ Self.number(last), decimals: decimals,
      isNegative: isNegative)
  }

  /// Removes the first of `points` from a word by shifting the bytes before it and inserting the
  /// byte `before`; returns the number of bytes after it.
  @inline(__always)
  private static func remove(
    _ points: UInt64, from bytes: inout UInt64, before byte: UInt64
  ) -> Int {
    let place = UInt64(truncatingIfNeeded: points.trailingZeroBitCount) &- 7
    let before = (1 &<< place) &- 1
    bytes = (bytes & before) &<< 8 | byte | (bytes & ~(before &<< 8 | 0xFF))
    return 7 &- Int(truncatingIfNeeded: place &>> 3)
  }

  /// Whether all eight bytes, XOR the digit zero, are digits.
  @inline(__always)
  private static func areDigits(_ bytes: UInt64) -> Bool {
    // Only digits keep the high bit clear when 0x76 is added.
    (bytes | (bytes &+ 0x7676_7676_7676_7676)) & highBits == 0
  }

  /// Returns the number with these eight digits.
  @inline(__always)
  private static func number(_ digits: UInt64) -> UInt64 {
    // Neighbouring digits are combined to numbers of two, four and eight digits.
    let pairs = digits &* 10 &+ digits &>> 8
    let mask: UInt64 = 0x0000_00FF_0000_00FF
    return
      ((pairs & mask) &* 0x000F_4240_0000_0064
      &+ ((pairs &>> 16) & mask) &* 0x0000_2710_0000_0001) &>> 32
  }

  /// Parses a number as ``digits(_:_:_:)`` does, for more than sixteen bytes.
  private func manyDigits(_ start: Cursor, _ end: Cursor, _ isNegative: Bool) -> Digits? {
    let separator = UInt8(truncatingIfNeeded: point) ^ Self.zero
    guard end - start <= 20 else { return nil }
    var cursor = start
    var significand: UInt64 = 0
    var afterPoint: Cursor?
    while cursor < end {
      let digit = cursor.pointee &- Self.zero
      if digit < 10 {
        significand = significand &* 10 &+ UInt64(digit)
      } else {
        guard cursor.pointee == separator, afterPoint == nil else { return nil }
        afterPoint = cursor + 1
      }
      cursor += 1
    }
    guard end - start - (afterPoint == nil ? 0 : 1) <= 19 else { return nil }
    return Digits(
      significand: significand, decimals: afterPoint.map { end - $0 } ?? 0, isNegative: isNegative)
  }

  /// Returns the number in a cell times 10 to the power of `scale`, which must not be positive; nil
  /// when the cell is not simple.
  @inline(__always)
  func number(_ start: Cursor, _ end: Cursor, _ word: UInt64, scale: Int = 0) -> Double? {
    // Both operands of the division are exact, so that it rounds once [Clinger 1990].
    guard let digits = digits(start, end, word), digits.significand <= 1 << 53 else { return nil }
    let magnitude =
      Double(Int64(bitPattern: digits.significand)) / Self.powers[digits.decimals &- scale]
    return digits.isNegative ? -magnitude : magnitude
  }

  /// Returns the number as ``number(_:_:_:scale:)`` does, if it is positive, or zero and `zero` is
  /// true; nil otherwise.
  @inline(__always)
  func magnitude(_ start: Cursor, _ end: Cursor, _ word: UInt64, scale: Int, zero: Bool) -> Double?
  {
    // A test of the digits does not have to wait for the division.
    guard let digits = digits(start, end, word), digits.significand <= 1 << 53,
      digits.significand != 0 ? !digits.isNegative : zero
    else { return nil }
    let magnitude =
      Double(Int64(bitPattern: digits.significand)) / Self.powers[digits.decimals &- scale]
    return digits.isNegative ? -magnitude : magnitude
  }

  /// Returns the time in a cell; nil when the cell is not simple.
  @inline(__always)
  func time(_ start: Cursor, _ end: Cursor, _ word: UInt64) -> Timestamp? {
    guard let digits = digits(start, end, word), digits.decimals <= timeExponent else { return nil }
    let (nanoseconds, overflow) = digits.significand.multipliedReportingOverflow(
      by: Self.wholePowers[timeExponent &- digits.decimals])
    guard !overflow, nanoseconds <= UInt64(Int64.max) else { return nil }
    let magnitude = Int64(bitPattern: nanoseconds)
    return Timestamp(nanoseconds: digits.isNegative ? -magnitude : magnitude)
  }

  /// Powers of ten: up to 19 decimals, and 3 more from millimetres.
  ///
  /// All are exact.
  private static let powers: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  private static let wholePowers: InlineArray<10, UInt64> = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]
}

/// An iterator over the ends of a row's cells, whatever their content.
///
/// It compares 64 bytes at a time, so that finding the end of a cell does not depend on the cell
/// before.
struct CellEndScanner {
  /// Start of the last 64 bytes compared.
  private var text: UnsafePointer<UInt8>
  /// Bit mask of the ends among them that have not been returned, the first byte lowest.
  private var stops: UInt64
  private let delimiter: UInt8

  /// Bytes after the line feed of a row that must be readable; their values do not matter.
  static let margin = 64

  /// Creates an iterator for the row that begins at `row`, which must end with a line feed.
  @inline(__always)
  init(of row: UnsafePointer<UInt8>, delimiter: UInt8) {
    text = row
    self.delimiter = delimiter
    stops = cvectors_stops(row, delimiter)
  }

  /// Returns the next delimiter or line feed; must not be called after the line feed.
  @inline(__always)
  mutating func next() -> UnsafePointer<UInt8> {
    while stops == 0 {
      text += 64
      stops = cvectors_stops(text, delimiter)
    }
    let place = stops.trailingZeroBitCount
    stops &= stops &- 1
    return text + place
  }
}
