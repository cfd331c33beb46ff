/// The factor on an assumed measurement variance, estimated from the innovations.
///
/// A stochastic approximation of a median [Robbins & Monro 1951]: a normalised innovation squared
/// above the median of chi-square with one degree of freedom raises the factor by a step, any other
/// lowers it. The factor settles where half of the innovations lie on either side. Outliers of any
/// size have no further effect while they are fewer than half. The factor is at least 1: successive
/// range errors are correlated, so a small scatter does not prove that ranges are accurate.
struct NoiseScale: Sendable {
  /// Factor on the assumed variance, at least 1.
  private(set) var factor = 1.0

  /// Median of chi-square with one degree of freedom.
  private static let medianSquare = 0.454_936_423_119_573
  /// Twenty ranges change the factor by e at most, so a single burst of outliers has little effect.
  private static let step = 1.05
  /// Far above the noise of any radio; keeps the factor finite for any input.
  private static let largest = 1e12

  /// Processes a normalised innovation squared that was computed with the present factor.
  mutating func record(_ normalizedSquare: Double) {
    let change = normalizedSquare > Self.medianSquare ? Self.step : 1 / Self.step
    factor = min(Self.largest, max(1, factor * change))
  }
}

/// The factor on a covariance that is too small because errors are correlated for longer than
/// assumed, estimated from the innovations.
///
/// The innovations of a consistent filter are independent, so the sum of n normalised ones has the
/// variance n over any stretch of time. If the errors of a link are correlated over seconds, sums
/// over stretches of five seconds are larger. The covariance of the track is too small by about the
/// same factor. Single innovations are clipped at three standard deviations, because outliers are
/// down-weighted already.
struct ConsistencyScale: Sendable {
  /// Length of a stretch over which the innovations of a link are summed, in seconds.
  private static let stretch = 5.0
  /// The factor starts at 1 with the weight of this number of stretches.
  private static let trust = 10.0
  /// Decay of the weight of old stretches per new one: a memory of some minutes with eight links.
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

  /// The factor on the covariance, at least one half, since a quiet stretch proves little.
  var factor: Double { max(0.5, squares / weight) }

  /// Processes an innovation in units of its standard deviation.
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
