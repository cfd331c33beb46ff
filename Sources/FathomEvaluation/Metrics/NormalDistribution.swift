import Foundation

/// The standard normal distribution: mean 0, standard deviation 1.
public enum NormalDistribution {
  /// Returns the probability of a value of at most `x`.
  ///
  /// ## Edge cases
  /// 0 and 1 at the infinities; NaN for NaN. The relative error in the lower tail is a few units in
  /// the last place.
  public static func cumulative(_ x: Double) -> Double { 0.5 * erfc(-x * 0.5.squareRoot()) }

  /// Returns the value that is not exceeded with probability `p`.
  ///
  /// Uses a rational approximation [Abramowitz & Stegun 1964, 26.2.23], then Halley's iteration on
  /// ``cumulative(_:)``.
  ///
  /// ## Edge cases
  /// `p` must be from 0 to 1; the result is infinite at both ends.
  public static func quantile(_ p: Double) -> Double {
    precondition(p >= 0 && p <= 1, "a probability must be from 0 to 1")
    if p == 0 { return -.infinity }
    if p == 1 { return .infinity }
    // The lower tail keeps full relative precision; 1 - p is exact for p from 0.5 to 1.
    if p > 0.5 { return -quantile(1 - p) }
    let t = (-2 * log(p)).squareRoot()
    let numerator = 2.515517 + t * (0.802853 + t * 0.010328)
    let denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    var x = numerator / denominator - t
    for _ in 0..<3 {
      let density = exp(-0.5 * x * x) / (2 * Double.pi).squareRoot()
      let step = (cumulative(x) - p) / density
      x -= step / (1 + 0.5 * x * step)
    }
    return x
  }
}
