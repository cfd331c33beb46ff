import Fathom

/// The instants of a column as text, one after the other.
///
/// Mostly an instant lies in the same second as the one before: then the digits of the second stand there
/// already, and only those behind the point have to be found. The text is that of
/// ``FixedDecimal/write(_:decimals:at:)-(Timestamp,_,_)``.
struct TimeColumn {
  private let decimals: Int
  private let unit: DecimalUnit
  /// Where the second of the last instant begins, nanoseconds, and how long it is: at first nothing.
  private var second: UInt64 = 0
  private var span: UInt64 = 0
  /// Its digits and the point.
  private var digits = SIMD16<UInt8>.zero
  private var length = 0

  private static let wholeSecond: UInt64 = 1_000_000_000

  /// A column whose instants have so many decimals of seconds, 0 to ``FixedDecimal/mostDecimals``.
  init(decimals: Int) {
    self.decimals = decimals
    unit = DecimalUnit(decimals: min(decimals, 9))
  }

  /// Writes `time` at `start`, which has room for ``FixedDecimal/mostBytes``, and returns the end of the
  /// text.
  @inline(__always)
  mutating func write(
    _ time: Timestamp, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let rest = UInt64(bitPattern: time.nanoseconds) &- second
    guard rest < span, unit.divides(rest) else { return begin(time, at: start) }
    UnsafeMutableRawPointer(start).storeBytes(of: digits, as: SIMD16<UInt8>.self)
    // Of nine digits the last one is zero.
    return EightDigits(UInt32(truncatingIfNeeded: rest / 10))
      .write(first: decimals, at: start + length)
  }

  /// Writes an instant in full, and takes note of its second where others can begin with it.
  @inline(never)
  private mutating func begin(
    _ time: Timestamp, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let end = FixedDecimal.write(time, decimals: decimals, at: start)
    // Before the origin digits run backwards; and what was rounded may stand in the next second.
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
