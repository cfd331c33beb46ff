import RealModule

/// The density of a range error under a Student-t distribution, and the weight that goes with it.
struct StudentDensity: Sendable {
  /// Degrees of freedom; infinity for the normal distribution.
  let freedom: Double
  /// Logarithm of the density at zero for a variance of 1.
  private let peak: Double

  init(freedom: Double) {
    self.freedom = freedom
    peak =
      freedom.isFinite
      ? .logGamma((freedom + 1) / 2) - .logGamma(freedom / 2) - 0.5 * .log(freedom * .pi)
      : -0.5 * .log(2 * .pi)
  }

  /// Logarithm of the density of an error whose normalised square is `square`, of the given variance.
  @inline(__always)
  func logarithm(_ square: Double, variance: Double) -> Double {
    let tail =
      freedom.isFinite ? 0.5 * (freedom + 1) * Double.log(onePlus: square / freedom) : 0.5 * square
    return peak - 0.5 * .log(variance) - tail
  }

  /// The weight of a range with this normalised innovation squared, at most 1.
  ///
  /// From [Lange et al. 1989].
  @inline(__always)
  func weight(_ square: Double) -> Double {
    freedom.isFinite ? min(1, (freedom + 1) / (freedom + square)) : 1
  }
}
