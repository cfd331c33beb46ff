import FathomEvaluation
import Foundation

/// Where the numbers of an axis stand, and how far it reaches.
enum Ticks {
  /// A step of 1, 2 or 5 times a power of ten, so that numbers stand at least `apart` from each other
  /// on an axis of the given length.
  ///
  /// An axis from a number to itself has the step 1.
  static func step(_ range: ClosedRange<Double>, in length: Double, apart: Double) -> Double {
    let span = range.upperBound - range.lowerBound
    let least = span * apart / length
    guard least > 0, least.isFinite else { return 1 }
    let power = pow(10, floor(log10(least)))
    for factor in [1.0, 2, 5] where factor * power >= least { return factor * power }
    return 10 * power
  }

  /// How far apart numbers stand on an axis of the given height: closer on a low one.
  static func apart(in height: Double) -> Double { height < 100 ? 19 : 32 }

  /// Numbers for a logarithmic axis of the given length: 1, 2 and 5 times powers of ten where they
  /// stand at least `apart` from each other, otherwise powers of ten only.
  static func logarithmic(
    _ range: ClosedRange<Double>, in length: Double, apart: Double
  ) -> [Double] {
    let decades = log10(range.upperBound / range.lowerBound)
    guard range.lowerBound > 0, decades > 0, decades.isFinite else { return [] }
    // From 1 to 2 and from 5 to 10 there is the least space, log10 2 of a decade.
    let isFine = length / decades * log10(2) >= apart
    let powers = Int(floor(log10(range.lowerBound)))...Int(ceil(log10(range.upperBound)))
    return powers.flatMap { power in
      (isFine ? [1.0, 2, 5] : [1]).map { $0 * pow(10, Double(power)) }
    }.filter(range.contains)
  }

  /// The span of `values`, NaN left out, widened by `margin` of itself at both ends; nil without values.
  ///
  /// At least `least` wide, so that there is an axis where all values are one.
  static func range(
    of values: some Sequence<Double>, margin: Double = 0.05, least: Double = 1e-3
  ) -> ClosedRange<Double>? {
    var (low, high) = (Double.infinity, -Double.infinity)
    for value in values where value.isFinite {
      low = min(low, value)
      high = max(high, value)
    }
    guard low <= high else { return nil }
    let middle = (low + high) / 2
    let half = max((high - low) / 2, least / 2) * (1 + 2 * margin)
    return middle - half...middle + half
  }

  /// The value below which the share `share` of `values` lies, NaN left out; nil without values.
  static func quantile(_ share: Double, of values: some Sequence<Double>) -> Double? {
    let sorted = values.filter(\.isFinite).sorted()
    return sorted.isEmpty ? nil : ErrorStatistics.quantile(share, ofSorted: sorted)
  }
}
