/// A whiteness test: whether successive innovations are uncorrelated, as in a consistent filter.
///
/// Uses autocorrelations about zero [Bar-Shalom et al. 2001, Sec. 5.4.2]. A non-zero mean is a
/// defect too and appears at every lag.
public struct Whiteness: Sendable, Equatable, Codable {
  /// Number of innovations.
  public var count: Int
  /// Mean of the innovations; 0 when consistent.
  public var mean: Double
  /// Mean square of the normalised innovations; 1 when consistent.
  public var meanSquare: Double
  /// Autocorrelations at lags 1, 2, ...: Σ νₜ νₜ₊ₖ / Σ νₜ².
  public var autocorrelations: [Double]
  /// Bound of each autocorrelation, ±, with probability 0.95 for white innovations: 1.96 / √count.
  public var bound95: Double
  /// Share of lags outside that bound; 0.05 for white innovations.
  public var shareOutside: Double
  /// The statistic of [Ljung & Box 1978], n (n + 2) Σ rₖ² / (n - k).
  ///
  /// For white innovations it is chi-square distributed with as many degrees of freedom as lags.
  public var ljungBox: Double
  /// Probability of a greater ``ljungBox`` for white innovations; small values indicate
  /// correlation.
  public var pValue: Double

  /// Evaluates innovations divided by their standard deviations, sorted by time.
  ///
  /// Nil for fewer than `lags` + 2 innovations, when one is not finite, or when all are zero.
  ///
  /// - Parameters:
  ///   - normalizedInnovations: innovations of one link or one filter, dimensionless.
  ///   - lags: number of lags; above 0.
  public init?(normalizedInnovations: [Double], lags: Int = 20) {
    let values = normalizedInnovations
    precondition(lags > 0, "lags must be above zero")
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
