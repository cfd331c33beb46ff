import RealModule

/// The Student-t density of a range error, and the weight that it implies.
struct StudentDensity: Sendable {
  /// Degrees of freedom; infinity for the normal distribution.
  let freedom: Double
  /// Logarithm of the density at zero for a variance of 1.
  private let peak: Double
  /// ν + 1 if that is a small integer; otherwise 0.
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

  /// Returns the logarithm of the density of an error with the given normalised square and
  /// variance.
  @inline(__always)
  func logarithm(_ square: Double, variance: Double) -> Double {
    peak - 0.5 * .log(variance) - tail(square)
  }

  /// Returns minus the logarithm of the density of an error with this normalised square, relative to
  /// its peak.
  @inline(__always)
  func tail(_ square: Double) -> Double { Self.tail(square, freedom: freedom) }

  /// Returns the same for the normalised square of several errors with one density.
  @inline(__always)
  static func tail(_ square: Double, freedom: Double, errors: Double = 1) -> Double {
    freedom.isFinite
      ? 0.5 * (freedom + errors) * Double.log(onePlus: square / freedom) : 0.5 * square
  }

  /// Returns the weight of a range with this normalised innovation squared, at most 1.
  @inline(__always)
  func weight(_ square: Double) -> Double { min(1, Self.weight(square, freedom: freedom)) }

  /// Returns the weight of several errors with one density, by their normalised square: twice the
  /// derivative of ``tail(_:freedom:errors:)``, above 1 for small squares.
  ///
  /// Source: [Lange et al. 1989].
  @inline(__always)
  static func weight(_ square: Double, freedom: Double, errors: Double = 1) -> Double {
    freedom.isFinite ? (freedom + errors) / (freedom + square) : 1
  }

  /// Returns the weights of a range with these normalised innovations squared.
  @inline(__always)
  func weights(_ squares: SIMD2<Double>) -> SIMD2<Double> {
    guard freedom.isFinite else { return SIMD2(repeating: 1) }
    let weights = (freedom + 1) / (freedom + squares)
    return weights.replacing(with: 1, where: weights .> 1)
  }

  /// Returns the mixture of two densities for errors with these normalised squares and variances,
  /// with the posterior weight of the first density.
  ///
  /// The squares are not negative, the variances above zero. `share`, above 0 and at most 1, is the
  /// weight of the first density.
  func mixture(
    _ squares: SIMD2<Double>, variances: SIMD2<Double>, share: Double
  ) -> Mixture {
    guard power > 0 else { return mixtureOfLogarithms(squares, variances, share) }
    // exp(-2 (logarithm - peak)) is a product, so that one logarithm replaces many.
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
    // The products of very unlikely errors overflow or underflow; their logarithms do not.
    guard product > 0, product.isFinite else {
      return mixtureOfLogarithms(squares, variances, share)
    }
    return Mixture(likelihood: Likelihood(peak: peak, product: product), share: share * inverse)
  }

  /// A density whose logarithm is computed on demand.
  struct Likelihood: Sendable, Equatable {
    /// The logarithm of the density for a ``product`` of 1.
    var peak: Double
    /// The density to the power of -2, relative to the peak; above 0 and finite.
    var product: Double

    /// The logarithm of the density.
    var logarithm: Double { peak - 0.5 * .log(product) }
  }

  /// A mixture of two densities.
  struct Mixture {
    /// The density of the mixture.
    var likelihood: Likelihood
    /// The posterior weight of the first density.
    var share: Double
  }

  private func mixtureOfLogarithms(
    _ squares: SIMD2<Double>, _ variances: SIMD2<Double>, _ share: Double
  ) -> Mixture {
    let first = logarithm(squares[0], variance: variances[0])
    let second = logarithm(squares[1], variance: variances[1])
    let ratio = (1 - share) / share * Double.exp(second - first)
    // The larger of the two terms is factored out, so that neither overflows.
    if ratio < 1 {
      let logarithm = first + .log(share) + .log(onePlus: ratio)
      return Mixture(
        likelihood: Likelihood(peak: logarithm, product: 1), share: 1 / (1 + ratio))
    }
    let logarithm = second + .log(1 - share) + .log(onePlus: 1 / ratio)
    return Mixture(likelihood: Likelihood(peak: logarithm, product: 1), share: 1 / (1 + ratio))
  }
}
