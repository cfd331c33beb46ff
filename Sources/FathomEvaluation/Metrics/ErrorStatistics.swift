/// Statistics of sets of errors.
public enum ErrorStatistics {
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

  /// Computes the statistics of `errors`, magnitudes in metres in any order.
  ///
  /// ## Edge cases
  /// NaN and infinite errors are unknown and therefore excluded. Nil when no finite error remains.
  /// Cost: n log n for n errors; allocates a sorted copy.
  public init?(errors: [Double]) {
    let sorted = errors.filter(\.isFinite).sorted()
    guard let greatest = sorted.last else { return nil }
    n = sorted.count
    // Summed from the smallest, which keeps rounding errors small.
    rmseM = (sorted.reduce(0) { $0 + $1 * $1 } / Double(n)).squareRoot()
    meanM = sorted.reduce(0, +) / Double(n)
    medianM = ErrorStatistics.quantile(0.5, ofSorted: sorted)
    p68M = ErrorStatistics.quantile(0.68, ofSorted: sorted)
    p95M = ErrorStatistics.quantile(0.95, ofSorted: sorted)
    p99M = ErrorStatistics.quantile(0.99, ofSorted: sorted)
    maxM = greatest
  }
}
