/// The value that chi-square exceeds once in twenty times.
func chiSquare95(degreesOfFreedom: Int) -> Double {
  switch degreesOfFreedom {
  case 1: 3.841_459
  case 2: 5.991_465
  case 3: 7.814_728
  default: chiSquarePoint(degreesOfFreedom: Double(degreesOfFreedom), normal: 1.6449)
  }
}

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
