/// An expected error over a plan, metres; what is not determined counts as the largest error.
///
/// So that a place that becomes undetermined never makes a figure better.
public struct ErrorSpread: Sendable, Equatable {
  /// What half of the plan stays below; nil where half is not determined.
  public let median: Double?
  /// What 95 % of the plan stay below; nil where more than the rest is not determined.
  public let p95: Double?
  /// The largest error that is determined; nil where none is.
  public let worst: Double?
  /// Root mean square over what is determined; nil where nothing is.
  public let rms: Double?
  /// The share of the plan that is not determined, 0 to 1.
  public let undetermined: Double

  /// The spread of `errors`, where those above `limit`, infinite or NaN are not determined.
  init(_ errors: [Double], limit: Double) {
    let sorted = errors.filter { $0 <= limit }.sorted()
    let total = errors.count
    func quantile(_ share: Double) -> Double? {
      let place = share * Double(total - 1)
      guard total > 0, Int(place.rounded(.up)) < sorted.count else { return nil }
      // The place among all, of which the undetermined ones come last.
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

  /// Whether the plan is better than with `other`: by what 95 % stay below, and where that is not
  /// determined by the share that is not.
  func isBetter(than other: Self) -> Bool {
    switch (p95, other.p95) {
    case (let mine?, let others?): mine < others
    case (_?, nil): true
    case (nil, _?): false
    case (nil, nil): undetermined < other.undetermined
    }
  }
}
