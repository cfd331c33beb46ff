/// Whether successive innovations have nothing to do with each other, as those of a consistent filter.
///
/// Autocorrelations about zero [Bar-Shalom et al. 2001, Sec. 5.4.2]: a mean other than zero is a defect
/// too and shows at every lag.
public struct Whiteness: Sendable, Equatable, Codable {
  /// The number of innovations.
  public var count: Int
  /// Their mean; 0 where consistent.
  public var mean: Double
  /// Their mean square; 1 where consistent, as they are normalised.
  public var meanSquare: Double
  /// The autocorrelations at lags 1, 2, ...: Σ νₜ νₜ₊ₖ / Σ νₜ².
  public var autocorrelations: [Double]
  /// Within ± this each of them lies with probability 0.95 if white: 1.96 / √count.
  public var bound95: Double
  /// The share of lags outside that bound; 0.05 if white.
  public var shareOutside: Double
  /// The statistic of [Ljung & Box 1978], n (n + 2) Σ rₖ² / (n - k): chi-square distributed with as
  /// many degrees of freedom as lags if white.
  public var ljungBox: Double
  /// The probability of a greater ``ljungBox`` if white; small ones speak against it.
  public var pValue: Double

  /// Judges innovations, each divided by its standard deviation, in order of time.
  ///
  /// Nil for fewer than two more innovations than lags, where one is not finite, or where all are zero.
  ///
  /// - Parameters:
  ///   - normalizedInnovations: innovations of one link or one filter, dimensionless.
  ///   - lags: how many lags are looked at, above 0.
  public init?(normalizedInnovations: [Double], lags: Int = 20) {
    let values = normalizedInnovations
    precondition(lags > 0, "a lag is above zero")
    let energy = values.reduce(0) { $0 + $1 * $1 }
    guard values.count >= lags + 2, energy > 0, energy.isFinite else { return nil }
    let n = Double(values.count)
    count = values.count
    mean = values.reduce(0, +) / n
    meanSquare = energy / n
    autocorrelations = (1...lags).map { lag in
      var sum = 0.0
      for index in 0..<values.count - lag { sum += values[index] * values[index + lag] }
      return sum / energy
    }
    let bound = NormalDistribution.quantile(0.975) / n.squareRoot()
    bound95 = bound
    shareOutside = Double(autocorrelations.count { $0.magnitude > bound }) / Double(lags)
    ljungBox =
      n * (n + 2)
      * autocorrelations.enumerated().reduce(0) { sum, entry in
        sum + entry.element * entry.element / (n - Double(entry.offset + 1))
      }
    pValue = ChiSquare.survival(ljungBox, degreesOfFreedom: Double(lags))
  }
}
