/// Statistics of an expected error over a plan, metres.
///
/// Undetermined cells count as the largest errors, so a cell that becomes undetermined never
/// improves a statistic.
public struct ErrorSpread: Sendable, Equatable {
  /// Median over the plan; nil when half of the plan is undetermined.
  public let median: Double?
  /// 95th percentile over the plan; nil when more than 5 % of the plan is undetermined.
  public let p95: Double?
  /// Largest determined error; nil when no cell is determined.
  public let worst: Double?
  /// Root mean square of the determined errors; nil when no cell is determined.
  public let rms: Double?
  /// Share of the plan that is undetermined, from 0 to 1.
  public let undetermined: Double

  /// Computes the statistics of `errors`; values above `limit`, infinite or NaN are undetermined.
  init(_ errors: [Double], limit: Double) {
    let sorted = errors.filter { $0 <= limit }.sorted()
    let total = errors.count
    func quantile(_ share: Double) -> Double? {
      let place = share * Double(total - 1)
      guard total > 0, Int(place.rounded(.up)) < sorted.count else { return nil }
      // The rank among all cells, of which the undetermined ones come last.
      return ErrorStatistics.quantile(place / Double(max(1, sorted.count - 1)), ofSorted: sorted)
    }
    median = quantile(0.5)
    p95 = quantile(0.95)
    worst = sorted.last
    rms =
      sorted.isEmpty
      ? nil : (sorted.reduce(0) { $0 + $1 * $1 } / Double(sorted.count)).squareRoot()
    undetermined = total == 0 ? 0 : Double(total - sorted.count) / Double(total)
  }

  /// Returns whether the plan is better than `other`.
  ///
  /// Compares the 95th percentile, or the undetermined share when neither plan has that percentile.
  func isBetter(than other: Self) -> Bool {
    switch (p95, other.p95) {
    case (let mine?, let others?): mine < others
    case (_?, nil): true
    case (nil, _?): false
    case (nil, nil): undetermined < other.undetermined
    }
  }
}
