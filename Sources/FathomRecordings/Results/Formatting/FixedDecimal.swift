import Fathom

/// Formats numbers as text with a fixed number of decimals, for the columns of files.
///
/// Rounds correctly: writes the decimal nearest to the exact binary value and, on a tie, the even
/// one, as C's `printf("%.*f")` does. Digits come from integer arithmetic, so the text is the same
/// on every machine and in every locale. Formatting allocates no formatter objects.
public enum FixedDecimal {
  /// The largest supported number of decimals.
  public static let mostDecimals = 15

  /// The maximum length of a number, bytes: sign, 20 digits, point and ``mostDecimals``, or Swift's
  /// description of a large number.
  package static let mostBytes = 40

  /// Appends `value` with exactly `decimals` decimals, in ASCII with a point.
  ///
  /// - Parameters:
  ///   - value: the number, in the unit of its column.
  ///   - decimals: digits after the point, 0 to ``mostDecimals``; 0 writes no point.
  ///   - bytes: the buffer to append to.
  ///
  /// ## Edge cases
  /// NaN and infinities append nothing, because an empty field marks an absent value. Values that
  /// round to zero are written without a sign; negative zero reads `0.00`. Magnitudes of 2⁶⁴ and
  /// above are written in Swift's shortest form, such as `1e+20`, which reads back to the same
  /// number.
  ///
  /// Cost: a few nanoseconds per digit; allocates only if `bytes` has to grow.
  public static func append(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
    append(to: &bytes) { write(value, decimals: decimals, at: $0) }
  }

  /// Appends `time` in seconds since its origin with exactly `decimals` decimals.
  ///
  /// Computes from the nanoseconds, so present Unix times keep all nine decimals; `Double` seconds
  /// would lose some. Ties go to the even digit.
  ///
  /// - Parameters:
  ///   - time: the instant.
  ///   - decimals: digits after the point, 0 to ``mostDecimals``; exact for 9 and above.
  ///   - bytes: the buffer to append to.
  public static func append(_ time: Timestamp, decimals: Int, to bytes: inout [UInt8]) {
    append(to: &bytes) { write(time, decimals: decimals, at: $0) }
  }

