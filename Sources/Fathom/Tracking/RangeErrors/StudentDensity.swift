import RealModule

/// The density of a range error under a Student-t distribution, and the weight that goes with it.
struct StudentDensity: Sendable {
  /// Degrees of freedom; infinity for the normal distribution.
  let freedom: Double
  /// Logarithm of the density at zero for a variance of 1.
  private let peak: Double
  /// ``freedom`` and 1 more, where that is a small whole number; otherwise 0.
  private let power: Int
  private let inverseFreedom: Double

  private static let greatestPower = 31

  init(freedom: Double) {
    self.freedom = freedom
    peak =
      freedom.isFinite
      ? .logGamma((freedom + 1) / 2) - .logGamma(freedom / 2) - 0.5 * .log(freedom * .pi)
      : -0.5 * .log(2 * .pi)
    let power = Int(exactly: freedom + 1) ?? 0
    inverseFreedom = 1 / freedom
    self.power = (1...Self.greatestPower).contains(power) ? power : 0
  }

  /// The scale of the density under which normal errors of standard deviation 1 are most likely.
  ///
  /// It is less than 1, as the tails take a part of the errors for outliers. The logarithm of the
  /// density is largest in the mean where (ν + 1) E[x² / (ν s² + x²)] is 1; for normal x the mean is
  /// 1 - a √(π/2) exp(a²/2) erfc(a/√2) with a² = ν s².
  ///
  /// - Parameter freedom: degrees of freedom ν, above 0.
  /// - Returns: The scale s, to rounding.
  static func scaleOfNormalErrors(freedom: Double) -> Double {
    // Less than a thousandth is left there, and the exponential nears its limit.
    guard freedom < 500 else { return 1 }
    var (low, high) = (0.0, 1.0)
    for _ in 0..<60 {
      let scale = (low + high) / 2
      let reach = scale * freedom.squareRoot()
      let inside =
        reach * (Double.pi / 2).squareRoot() * .exp(reach * reach / 2)
        * .erfc(reach / 2.0.squareRoot())
      if (freedom + 1) * (1 - inside) > 1 { low = scale } else { high = scale }
    }
    return (low + high) / 2
  }

  /// Logarithm of the density of an error whose normalised square is `square`, of the given
  /// variance.
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

  /// The weights of a range with these normalised innovations squared.
  @inline(__always)
  func weights(_ squares: SIMD2<Double>) -> SIMD2<Double> {
    guard freedom.isFinite else { return SIMD2(repeating: 1) }
    let weights = (freedom + 1) / (freedom + squares)
    return weights.replacing(with: 1, where: weights .> 1)
  }

  /// Two densities mixed, of errors with these normalised squares and variances.
  ///
  /// - Parameters:
  ///   - squares: normalised squares, not negative.
  ///   - variances: above zero.
  ///   - share: weight of the first density, above 0, at most 1.
  /// - Returns: The logarithm of the mixture, and how large a share of it the first density is.
  func mixture(
    _ squares: SIMD2<Double>, variances: SIMD2<Double>, share: Double
  ) -> Mixture {
    guard power > 0 else { return mixtureOfLogarithms(squares, variances, share) }
    // exp(-2 (logarithm - peak)) is a product, of which one logarithm is taken instead of many.
    let bases = 1 + inverseFreedom * squares
    var products = variances
    var powers = bases
    var rest = power
    while rest > 0 {
      if rest & 1 == 1 { products *= powers }
      powers *= powers
      rest >>= 1
    }
    let ratio = (products[0] / products[1]).squareRoot()
    let inverse = 1 / (share + (1 - share) * ratio)
    let product = products[0] * inverse * inverse
    // Products of very unlikely errors leave the range of numbers, where logarithms do not.
    guard product > 0, product.isFinite else {
      return mixtureOfLogarithms(squares, variances, share)
    }
    return Mixture(likelihood: Likelihood(peak: peak, product: product), share: share * inverse)
  }

  /// A density, of which the logarithm is taken when somebody asks for it.
  struct Likelihood: Sendable, Equatable {
    /// The logarithm of the density for a ``product`` of 1.
    var peak: Double
    /// The density to the power of -2, relative to the peak; above 0 and finite.
    var product: Double

    /// The logarithm of the density.
    var logarithm: Double { peak - 0.5 * .log(product) }
  }

  /// Two densities mixed.
  struct Mixture {
    /// The density of the mixture.
    var likelihood: Likelihood
    /// How large a share of it the first density is.
    var share: Double

    /// The logarithm of the mixture.
    var logarithm: Double { likelihood.logarithm }
  }

  private func mixtureOfLogarithms(
    _ squares: SIMD2<Double>, _ variances: SIMD2<Double>, _ share: Double
  ) -> Mixture {
    let first = logarithm(squares[0], variance: variances[0])
    let second = logarithm(squares[1], variance: variances[1])
    let ratio = (1 - share) / share * Double.exp(second - first)
    // The smaller of the two terms leads, so that neither can overflow.
    if ratio < 1 {
      let logarithm = first + .log(share) + .log(onePlus: ratio)
      return Mixture(
        likelihood: Likelihood(peak: logarithm, product: 1), share: 1 / (1 + ratio))
    }
    let logarithm = second + .log(1 - share) + .log(onePlus: 1 / ratio)
    return Mixture(likelihood: Likelihood(peak: logarithm, product: 1), share: 1 / (1 + ratio))
  }
}
