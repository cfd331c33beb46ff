/// Elementary functions that give the same bits on every machine.
///
/// Mathematical libraries differ in the last place. These functions use only additions,
/// subtractions, multiplications, divisions and rounding, which IEEE 754 defines exactly, and the
/// compiler neither reorders nor fuses them. They are accurate to a few units in the last place,
/// which is sufficient for simulation.
enum ElementaryFunctions {
  /// Returns ln x for finite x > 0: exponent times ln 2, plus the series of artanh.
  static func logarithm(_ x: Double) -> Double {
    var exponent = Double(x.exponent)
    var significand = x.significand
    if significand > 1.414_213_562_373_095_1 {
      significand /= 2
      exponent += 1
    }
    let ratio = (significand - 1) / (significand + 1)
    let square = ratio * ratio
    var sum = 0.0
    for odd in stride(from: 23, through: 1, by: -2) { sum = sum * square + 1 / Double(odd) }
    return exponent * 0.693_147_180_559_945_3 + 2 * ratio * sum
  }

  /// Returns e to the power x: the nearest power of two, times the series of the remainder.
  ///
  /// Returns 0 below -700; x above 700 counts as 700.
  static func exponential(_ x: Double) -> Double {
    if x < -700 { return 0 }
    let x = min(x, 700)
    let powers = (x * 1.442_695_040_888_963_4).rounded(.toNearestOrEven)
    // ln 2 in two parts. The first has so few bits that its product with a whole number is exact.
    let rest = (x - powers * 0x1.62e42fee00000p-1) - powers * 0x1.a39ef35793c76p-33
    var sum = 1.0
    for term in stride(from: 14, through: 1, by: -1) { sum = 1 + rest / Double(term) * sum }
    return Double(sign: .plus, exponent: Int(powers), significand: sum)
  }

  /// Returns sin x for x in radians, |x| up to 1e6.
  static func sine(_ x: Double) -> Double {
    let (quarter, rest) = quarterTurns(x)
    let value = quarter % 2 == 0 ? sineSeries(rest) : cosineSeries(rest)
    return quarter < 2 ? value : -value
  }

  /// Returns cos x for x in radians, |x| up to 1e6.
  static func cosine(_ x: Double) -> Double {
    let (quarter, rest) = quarterTurns(x)
    let value = quarter % 2 == 0 ? cosineSeries(rest) : sineSeries(rest)
    return quarter == 0 || quarter == 3 ? value : -value
  }

  /// Returns the angle of the point (x, y) from the x axis, radians, -pi to pi; 0 for the origin.
  static func angle(y: Double, x: Double) -> Double {
    let (high, low) = (max(x.magnitude, y.magnitude), min(x.magnitude, y.magnitude))
    guard high > 0 else { return 0 }
    // The tangent of at most an eighth of a turn, halved twice: atan z = 2 atan(z / (1 + √(1 +
    // z²))).
    var tangent = low / high
    for _ in 0..<2 { tangent /= 1 + (1 + tangent * tangent).squareRoot() }
    let square = tangent * tangent
    var sum = 0.0
    for odd in stride(from: 25, through: 1, by: -2) { sum = 1 / Double(odd) - square * sum }
    var angle = 4 * tangent * sum
    if y.magnitude > x.magnitude { angle = 0.5 * Double.pi - angle }
    if x < 0 { angle = Double.pi - angle }
    return y < 0 ? -angle : angle
  }

  /// Returns the quarter turn of x, 0 to 3, counted from -45°, and x relative to its centre.
  private static func quarterTurns(_ x: Double) -> (quarter: Int, rest: Double) {
    let quarters = (x * 0.636_619_772_367_581_4).rounded(.toNearestOrEven)
    // pi / 2 in three parts of 33 bits. Their products with up to 2²⁰ quarters are exact.
    let rest =
      ((x - quarters * 0x1.921fb54400000p+0) - quarters * 0x1.0b4611a600000p-34)
      - quarters * 0x1.3198a2e037073p-69
    return (Int(quarters) & 3, rest)
  }

  private static func sineSeries(_ x: Double) -> Double {
    var sum = 1.0
    for term in stride(from: 18, through: 2, by: -2) {
      sum = 1 - x * x / Double(term * (term + 1)) * sum
    }
    return x * sum
  }

  private static func cosineSeries(_ x: Double) -> Double {
    var sum = 1.0
    for term in stride(from: 18, through: 2, by: -2) {
      sum = 1 - x * x / Double(term * (term - 1)) * sum
    }
    return sum
  }
}
