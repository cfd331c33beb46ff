/// Returns the 95 % quantile of chi-square.
func chiSquare95(degreesOfFreedom: Int) -> Double {
  switch degreesOfFreedom {
  case 1: 3.841_459
  case 2: 5.991_465
  case 3: 7.814_728
  default: chiSquarePoint(degreesOfFreedom: Double(degreesOfFreedom), normal: 1.6449)
  }
}

/// Returns the 99.9 % quantile of chi-square.
func chiSquareLimit(degreesOfFreedom: Int) -> Double {
  chiSquarePoint(degreesOfFreedom: Double(degreesOfFreedom), normal: 3.0902)
}

/// Returns the chi-square quantile that corresponds to the standard normal quantile `normal`,
/// accurate to 1 % [Wilson & Hilferty 1931].
func chiSquarePoint(degreesOfFreedom: Double, normal: Double) -> Double {
  let spread = 2 / (9 * degreesOfFreedom)
  let root = 1 - spread + normal * spread.squareRoot()
  return degreesOfFreedom * root * root * root
}
