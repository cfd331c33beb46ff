import Fathom

/// Formats the instants of a column one after the other.
///
/// Successive instants usually lie in the same second. The digits of the second are kept, and only
/// those after the point are computed. The text is that of
/// ``FixedDecimal/write(_:decimals:at:)-(Timestamp,_,_)``.
struct TimeColumn {
  private let decimals: Int
  private let unit: DecimalUnit
  /// Start and length of the second of the last instant, nanoseconds; the length is 0 at first.
  private var second: UInt64 = 0
  private var span: UInt64 = 0
  /// The digits of that second and the point.
  private var digits = SIMD16<UInt8>.zero
  private var length = 0

  private static let wholeSecond: UInt64 = 1_000_000_000

  /// Creates a column with the given number of decimals of seconds, 0 to
  /// ``FixedDecimal/mostDecimals``.
  init(decimals: Int) {
    self.decimals = decimals
    unit = DecimalUnit(decimals: min(decimals, 9))
  }

  /// Writes `time` at `start`, which has capacity for ``FixedDecimal/mostBytes``, and returns the
  /// end of the text.
  @inline(__always)
  mutating func write(
    _ time: Timestamp, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let rest = UInt64(bitPattern: time.nanoseconds) &- second
    guard rest < span, unit.divides(rest) else { return begin(time, at: start) }
    UnsafeMutableRawPointer(start).storeBytes(of: digits, as: SIMD16<UInt8>.self)
    // Drops the ninth digit, which is zero.
    return EightDigits(UInt32(truncatingIfNeeded: rest / 10))
      .write(first: decimals, at: start + length)
  }

  /// Writes an instant in full, and keeps its second for the following instants if they can share
  /// its digits.
  @inline(never)
  private mutating func begin(
    _ time: Timestamp, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let end = FixedDecimal.write(time, decimals: decimals, at: start)
    // Excludes negative times, whose digits decrease with time, and rounded times, which may fall
    // in the next second.
    guard time.nanoseconds >= 0, (1...8).contains(decimals),
      unit.divides(UInt64(time.nanoseconds))
    else { return end }
    span = Self.wholeSecond
    second = UInt64(time.nanoseconds) / span * span
    length = end - start - decimals
    digits = .zero
    for place in 0..<length { digits[place] = start[place] }
    return end
  }
}
