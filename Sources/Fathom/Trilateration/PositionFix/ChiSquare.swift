/// The value that chi-square exceeds once in a thousand times.
func chiSquareLimit(degreesOfFreedom: Int) -> Double {
  chiSquarePoint(degreesOfFreedom: Double(degreesOfFreedom), normal: 3.0902)
}

/// The point of chi-square that the normal quantile `normal` stands for [Wilson & Hilferty 1931],
/// to 1 %.
func chiSquarePoint(degreesOfFreedom: Double, normal: Double) -> Double {
  let spread = 2 / (9 * degreesOfFreedom)
  let root = 1 - spread + normal * spread.squareRoot()
  return degreesOfFreedom * root * root * root
}
