/// A decimal number parsed from a field: sign, digits and power of ten.
///
/// The grammar is `[+-] digits [. digits] [e [+-] digits]` for the whole field; digits may be
/// absent on one side of the separator. Hexadecimal numbers, NaN, infinity, digit grouping and
/// white space are not accepted; the reader removes surrounding text.
///
/// One scan stores the first 19 significant digits in an integer. Most numbers of recordings fit.
/// They become a `Double` by one exact multiplication or division [Clinger 1990], or nanoseconds
/// without conversion to `Double`.
package struct DecimalNumber: Sendable {
  private var isNegative = false
  /// The first 19 significant digits.
  private var significand: UInt64 = 0
  /// Power of ten of the last digit of the significand.
  private var exponent = 0
  /// Digits beyond the 19th as a fraction of the last stored digit, in twentieths.
  ///
  /// Twice the first of them, plus one when any of the others is not zero: ten is exactly one half.
  private var tail: UInt8 = 0
  /// Range of the field's bytes from the first digit to the exponent.
  private var digits: Range<Int>
  /// Exponent as written, limited to the relevant range.
  private var writtenExponent = 0
  private let decimalSeparator: UInt8

  /// Parses the number in `range` of `bytes`; nil when the whole range is not a number.
  package init?(_ bytes: [UInt8], _ range: Range<Int>, decimalSeparator: UInt8) {
    self.decimalSeparator = decimalSeparator
    let end = range.upperBound
    var index = range.lowerBound
    digits = index..<index
    guard index < end else { return nil }
    if bytes[index] == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    } else if bytes[index] == UInt8(ascii: "+") {
      index += 1
    }

    let start = index
    var kept = 0
    while index < end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      if kept < 19 { keep(digit, &kept) } else { drop(digit, &kept); exponent += 1 }
      index += 1
    }
    var count = index - start
    if index < end, bytes[index] == decimalSeparator {
      index += 1
      while index < end {
        let digit = bytes[index] &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        if kept < 19 {
          keep(digit, &kept)
          exponent -= 1
        } else {
          drop(digit, &kept)
        }
        index += 1
        count += 1
      }
    }
    guard count > 0 else { return nil }
    digits = start..<index
    if index < end {
      guard let written = Self.exponent(bytes, index..<end) else { return nil }
      writtenExponent = written
      exponent += written
    }
  }

  /// Appends a digit to the significand; leading zeros are not significant.
  @inline(__always)
  private mutating func keep(_ digit: UInt8, _ kept: inout Int) {
    significand = significand &* 10 &+ UInt64(digit)
    if significand != 0 { kept += 1 }
  }

  /// Records a digit beyond the 19th in ``tail``.
  private mutating func drop(_ digit: UInt8, _ kept: inout Int) {
    if kept == 19 {
      tail = 2 * digit
      kept += 1
    } else if digit != 0 {
      tail |= 1
    }
  }

  /// Parses the exponent, `e`, sign and digits, in the whole of `range`; nil when it is invalid.
  private static func exponent(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    guard bytes[index] | 0x20 == UInt8(ascii: "e") else { return nil }
    index += 1
    var isNegative = false
    if index < range.upperBound,
      bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+")
    {
      isNegative = bytes[index] == UInt8(ascii: "-")
      index += 1
    }
    guard index < range.upperBound else { return nil }
    var value = 0
    while index < range.upperBound {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      // Beyond this limit, no number of digits in a field can bring the value back into the range
      // of a Double.
      value = min(value * 10 + Int(digit), 1_000_000_000)
      index += 1
    }
    return isNegative ? -value : value
  }

  /// Returns the number times 10 to the power of `scale`, correctly rounded to nearest.
  ///
  /// `bytes` are those from which the number was parsed. A `scale` of -2 converts centimetres to
  /// metres.
  ///
  /// ## Edge cases
  /// Returns infinity above the range of a `Double` and a signed zero below it. Allocates only for
  /// numbers with more than 15 digits or large exponents.
  package func value(in bytes: [UInt8], scaledBy scale: Int = 0) -> Double {
    if significand == 0, tail == 0 { return isNegative ? -0.0 : 0.0 }
    let power = exponent + scale
    // Both operands are exact, so that the single operation rounds once.
    if tail == 0, significand <= 1 << 53, power.magnitude <= 22 {
      let whole = Double(significand)
      let magnitude =
        power < 0 ? whole / Self.powersOfTen[-power] : whole * Self.powersOfTen[power]
      return isNegative ? -magnitude : magnitude
    }
    var text = isNegative ? "-0" : "0"
    for byte in bytes[digits] {
      text.unicodeScalars.append(byte == decimalSeparator ? "." : Unicode.Scalar(byte))
    }
    if text.utf8.last == UInt8(ascii: ".") { text += "0" }
    // The standard library's conversion is correctly rounded and independent of the locale. The
    // text matches its grammar, so that nil does not occur; every reader would reject the NaN.
    return Double("\(text)e\(writtenExponent + scale)") ?? .nan
  }

  /// Returns the number, a time in `unit`, in nanoseconds, rounded to nearest with ties to even;
  /// nil outside the range of an `Int64`.
  ///
  /// The result is exact: every digit counts, even when a `Double` cannot represent them. Ticks are
  /// rounded down to a nanosecond.
  package func nanoseconds(from unit: TimeUnit) -> Int64? {
    if unit == .ticks {
      // 1 / (128 x 499.2 MHz) = 625 / 39 936 ns.
      guard let ticks = nanoseconds(from: .nanoseconds) else { return nil }
      return ticks / 39_936 * 625 + ticks % 39_936 * 625 / 39_936
    }
    let power = exponent + unit.nanosecondExponent
    var magnitude = significand
    if significand == 0 {
      return 0
    } else if power > 0 {
      // With digits beyond the 19th, the number exceeds the range in any case.
      guard tail == 0, power < Self.wholePowersOfTen.count else { return nil }
      let (product, overflow) = significand.multipliedReportingOverflow(
        by: Self.wholePowersOfTen[power])
      if overflow { return nil }
      magnitude = product
    } else if power == 0 {
      if tail > 10 || (tail == 10 && significand & 1 == 1) { magnitude += 1 }
    } else if -power < Self.wholePowersOfTen.count {
      let divisor = Self.wholePowersOfTen[-power]
      let (quotient, remainder) = significand.quotientAndRemainder(dividingBy: divisor)
      let rest = divisor - remainder
      let isAbove = remainder > rest || (remainder == rest && (tail > 0 || quotient & 1 == 1))
      magnitude = isAbove ? quotient + 1 : quotient
    } else {
      magnitude = 0
    }
    if isNegative {
      return magnitude == 1 << 63 ? .min : Int64(exactly: magnitude).map { -$0 }
    }
    return Int64(exactly: magnitude)
  }

  /// Powers of ten that a `Double` represents exactly.
  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Powers of ten that fit into a `UInt64`.
  private static let wholePowersOfTen: [UInt64] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}

/// A decimal separator.
public enum DecimalSeparator: String, Sendable, Hashable, CaseIterable, Codable {
  /// `2.31`
  case point = "."
  /// `2,31`
  case comma = ","

  /// The separator as a byte.
  @inlinable
  package var byte: UInt8 { self == .point ? UInt8(ascii: ".") : UInt8(ascii: ",") }
}
