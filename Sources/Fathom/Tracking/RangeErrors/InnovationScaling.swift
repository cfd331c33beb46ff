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

/// By how much errors that last longer than assumed make a covariance too small, learnt from the
/// innovations.
///
/// The innovations of a consistent filter are independent, so that the sum of n normalised ones has
/// the variance n, whatever stretch of time they come from. Where the errors of a link last for
/// seconds, the sums over stretches of five seconds come out larger, and by about as much the
/// covariance of the track is too small. Single innovations count three standard deviations at
/// most: outliers have been discounted already.
struct ConsistencyScale: Sendable {
  /// How long the innovations of a link are summed, seconds.
  private static let stretch = 5.0
  /// The scale starts as if so many stretches had come out as they should.
  private static let trust = 10.0
  /// The weight of old stretches falls by this per new one: some minutes of eight links are kept.
  private static let fading = 0.998

  private struct Sum: Sendable {
    var end = Timestamp(nanoseconds: .min)
    var total = 0.0
    var count = 0.0
  }

  private var sums: [Sum]
  private var squares = Self.trust
  private var weight = Self.trust

  init(anchorCount: Int) {
    sums = Array(repeating: Sum(), count: anchorCount)
  }

  /// The factor on the covariance, at least one half: a quiet stretch is no promise.
  var factor: Double { max(0.5, squares / weight) }

  /// Takes in an innovation in units of its standard deviation.
  mutating func record(_ normalized: Double, anchor: Int, at time: Timestamp) {
    let sum = sums[anchor]
    if sum.count == 0 || time > sum.end {
      if sum.count > 0 {
        squares = Self.fading * squares + sum.total * sum.total / sum.count
        weight = Self.fading * weight + 1
      }
      sums[anchor] = Sum(end: time.advanced(bySeconds: Self.stretch))
    }
    sums[anchor].total += min(3, max(-3, normalized))
    sums[anchor].count += 1
  }
}
