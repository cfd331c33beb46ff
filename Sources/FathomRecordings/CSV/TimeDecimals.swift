import Fathom

/// Returns the number of decimals of a second that represent all `times` exactly, from `least` to
/// nine.
package func decimals(for times: [Timestamp], atLeast least: Int = 0) -> Int {
  var needed = least
  var unit = DecimalUnit(decimals: needed)
  for time in times {
    while needed < 9, !unit.divides(time.nanoseconds.magnitude) {
      needed += 1
      unit = DecimalUnit(decimals: needed)
    }
    if needed == 9 { break }
  }
  return needed
}

/// A decimal fraction of a second, for fast tests of divisibility.
///
/// Division would dominate the cost. A number is a multiple of an odd divisor exactly when its
/// product with the divisor's inverse modulo 2⁶⁴ is small [Warren 2013, 10-17].
struct DecimalUnit {
  /// Number of factors 2 of the unit in nanoseconds, which equals its number of factors 5.
  private let twos: UInt64
  /// Inverse of the power of five modulo 2⁶⁴.
  private let inverse: UInt64
  /// Number of times the unit fits into the largest `UInt64`.
  private let most: UInt64

  /// Creates the unit of the last of `decimals` decimals of a second, 0 to 9.
  init(decimals: Int) {
    let count = 9 - decimals
    let fives = (0..<count).reduce(UInt64(1)) { power, _ in 5 * power }
    // The initial value is correct to three bits; each Newton step doubles them.
    var inverse = fives
    for _ in 0..<5 { inverse &*= 2 &- fives &* inverse }
    self.inverse = inverse
    twos = UInt64(count)
    most = .max / (fives << twos)
  }

  /// Whether `nanoseconds` is a multiple of the unit.
  @inline(__always)
  func divides(_ nanoseconds: UInt64) -> Bool {
    let product = nanoseconds &* inverse
    // Missing factors of 2 become high bits.
    return (product &>> twos | product &<< (64 &- twos)) <= most
  }
}
