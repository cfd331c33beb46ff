import RealModule

/// A shift of the level of a series of residuals, found by a cumulative-sum test.
///
/// The series is divided into at most 64 batches of equal numbers of values, whose medians are
/// insensitive to outliers. S_k is the sum of the first k medians minus k times their mean. While the
/// level is constant, the largest |S_k|, divided by √m times the long-run standard deviation of m
/// medians, exceeds x with probability 2 exp(-2x²): S is then a Brownian bridge [Ploberger & Krämer
/// 1992]. The errors of a link are correlated in time, so the long-run variance is that of a
/// first-order Gauss-Markov process, fitted to the medians without the change.
///
/// Significance is not enough, because the error of a link also wanders with the place of the tag. A
/// change is reported if it also exceeds three standard deviations of a single value, and if 90 % of
/// the medians on either side of it lie on their side of the middle between both levels. Both parts
/// are searched again. A change that is taken back after a third of the series looks like correlation
/// and is not found.
package struct LevelChange: Sendable, Equatable {
  /// Index of the first value of the new level.
  package var index: Int
  /// Median before and after the change.
  package var before: Double
  package var after: Double
  /// Probability of so large a cumulative sum without a change.
  package var probability: Double

  /// The size of the change.
  package var size: Double { after - before }

  /// Number of batches: a change is found to within a 64th of the series.
  ///
  /// Half as many would be close to ``fewestBatches``; twice as many hardly raise the power.
  private static let mostBatches = 64
  /// Fewest batches: of fewer, the correlation cannot be estimated.
  private static let fewestBatches = 16
  /// Fewest values of a batch, of which two may be outliers.
  private static let batchSize = 5
  /// Fewest batches on either side of a change, a sixteenth of a long series.
  ///
  /// Fewer batches would report a short disturbance; twice as many would miss a change in the last
  /// tenth of a recording.
  private static let fewestOnSide = 4
  /// Size of a change in standard deviations of a single value.
  ///
  /// At half of it, changes are reported that a reader of the figure does not see.
  private static let leastRatio = 3.0
  /// Share of the medians that must lie on their side of the middle.
  ///
  /// 0.5 admits any wandering series; a clean step has 1.
  private static let leastShare = 0.9
  /// Largest correlation of neighbouring medians that is assumed.
  ///
  /// A random walk has 1, and any level is then compatible with it.
  private static let mostCorrelation = 0.9

  /// Returns the changes of the level of `values`, in order.
  ///
  /// Values that are not finite are absent. `falseAlarmRate`, above 0 and below 1, is the
  /// probability of an alarm in a series without a change. Empty for fewer than 80 values. The cost
  /// is linear in their number.
  package static func changes(
    of values: [Double], falseAlarmRate: Double
  ) -> [LevelChange] {
    let places = values.indices.filter { values[$0].isFinite }
    let count = min(mostBatches, places.count / batchSize)
    guard count >= fewestBatches else { return [] }
    return Batches(of: places.map { values[$0] }, count: count).changes(falseAlarmRate).map {
      change in
      var change = change
      change.index = places[change.index]
      return change
    }
  }

  /// The medians of batches of a series.
  struct Batches {
    let values: [Double]
    let medians: [Double]
    /// Standard deviation of a single value about the median of its batch.
    let sigma: Double

    init(of values: [Double], count: Int) {
      self.values = values
      var scratch: [Double] = []
      var medians: [Double] = []
      var deviations: [Double] = []
      for batch in 0..<count {
        let end = Self.first(batch + 1, count, values)
        scratch = Array(values[Self.first(batch, count, values)..<end])
        let median = scratch.lowerMedian(ofFirst: scratch.count)
        for place in scratch.indices { scratch[place] = (scratch[place] - median).magnitude }
        medians.append(median)
        deviations.append(scratch.lowerMedian(ofFirst: scratch.count))
      }
      self.medians = medians
      // 1.4826 times the median deviation is the standard deviation of normal values.
      sigma = 1.4826 * deviations.lowerMedian(ofFirst: count)
    }

    /// Returns the index of the first value of a batch.
    static func first(_ batch: Int, _ count: Int, _ values: [Double]) -> Int {
      values.count * batch / count
    }

    /// Returns the changes with at most the probability `rate` without a change, in order.
    func changes(_ rate: Double) -> [LevelChange] {
      var found: [LevelChange] = []
      var parts = [0..<medians.count]
      while let part = parts.popLast() {
        guard part.count >= 2 * fewestOnSide, let split = split(part), split.probability <= rate
        else {
          continue
        }
        if let change = change(at: split.place, in: part, split.probability) {
          found.append(change)
        }
        parts += [part.lowerBound..<split.place, split.place..<part.upperBound]
      }
      return found.sorted { $0.index < $1.index }
    }

    /// Returns the most likely change of a part, and the probability of its cumulative sum without one.
    func split(_ part: Range<Int>) -> (place: Int, probability: Double)? {
      let mean = part.reduce(0) { $0 + medians[$1] } / Double(part.count)
      var (sum, most, place) = (0.0, 0.0, part.lowerBound)
      for index in part.dropLast() {
        sum += medians[index] - mean
        if sum.magnitude > most { (most, place) = (sum.magnitude, index + 1) }
      }
      guard most > 0 else { return nil }
      let variance = longRunVariance(part, changeAt: place)
      // A series without any scatter has a change for certain.
      let square = most * most / (Double(part.count) * variance)
      return (place, min(1, 2 * Double.exp(-2 * square)))
    }

    /// Returns the variance of the sum of many medians divided by their number, without the change.
    private func longRunVariance(_ part: Range<Int>, changeAt place: Int) -> Double {
      var (square, product) = (0.0, 0.0)
      var last = 0.0
      for side in [part.lowerBound..<place, place..<part.upperBound] {
        let mean = side.reduce(0) { $0 + medians[$1] } / Double(side.count)
        for index in side {
          let rest = medians[index] - mean
          square += rest * rest
          product += rest * last
          last = rest
        }
      }
      guard square > 0 else { return 0 }
      // The estimate of the correlation is biased by -(1 + 3 φ) / n [Kendall 1954].
      var correlation = product / square
      correlation += (1 + 3 * correlation) / Double(part.count)
      correlation = min(max(correlation, 0), mostCorrelation)
      return square / Double(part.count - 2) * (1 + correlation) / (1 - correlation)
    }

    /// Returns the change at the batch `place` of `part`; nil if it is no step or too small.
    private func change(
      at place: Int, in part: Range<Int>, _ probability: Double
    ) -> LevelChange? {
      func median(_ side: Range<Int>) -> Double {
        var copy = Array(medians[side])
        return copy.lowerMedian(ofFirst: copy.count)
      }
      let (left, right) = (part.lowerBound..<place, place..<part.upperBound)
      guard min(left.count, right.count) >= fewestOnSide else { return nil }
      let (before, after) = (median(left), median(right))
      guard (after - before).magnitude >= leastRatio * sigma, after != before else { return nil }
      let middle = before / 2 + after / 2
      let isUp = after > before
      func share(_ side: Range<Int>, isAbove: Bool) -> Double {
        Double(side.count { (medians[$0] > middle) == isAbove }) / Double(side.count)
      }
      guard share(left, isAbove: !isUp) >= leastShare, share(right, isAbove: isUp) >= leastShare
      else { return nil }
      // Within the two batches beside the change, the first value of the new level is where fewest
      // values lie on the wrong side of the middle.
      let count = medians.count
      let first = Self.first(place - 1, count, values)
      var (sum, least, index) = (0, 0, first)
      for position in first..<Self.first(place + 1, count, values) {
        sum += (values[position] > middle) == isUp ? 1 : -1
        if sum < least { (least, index) = (sum, position + 1) }
      }
      return LevelChange(index: index, before: before, after: after, probability: probability)
    }
  }
}
