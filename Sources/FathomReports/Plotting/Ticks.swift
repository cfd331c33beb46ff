import FathomEvaluation
import Foundation

/// The numbers and the extent of an axis.
enum Ticks {
  /// Returns a step of 1, 2 or 5 times a power of ten, with numbers at least `apart` from each
  /// other on an axis of the given length.
  ///
  /// The step is 1 for an axis of zero span.
  static func step(_ range: ClosedRange<Double>, in length: Double, apart: Double) -> Double {
    let span = range.upperBound - range.lowerBound
    let least = span * apart / length
    guard least > 0, least.isFinite else { return 1 }
    let power = pow(10, floor(log10(least)))
    for factor in [1.0, 2, 5] where factor * power >= least { return factor * power }
    return 10 * power
  }

  /// The largest magnitude of the ends of an axis.
  static let farthest = 1e30

  /// Returns the interval from `low` to `high`, within ``farthest``.
  ///
  /// ## Edge cases
  /// NaN counts as zero. If `low` exceeds `high`, both ends are `low`.
  static func interval(_ low: Double, _ high: Double) -> ClosedRange<Double> {
    func inside(_ value: Double) -> Double {
      value.isNaN ? 0 : min(max(value, -farthest), farthest)
    }
    let first = inside(low)
    return first...max(first, inside(high))
  }

  /// Returns the minimum distance of numbers on an axis of the given height; it is smaller for low
  /// axes.
  static func apart(in height: Double) -> Double { height < 100 ? 19 : 32 }

  /// Returns the numbers of a logarithmic axis of the given length.
  ///
  /// These are 1, 2 and 5 times powers of ten if they are at least `apart` from each other,
  /// otherwise powers of ten.
  static func logarithmic(
    _ range: ClosedRange<Double>, in length: Double, apart: Double
  ) -> [Double] {
    let decades = log10(range.upperBound / range.lowerBound)
    guard range.lowerBound > 0, decades > 0, decades.isFinite else { return [] }
    // The smallest space is from 1 to 2 and from 5 to 10: log10 2 of a decade.
    let isFine = length / decades * log10(2) >= apart
    let powers = Int(floor(log10(range.lowerBound)))...Int(ceil(log10(range.upperBound)))
    return powers.flatMap { power in
      (isFine ? [1.0, 2, 5] : [1]).map { $0 * pow(10, Double(power)) }
    }.filter(range.contains)
  }

  /// Returns the span of the finite `values`, widened by `margin` of itself at both ends; nil
  /// without any.
  ///
  /// The span is at least `least`, so that equal values have an axis too.
  static func range(
    of values: some Sequence<Double>, margin: Double = 0.05, least: Double = 1e-3
  ) -> ClosedRange<Double>? {
    var (low, high) = (Double.infinity, -Double.infinity)
    for value in values where value.isFinite {
      low = min(low, value)
      high = max(high, value)
    }
    guard low <= high else { return nil }
    let middle = low / 2 + high / 2
    let half = max(high / 2 - low / 2, least / 2) * (1 + 2 * margin)
    return interval(middle - half, middle + half)
  }

  /// Returns the quantile `share` of the finite `values`; nil without any.
  static func quantile(_ share: Double, of values: some Sequence<Double>) -> Double? {
    let sorted = values.filter(\.isFinite).sorted()
    return sorted.isEmpty ? nil : ErrorStatistics.quantile(share, ofSorted: sorted)
  }
}
