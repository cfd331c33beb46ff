/// The digits of a whole number below 10⁸ as text, all eight of them worked on at once.
///
/// The number is divided into two lanes of four digits, those into four of two, those into eight of one,
/// by multiplications with rounded-up reciprocals that are exact below the lane's limit. No step branches,
/// so that a column whose numbers change their length costs no mispredictions.
struct EightDigits {
  /// The digits as numbers 0 to 9, one per byte, the first in the lowest byte.
  private let digits: UInt64

  /// The digits of `value`, which is below 10⁸, with leading zeros.
  @inline(__always)
  init(_ value: UInt32) {
    let high = UInt64(value / 10_000)
    let low = UInt64(value % 10_000)
    let fours = high | low &<< 32
    // 10486 / 2²⁰ and 103 / 2¹⁰ are as near to 1/100 and 1/10 as fewer than 10⁴ and 10² need.
    let hundreds = ((fours &* 10_486) &>> 20) & 0x0000_007F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) &<< 16
    let tens = ((twos &* 103) &>> 10) & 0x000F_000F_000F_000F
    digits = tens | (twos &- tens &* 10) &<< 8
  }

  /// Writes the first `count` digits, at most eight, at `start`, and returns their end.
  ///
  /// Eight bytes are written in any case: there has to be room for them.
  @inline(__always)
  func write(
    first count: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    Self.store(digits, at: start)
    return start + count
  }

  /// Writes the digits without leading zeros, at least one, at `start`, and returns their end.
  ///
  /// Eight bytes are written in any case: there has to be room for them.
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
