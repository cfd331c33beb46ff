import Foundation

/// Counts of normalised innovations squared in half octaves, from which their median follows.
///
/// The size is constant, because a recording can have very many tags. The median of many normal
/// innovations of the right covariance is 0.455, which outliers hardly change; the mean is then 1.
struct SquareCounts: Sendable, Equatable {
  /// Bin `i` holds squares from 2^((i - 16) / 2) to 2^((i - 15) / 2); the first also smaller and the
  /// last also larger ones.
  private var counts = SIMD32<UInt32>()

  /// Adds a normalised square, which is not negative.
  mutating func add(_ square: Double) {
    // Beyond both ends the exponent would not matter.
    let bounded = min(max(square, 0x1p-9), 0x1p9)
    let half = bounded.significand >= 2.0.squareRoot() ? 1 : 0
    let place = min(max(2 * Int(bounded.exponent) + half + 16, 0), 31)
    if counts[place] < .max { counts[place] += 1 }
  }

  static func + (left: Self, right: Self) -> Self {
    var sum = left
    for place in 0..<32 {
      let (count, isBeyond) = left.counts[place].addingReportingOverflow(right.counts[place])
      sum.counts[place] = isBeyond ? .max : count
    }
    return sum
  }

  /// The median, to about 3 %; nil without squares.
  ///
  /// It is interpolated on a logarithmic scale within its bin. In the first and the last bin, below
  /// 0.0055 and above 181, it is the inner edge.
  var median: Double? {
    let total = (0..<32).reduce(0) { $0 + Int(counts[$1]) }
    guard total > 0 else { return nil }
    var below = 0
    for place in 0..<32 where counts[place] > 0 {
      let count = Int(counts[place])
      if 2 * (below + count) >= total {
        let share = (Double(total) / 2 - Double(below)) / Double(count)
        let position = place == 0 ? 1 : place == 31 ? 31 : Double(place) + share
        return exp2((position - 16) / 2)
      }
      below += count
    }
    return nil
  }
}