  /// Appends what `write` writes at a place with capacity for ``mostBytes``; it returns the end.
  private static func append(
    to bytes: inout [UInt8],
    _ write: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
  ) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: mostBytes) { buffer in
      guard let base = buffer.baseAddress else { return }
      let end = write(base)
      bytes.append(contentsOf: UnsafeBufferPointer(start: base, count: end - base))
    }
  }

  /// Returns the text of `time` in seconds since its origin.
  static func text(_ time: Timestamp, decimals: Int) -> String {
    var bytes: [UInt8] = []
    append(time, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes `value` at `start`, which has capacity for ``mostBytes``, and returns the end of the
  /// text.
  @inline(__always)
  static func write(
    _ value: Double, decimals: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    precondition(decimals >= 0 && decimals <= mostDecimals, "decimals must be from 0 to 15")
    let magnitude = value.magnitude
    // Excludes values that a carry would extend to nine digits.
    guard magnitude < Double(eightDigits - 1), decimals > 0, decimals <= 8 else {
      return writeLong(value, decimals: decimals, at: start)
    }
    // The split is exact.
    var whole = UInt32(magnitude)
    let power = powersOfTen[decimals]
    var part = roundedProduct(magnitude - Double(whole), Double(power))
    if part == power {
      whole += 1
      part = 0
    }
    let isNegative = value < 0 && (whole != 0 || part != 0)
    start.pointee = UInt8(ascii: "-")
    var end = start + (isNegative ? 1 : 0)
    // Values below 1, such as variances, need no search for the first digit.
    if whole == 0 {
      end.pointee = UInt8(ascii: "0")
      end += 1
    } else {
      end = EightDigits(whole).writeNumber(at: end)
    }
    end.pointee = UInt8(ascii: ".")
    return EightDigits(UInt32(truncatingIfNeeded: part &* powersOfTen[8 - decimals]))
      .write(first: decimals, at: end + 1)
  }

  /// Writes any `value` with any number of decimals, digit by digit.
  @inline(never)
  private static func writeLong(
    _ value: Double, decimals: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    guard value.isFinite else { return start }
    let magnitude = value.magnitude
    guard magnitude < 0x1p64 else { return writeDescription(of: value, at: start) }
    let power = powersOfTen[decimals]
    var whole: UInt64
    var part: UInt64
    if decimals == 0 {
      // The integer's own parity decides a tie. From 2⁵³ on, all values are integers.
      whole = UInt64(magnitude.rounded(.toNearestOrEven))
      part = 0
    } else {
      // The split is exact, and keeps the scaled part below 2⁵² for every magnitude.
      whole = UInt64(magnitude)
      part = roundedProduct(magnitude - Double(whole), Double(power))
      if part == power {
        whole += 1
        part = 0
      }
    }
    return write(whole: whole, part: part, decimals: decimals, negative: value < 0, at: start)
  }

  /// Writes `time` at `start`, which has capacity for ``mostBytes``, and returns the end of the
  /// text.
  @inline(__always)
  static func write(
    _ time: Timestamp, decimals: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    precondition(decimals >= 0 && decimals <= mostDecimals, "decimals must be from 0 to 15")
    var (whole, nanoseconds) = time.nanoseconds.magnitude.quotientAndRemainder(
      dividingBy: 1_000_000_000)
    // In units of the last decimal; digits beyond the ninth are zeros.
    let kept = min(decimals, 9)
    let unit = UInt32(truncatingIfNeeded: powersOfTen[9 - kept])
    var (part, rest) = UInt32(truncatingIfNeeded: nanoseconds)
      .quotientAndRemainder(dividingBy: unit)
    // With decimals, the parity of the units is that of `part`, because a second is an even number
    // of units.
    let isOdd = (kept > 0 ? UInt64(part) : whole) % 2 == 1
    if rest > unit / 2 || (rest == unit / 2 && isOdd && rest > 0) { part += 1 }
    nanoseconds = UInt64(part)
    if nanoseconds == powersOfTen[kept] {
      whole += 1
      nanoseconds = 0
    }
    let isNegative = time.nanoseconds < 0
    guard kept > 0, kept <= 8, decimals == kept, whole < eightDigits * eightDigits else {
      return write(
        whole: whole, part: nanoseconds * powersOfTen[decimals - kept], decimals: decimals,
        negative: isNegative, at: start)
    }
    start.pointee = UInt8(ascii: "-")
    var end = start + (isNegative && (whole != 0 || nanoseconds != 0) ? 1 : 0)
    if whole < eightDigits {
      end = EightDigits(UInt32(truncatingIfNeeded: whole)).writeNumber(at: end)
    } else {
      end = EightDigits(UInt32(truncatingIfNeeded: whole / eightDigits)).writeNumber(at: end)
      end = EightDigits(UInt32(truncatingIfNeeded: whole % eightDigits))
        .write(first: 8, at: end)
    }
    end.pointee = UInt8(ascii: ".")
    return EightDigits(UInt32(truncatingIfNeeded: nanoseconds &* powersOfTen[8 - kept]))
      .write(first: kept, at: end + 1)
  }

  /// Writes an integer at `start`, which has capacity for ``mostBytes``, and returns the end of the
  /// text.
  @inline(__always)
  static func write(
    _ value: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    if value >= 0, value < 10 {
      start.pointee = UInt8(truncatingIfNeeded: value) &+ UInt8(ascii: "0")
      return start + 1
    }
    return write(
      whole: UInt64(value.magnitude), part: 0, decimals: 0, negative: value < 0, at: start)
  }

  private static func writeDescription(
    of value: Double, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var end = start
    for byte in value.description.utf8.prefix(mostBytes) {
      end.pointee = byte
      end += 1
    }
    return end
  }

  /// Returns `fraction` × `power` rounded to the nearest integer, and to even on a tie of the exact
  /// product.
  @inline(__always)
  private static func roundedProduct(_ fraction: Double, _ power: Double) -> UInt64 {
    let product = fraction * power
    // Below 2⁵², adding and subtracting 2⁵² rounds to the nearest integer, ties to even. The
    // intermediate sum holds the integer in its significand.
    let shifted = product + 0x1p52
    let rounded = shifted - 0x1p52
    // The product is rounded, but never across a half, because every half below 2⁵² is a `Double`.
    // It can only land on a half. In that case the rounding error, which a fused multiply-add gives
    // exactly, decides.
    if (product - rounded).magnitude == 0.5 {
      let lost = (-product).addingProduct(fraction, power)
      if lost != 0 { return UInt64(lost > 0 ? product + 0.5 : product - 0.5) }
    }
    return shifted.significandBitPattern
  }

  /// Writes the digits of `whole`, and `part` padded to `decimals` digits.
  @inline(never)
  private static func write(
    whole: UInt64, part: UInt64, decimals: Int, negative: Bool,
    at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var end = start
    if negative, whole != 0 || part != 0 {
      end.pointee = UInt8(ascii: "-")
      end += 1
    }
    end = writeDigits(of: whole, count: digits(of: whole), at: end)
    guard decimals > 0 else { return end }
    end.pointee = UInt8(ascii: ".")
    return writeDigits(of: part, count: decimals, at: end + 1)
  }

  /// Returns the number of decimal digits of `value`.
  @inline(__always)
  private static func digits(of value: UInt64) -> Int {
    var digits = 1
    while digits < powersOfTen.count, value >= powersOfTen[digits] { digits += 1 }
    return digits
  }

  /// Writes the last `count` digits of `value`, two at a time from the end.
  @inline(__always)
  private static func writeDigits(
    of value: UInt64, count: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var rest = value
    var left = count
    while left >= 2 {
      let pair = rest % 100
      rest /= 100
      left -= 2
      start[left] = UInt8(truncatingIfNeeded: pair / 10) &+ UInt8(ascii: "0")
      start[left + 1] = UInt8(truncatingIfNeeded: pair % 10) &+ UInt8(ascii: "0")
    }
    if left == 1 { start[0] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0") }
    return start + count
  }

  /// The smallest number with nine digits.
  private static let eightDigits: UInt64 = 100_000_000

  /// 10⁰ to 10¹⁹, the powers of ten that fit in 64 bits.
  private static let powersOfTen: InlineArray<20, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}

/// The digits of an integer below 10⁸ as text, computed for all eight digits in parallel.
///
/// The number is divided into two lanes of four digits, then four lanes of two, then eight of one.
/// Each division is a multiplication by a rounded-up reciprocal, which is exact below the lane's
/// limit. The steps have no branches, so numbers of varying length cause no branch mispredictions.
struct EightDigits {
  /// The digits as numbers 0 to 9, one per byte, the first in the lowest byte.
  private let digits: UInt64

  /// Creates the digits of `value`, which must be below 10⁸, with leading zeros.
  @inline(__always)
  init(_ value: UInt32) {
    let high = UInt64(value / 10_000)
    let low = UInt64(value % 10_000)
    let fours = high | low &<< 32
    // 10486 / 2²⁰ and 103 / 2¹⁰ approximate 1/100 and 1/10 closely enough for values below 10⁴ and
    // 10².
    let hundreds = ((fours &* 10_486) &>> 20) & 0x0000_007F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) &<< 16
    let tens = ((twos &* 103) &>> 10) & 0x000F_000F_000F_000F
    digits = tens | (twos &- tens &* 10) &<< 8
  }

  /// Writes the first `count` digits, at most eight, at `start`, and returns their end.
  ///
  /// Always stores eight bytes, so `start` needs capacity for eight.
  @inline(__always)
  func write(
    first count: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    Self.store(digits, at: start)
    return start + count
  }

  /// Writes the digits without leading zeros, at least one digit, at `start`, and returns their
  /// end.
  ///
  /// Always stores eight bytes, so `start` needs capacity for eight.
  @inline(__always)
  func writeNumber(at start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    let zeros = min(digits.trailingZeroBitCount &>> 3, 7)
    Self.store(digits &>> UInt64(truncatingIfNeeded: zeros &<< 3), at: start)
    return start + (8 &- zeros)
  }

  @inline(__always)
  private static func store(_ digits: UInt64, at start: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(start).storeBytes(
      of: (digits | 0x3030_3030_3030_3030).littleEndian, as: UInt64.self)
  }
}
