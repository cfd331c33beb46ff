import Fathom

/// Numbers as text with a fixed number of decimals, for the columns of files.
///
/// Correctly rounded: of the decimals on offer the one nearest to the exact binary value is written, the
/// even one on a tie, which is what C's `printf("%.*f")` does. Digits come from integers, so the text
/// is the same on every machine and in every locale, and a column of a million rows needs no
/// formatter objects.
public enum FixedDecimal {
  /// The largest number of decimals on offer.
  public static let mostDecimals = 15

  /// The most bytes that a number takes: sign, 20 digits, point, ``mostDecimals``; or what Swift writes for
  /// large ones.
  package static let mostBytes = 40

  /// Appends `value` with exactly `decimals` decimals, in ASCII with a point.
  ///
  /// - Parameters:
  ///   - value: the number, in whatever unit its column has.
  ///   - decimals: digits after the point, 0 to ``mostDecimals``; 0 writes no point.
  ///   - bytes: the text is appended here.
  ///
  /// ## Edge cases
  /// NaN and infinities append nothing: an empty field is how our files mark an absent value. What
  /// rounds to zero is written without a sign, so negative zero reads `0.00`. Magnitudes from 2⁶⁴ on
  /// are written as Swift describes them, `1e+20`: short, and read back to the same number.
  ///
  /// Cost: a few nanoseconds per digit; allocates only where `bytes` has to grow.
  public static func append(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: mostBytes) { buffer in
      guard let base = buffer.baseAddress else { return }
      let end = write(value, decimals: decimals, at: base)
      bytes.append(contentsOf: UnsafeBufferPointer(start: base, count: end - base))
    }
  }

  /// Appends `time` in seconds since its origin with exactly `decimals` decimals.
  ///
  /// Works on the nanoseconds: present Unix times keep all nine decimals, which `Double` seconds
  /// would not. Ties go to the even digit.
  ///
  /// - Parameters:
  ///   - time: the instant.
  ///   - decimals: digits after the point, 0 to ``mostDecimals``; from 9 on exact.
  ///   - bytes: the text is appended here.
  public static func append(_ time: Timestamp, decimals: Int, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: mostBytes) { buffer in
      guard let base = buffer.baseAddress else { return }
      let end = write(time, decimals: decimals, at: base)
      bytes.append(contentsOf: UnsafeBufferPointer(start: base, count: end - base))
    }
  }

  /// Writes `value` at `start`, which has room for ``mostBytes``, and returns the end of the text.
  @inline(__always)
  static func write(
    _ value: Double, decimals: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    precondition(decimals >= 0 && decimals <= mostDecimals, "decimals must lie in 0...15")
    guard value.isFinite else { return start }
    let magnitude = value.magnitude
    guard magnitude < 0x1p64 else { return writeDescription(of: value, at: start) }
    let power = powersOfTen[decimals]
    var whole: UInt64
    var part: UInt64
    if decimals == 0 {
      // The integer itself decides which neighbour of a tie is even. From 2⁵³ on nothing rounds.
      whole = UInt64(magnitude.rounded(.toNearestOrEven))
      part = 0
    } else {
      // Splitting is exact, and keeps the scaled part below 2⁵² whatever the magnitude.
      whole = UInt64(magnitude)
      part = roundedProduct(magnitude - Double(whole), Double(power))
      if part == power {
        whole += 1
        part = 0
      }
    }
    return write(whole: whole, part: part, decimals: decimals, negative: value < 0, at: start)
  }

  /// Writes `time` at `start`, which has room for ``mostBytes``, and returns the end of the text.
  @inline(__always)
  static func write(
    _ time: Timestamp, decimals: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    precondition(decimals >= 0 && decimals <= mostDecimals, "decimals must lie in 0...15")
    let magnitude = time.nanoseconds.magnitude
    // In units of the last decimal; beyond the ninth the digits are zeros.
    let kept = min(decimals, 9)
    let unit = powersOfTen[9 - kept]
    var (count, rest) = magnitude.quotientAndRemainder(dividingBy: unit)
    if rest * 2 > unit || (rest * 2 == unit && count % 2 == 1) { count += 1 }
    let (whole, part) = count.quotientAndRemainder(dividingBy: powersOfTen[kept])
    return write(
      whole: whole, part: part * powersOfTen[decimals - kept], decimals: decimals,
      negative: time.nanoseconds < 0, at: start)
  }

  /// Writes a whole number at `start`, which has room for ``mostBytes``; returns the end of the text.
  @inline(__always)
  static func write(
    _ value: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    write(whole: UInt64(value.magnitude), part: 0, decimals: 0, negative: value < 0, at: start)
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

  /// `fraction` x `power` to the nearest integer, even on a tie of the exact product.
  @inline(__always)
  private static func roundedProduct(_ fraction: Double, _ power: Double) -> UInt64 {
    let product = fraction * power
    // Below 2⁵² adding and taking away 2⁵² rounds to the nearest integer, ties to even.
    var rounded = (product + 0x1p52) - 0x1p52
    // Multiplying rounds, but never across a half, which is itself a `Double` below 2⁵²; it can only
    // land on one. Then what it lost, which a fused multiplication gives exactly, decides.
    if (product - rounded).magnitude == 0.5 {
      let lost = (-product).addingProduct(fraction, power)
      if lost > 0 { rounded = product + 0.5 } else if lost < 0 { rounded = product - 0.5 }
    }
    return UInt64(rounded)
  }

  /// Writes the digits of `whole`, and `part` padded to `decimals` digits.
  @inline(__always)
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

  /// How many digits `value` has.
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

  /// 10⁰ to 10¹⁹, all that 64 bits hold.
  private static let powersOfTen: InlineArray<20, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}
