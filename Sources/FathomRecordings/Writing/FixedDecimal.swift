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
    precondition((0...mostDecimals).contains(decimals), "decimals must lie in 0...15")
    guard value.isFinite else { return }
    let magnitude = value.magnitude
    guard magnitude < 0x1p64 else {
      bytes.append(contentsOf: value.description.utf8)
      return
    }
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
    append(whole: whole, part: part, decimals: decimals, negative: value < 0, to: &bytes)
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
    precondition((0...mostDecimals).contains(decimals), "decimals must lie in 0...15")
    let magnitude = time.nanoseconds.magnitude
    // In units of the last decimal; beyond the ninth the digits are zeros.
    let kept = min(decimals, 9)
    let unit = powersOfTen[9 - kept]
    var (count, rest) = magnitude.quotientAndRemainder(dividingBy: unit)
    if rest * 2 > unit || (rest * 2 == unit && count % 2 == 1) { count += 1 }
    let (whole, part) = count.quotientAndRemainder(dividingBy: powersOfTen[kept])
    append(
      whole: whole, part: part * powersOfTen[decimals - kept], decimals: decimals,
      negative: time.nanoseconds < 0, to: &bytes)
  }

  /// `fraction` x `power` to the nearest integer, even on a tie of the exact product.
  private static func roundedProduct(_ fraction: Double, _ power: Double) -> UInt64 {
    let product = fraction * power
    var rounded = product.rounded(.toNearestOrEven)
    // Multiplying rounds, but never across a half, which is itself a `Double` below 2⁵²; it can only
    // land on one. Then what it lost, which a fused multiplication gives exactly, decides.
    if (product - rounded).magnitude == 0.5 {
      let lost = (-product).addingProduct(fraction, power)
      if lost > 0 { rounded = product + 0.5 } else if lost < 0 { rounded = product - 0.5 }
    }
    return UInt64(rounded)
  }

  /// Appends the digits of `whole`, and `part` padded to `decimals` digits.
  private static func append(
    whole: UInt64, part: UInt64, decimals: Int, negative: Bool, to bytes: inout [UInt8]
  ) {
    if negative, whole != 0 || part != 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(of: whole, atLeast: 1, to: &bytes)
    guard decimals > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    appendDigits(of: part, atLeast: decimals, to: &bytes)
  }

  private static func appendDigits(
    of value: UInt64, atLeast width: Int, to bytes: inout [UInt8]
  ) {
    var digits = width
    while digits < powersOfTen.count, value >= powersOfTen[digits] { digits += 1 }
    var power = powersOfTen[digits - 1]
    var rest = value
    for _ in 0..<digits {
      let (digit, remainder) = rest.quotientAndRemainder(dividingBy: power)
      bytes.append(UInt8(ascii: "0") + UInt8(digit))
      rest = remainder
      power /= 10
    }
  }

  /// 10⁰ to 10¹⁹, all that 64 bits hold.
  private static let powersOfTen: InlineArray<20, UInt64> = {
    var powers = InlineArray<20, UInt64>(repeating: 1)
    for index in 1..<20 { powers[index] = powers[index - 1] * 10 }
    return powers
  }()
}
