import Foundation

/// The chi-square distribution: the sum of the squares of independent standard normal values.
///
/// The cumulative probability is the regularised incomplete gamma function P(dof / 2, x / 2)
/// [Abramowitz & Stegun 1964, 26.4.19]. It is computed by a power series below the mean and a
/// continued fraction above it [Press et al. 2007, Sec. 6.2]. Their common factor is expanded about
/// its maximum [Loader 2000], which avoids cancellation at a million degrees of freedom. The
/// relative error of the smaller tail is about 1e-12.
public enum ChiSquare {
  /// Returns the probability of a value of at most `x`.
  ///
  /// - Parameters:
  ///   - x: the value; 0 or less has probability 0.
  ///   - degreesOfFreedom: above 0, not necessarily whole.
  /// - Returns: the probability, 0 to 1.
  public static func cumulative(_ x: Double, degreesOfFreedom: Double) -> Double {
    tails(x, degreesOfFreedom).lower
  }

  /// Returns the probability of a value above `x`, with full relative precision when it is small.
  ///
  /// - Parameters:
  ///   - x: the value; 0 or less is exceeded with probability 1.
  ///   - degreesOfFreedom: above 0, not necessarily whole.
  /// - Returns: the probability, 0 to 1.
  public static func survival(_ x: Double, degreesOfFreedom: Double) -> Double {
    tails(x, degreesOfFreedom).upper
  }

  /// Returns the value that is not exceeded with probability `p`.
  ///
  /// Uses Newton's iteration from the cube-root approximation [Wilson & Hilferty 1931], inside a
  /// bracket that bisection narrows.
  ///
  /// - Parameters:
  ///   - p: from 0 to 1; 0 gives 0 and 1 infinity.
  ///   - degreesOfFreedom: above 0, not necessarily whole.
  /// - Returns: the value, 0 or more.
  public static func quantile(_ p: Double, degreesOfFreedom: Double) -> Double {
    let dof = degreesOfFreedom
    precondition(p >= 0 && p <= 1, "a probability must be from 0 to 1")
    if p == 0 { return 0 }
    if p == 1 { return .infinity }
    let variance = 2 / (9 * dof)
    let root = 1 - variance + NormalDistribution.quantile(p) * variance.squareRoot()
    var x = dof * root * root * root
    // There the approximation is exact to 1e-12, and the series would have millions of terms.
    if dof > Self.mostSummed { return x }
    // With few degrees of freedom, the lower end behaves like x^(dof / 2).
    if !(x > 0) || (dof < 2 && p < 0.1) {
      x = 2 * exp((log(p) + lgamma(dof / 2 + 1)) * 2 / dof)
    }
    var (low, high) = (0.0, Double.infinity)
    for _ in 0..<200 {
      let (lower, upper, density) = tails(x, dof)
      let excess = p < 0.5 ? lower - p : (1 - p) - upper
      if excess == 0 { return x }
      if excess > 0 { high = x } else { low = x }
      var next = density > 0 ? x - excess / density : .nan
      if !(next > low && next < high) { next = high.isFinite ? 0.5 * (low + high) : 2 * x + 1 }
      if (next - x).magnitude <= 2e-15 * x { return next }
      x = next
    }
    return x
  }

  /// Degrees of freedom beyond which the cube-root approximation replaces series.
  private static let mostSummed = 1e8

  /// Returns both tails and the density at `x`.
  private static func tails(
    _ x: Double, _ dof: Double
  ) -> (lower: Double, upper: Double, density: Double) {
    precondition(dof > 0 && dof.isFinite, "degrees of freedom must be above zero")
    guard x > 0 else { return x.isNaN ? (.nan, .nan, .nan) : (0, 1, 0) }
    guard x.isFinite else { return (1, 0, 0) }
    if dof > mostSummed {
      let variance = 2 / (9 * dof)
      let z = (cbrt(x / dof) - 1 + variance) / variance.squareRoot()
      let density = exp(-0.5 * z * z) / (4 * Double.pi * dof).squareRoot()
      return (NormalDistribution.cumulative(z), NormalDistribution.cumulative(-z), density)
    }
    let a = dof / 2
    let y = x / 2
    let term = poissonTerm(a, y)
    // d/dx P(a, x / 2) = (x / 2)^(a - 1) e^(-x / 2) / (2 Γ(a)).
    let density = term * a / x
    if y < a + 1 {
      // P(a, y) = y^a e^-y / Γ(a + 1) (1 + y / (a + 1) + y² / ((a + 1) (a + 2)) + ...)
      var (sum, summand, n) = (1.0, 1.0, a)
      while summand > sum * 1e-17 {
        n += 1
        summand *= y / n
        sum += summand
      }
      let lower = min(term * sum, 1)
      return (lower, 1 - lower, density)
    }
    // The continued fraction of Γ(a, y) by Lentz's method.
    var b = y + 1 - a
    var (c, d) = (1e300, 1 / b)
    var fraction = d
    var i = 0.0
    while i < 1e7 {
      i += 1
      let factor = -i * (i - a)
      b += 2
      d = 1 / (factor * d + b)
      c = b + factor / c
      let change = c * d
      fraction *= change
      if (change - 1).magnitude < 1e-16 { break }
    }
    let upper = min(term * a * fraction, 1)
    return (1 - upper, upper, density)
  }

  /// y^a e^-y / Γ(a + 1), for a > 0 and y > 0.
  private static func poissonTerm(_ a: Double, _ y: Double) -> Double {
    // Below 10, lgamma is accurate enough.
    if a < 10 { return exp(a * log(y) - y - lgamma(a + 1)) }
    return exp(-stirlingError(a) - deviance(a, y)) / (2 * Double.pi * a).squareRoot()
  }

  /// ln Γ(a + 1) minus Stirling's formula for it, for a >= 10.
  private static func stirlingError(_ a: Double) -> Double {
    let inverse = 1 / (a * a)
    let inner =
      1.0 / 1260 - inverse * (1.0 / 1680 - inverse * (1.0 / 1188 - inverse * 691 / 360360))
    return (1.0 / 12 - inverse * (1.0 / 360 - inverse * inner)) / a
  }

  /// a ln(a / y) + y - a without cancellation: [Loader 2000].
  private static func deviance(_ a: Double, _ y: Double) -> Double {
    let difference = a - y
    guard difference.magnitude < 0.1 * (a + y) else { return a * log(a / y) + y - a }
    let v = difference / (a + y)
    var sum = difference * v
    var power = 2 * a * v
    var j = 1.0
    while true {
      power *= v * v
      let next = sum + power / (2 * j + 1)
      if next == sum { return sum }
      sum = next
      j += 1
    }
  }
}
