import Fathom

/// How many decimals times need so that none loses a digit: as many as the finest of them has, up to
/// nine, and at least `least`.
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

/// A decimal fraction of a second, of which times may be whole multiples.
///
/// To divide takes longer than all else that is asked of a time: a number is a multiple of an odd one where
/// its product with the inverse modulo 2⁶⁴ is small [Warren 2013, 10-17].
struct DecimalUnit {
  /// Twos among the factors of the unit in nanoseconds; there are as many fives.
  private let twos: UInt64
  /// The inverse of the fives modulo 2⁶⁴.
  private let inverse: UInt64
  /// How many times the unit goes into the largest number.
  private let most: UInt64

  /// The unit of the last of so many decimals of seconds, 0 to 9.
  init(decimals: Int) {
    let count = 9 - decimals
    let fives = (0..<count).reduce(UInt64(1)) { power, _ in 5 * power }
    // Right to three bits; each step of Newton's method doubles them.
    var inverse = fives
    for _ in 0..<5 { inverse &*= 2 &- fives &* inverse }
    self.inverse = inverse
    twos = UInt64(count)
    most = .max / (fives << twos)
  }

  /// Whether so many nanoseconds are a whole multiple of the unit.
  @inline(__always)
  func divides(_ nanoseconds: UInt64) -> Bool {
    let product = nanoseconds &* inverse
    // Twos that are missing become high bits.
    return (product &>> twos | product &<< (64 &- twos)) <= most
  }
}
