/// How much larger the variance of ranges is than was assumed, learnt from the innovations.
///
/// A stochastic approximation of a median [Robbins & Monro 1951]: whenever a normalised innovation
/// squared exceeds the median of chi-square with one degree of freedom, the scale goes up by a
/// step, otherwise down. The scale settles where half of the innovations lie on either side,
/// whatever the size of outliers, as long as they are fewer than half. It never falls below 1:
/// successive range errors are correlated, so that a small scatter does not show that ranges are
/// good.
struct NoiseScale: Sendable {
  /// Factor on the assumed variance, at least 1.
  private(set) var factor = 1.0

  /// Median of chi-square with one degree of freedom.
  private static let medianSquare = 0.454_936_423_119_573
  /// Twenty ranges change the factor by e at most: a single burst of outliers does not.
  private static let step = 1.05
  /// Far beyond any radio; keeps the factor finite whatever comes in.
  private static let largest = 1e12

  /// Takes in the normalised innovation squared of a range, computed with the present factor.
  mutating func record(_ normalizedSquare: Double) {
    let change = normalizedSquare > Self.medianSquare ? Self.step : 1 / Self.step
    factor = min(Self.largest, max(1, factor * change))
  }
}
