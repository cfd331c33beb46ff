/// Summary statistics of a set of errors, in the unit of the errors.
public struct ErrorStatistics: Sendable, Equatable, Codable {
  /// Number of errors.
  public var count: Int
  /// Root mean square.
  public var rmse: Double
  /// Arithmetic mean.
  public var mean: Double
  /// Median.
  public var median: Double
  /// 68th percentile: one standard deviation of a one-dimensional normal error.
  public var p68: Double
  /// 95th percentile.
  public var p95: Double
  /// 99th percentile.
  public var p99: Double
  /// Maximum.
  public var max: Double

  /// Computes the statistics of `errors`, magnitudes in any order.
  ///
  /// ## Edge cases
  /// NaN and infinite errors are unknown and therefore excluded. Nil when no finite error remains.
  /// Cost: n log n for n errors; allocates a sorted copy.
  public init?(errors: [Double]) {
    let sorted = errors.filter(\.isFinite).sorted()
    guard let greatest = sorted.last else { return nil }
    count = sorted.count
    // Summed from the smallest, which keeps rounding errors small.
    rmse = (sorted.reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot()
    mean = sorted.reduce(0, +) / Double(count)
    median = Self.quantile(0.5, ofSorted: sorted)
    p68 = Self.quantile(0.68, ofSorted: sorted)
    p95 = Self.quantile(0.95, ofSorted: sorted)
    p99 = Self.quantile(0.99, ofSorted: sorted)
    max = greatest
  }

  /// Returns the quantile `q` (0 to 1) of `values`, which must be sorted and not empty.
  ///
  /// Interpolates linearly between order statistics, at index (n - 1) q counted from 0: definition
  /// 7 of [Hyndman & Fan 1996], the default of NumPy and R.
  public static func quantile(_ q: Double, ofSorted values: [Double]) -> Double {
    precondition(
      !values.isEmpty && q >= 0 && q <= 1, "values must not be empty and q must be from 0 to 1")
    let place = Double(values.count - 1) * q
    let below = Int(place.rounded(.down))
    let above = Int(place.rounded(.up))
    return values[below] + (values[above] - values[below]) * (place - Double(below))
  }
}

/// Summary statistics of position errors, metres.
public struct PositionAccuracy: Sendable, Equatable, Codable {
  /// Number of compared positions.
  public var n: Int
  /// Root mean square error.
  public var rmseM: Double
  /// Mean error.
  public var meanM: Double
  /// Median error.
  public var medianM: Double
  /// 68th percentile.
  public var p68M: Double
  /// 95th percentile.
  public var p95M: Double
  /// 99th percentile.
  public var p99M: Double
  /// Maximum error.
  public var maxM: Double

  /// Computes the statistics of `errors` (metres, magnitudes); nil when none is finite.
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
