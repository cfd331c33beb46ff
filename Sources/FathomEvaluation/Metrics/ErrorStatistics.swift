/// The figures by which a set of errors is summed up, in the unit of the errors.
public struct ErrorStatistics: Sendable, Equatable, Codable {
  /// The number of errors.
  public var count: Int
  /// The root of the mean square.
  public var rmse: Double
  /// The arithmetic mean.
  public var mean: Double
  /// The median.
  public var median: Double
  /// The 68th percentile: one standard deviation of a normal error in one dimension.
  public var p68: Double
  /// The 95th percentile.
  public var p95: Double
  /// The 99th percentile.
  public var p99: Double
  /// The greatest error.
  public var max: Double

  /// The statistics of `errors`, magnitudes in any order.
  ///
  /// ## Edge cases
  /// Nil where there are none. NaN and infinities are left out: an error that is not known is no error.
  /// Cost: count log count; allocates a sorted copy.
  public init?(errors: [Double]) {
    let sorted = errors.filter(\.isFinite).sorted()
    guard let greatest = sorted.last else { return nil }
    count = sorted.count
    // The smallest are summed first, which loses least.
    rmse = (sorted.reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot()
    mean = sorted.reduce(0, +) / Double(count)
    median = Self.quantile(0.5, ofSorted: sorted)
    p68 = Self.quantile(0.68, ofSorted: sorted)
    p95 = Self.quantile(0.95, ofSorted: sorted)
    p99 = Self.quantile(0.99, ofSorted: sorted)
    max = greatest
  }

  /// The value below which the share `q` (0 to 1) of `values` lies; they are sorted and not empty.
  ///
  /// Linear between order statistics, place (n - 1) q counted from 0: definition 7 of
  /// [Hyndman & Fan 1996], the usual one of NumPy and R.
  public static func quantile(_ q: Double, ofSorted values: [Double]) -> Double {
    precondition(!values.isEmpty && q >= 0 && q <= 1, "a quantile of something, from 0 to 1")
    let place = Double(values.count - 1) * q
    let below = Int(place.rounded(.down))
    let above = Int(place.rounded(.up))
    return values[below] + (values[above] - values[below]) * (place - Double(below))
  }
}

/// Position errors summed up, metres.
public struct PositionAccuracy: Sendable, Equatable, Codable {
  /// The number of positions compared.
  public var n: Int
  /// The root of the mean square error.
  public var rmseM: Double
  /// The mean error.
  public var meanM: Double
  /// The median error.
  public var medianM: Double
  /// The 68th percentile.
  public var p68M: Double
  /// The 95th percentile.
  public var p95M: Double
  /// The 99th percentile.
  public var p99M: Double
  /// The greatest error.
  public var maxM: Double

  /// The accuracy that `errors` (metres, magnitudes) show; nil where there is none that is finite.
  public init?(errors: [Double]) {
    guard let statistics = ErrorStatistics(errors: errors) else { return nil }
    n = statistics.count
    rmseM = statistics.rmse
    meanM = statistics.mean
    medianM = statistics.median
    p68M = statistics.p68
    p95M = statistics.p95
    p99M = statistics.p99
    maxM = statistics.max
  }
}
