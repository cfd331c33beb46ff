import FathomEvaluation
import TestSupport
import Testing

@Suite struct ErrorStatisticsTests {
  /// Errors 4, 1, 3, 2, 10, sorted 1 2 3 4 10: mean 20 / 5 = 4, mean square 130 / 5 = 26, median 3.
  ///
  /// The 68th percentile is at index 4 * 0.68 = 2.72: 3 + 0.72 * (4 - 3) = 3.72. The 95th is at
  /// 3.8: 4 + 0.8 * 6 = 8.8. The 99th is at 3.96: 4 + 0.96 * 6 = 9.76.
  @Test func matchesHandComputedValues() throws {
    let accuracy = try #require(PositionAccuracy(errors: [4, 1, 3, 2, 10]))
    #expect(accuracy.n == 5)
    #expect(isClose(accuracy.rmseM, 26.0.squareRoot(), within: 1e-15))
    #expect(accuracy.meanM == 4 && accuracy.medianM == 3 && accuracy.maxM == 10)
    #expect(isClose(accuracy.p68M, 3.72, within: 1e-14))
    #expect(isClose(accuracy.p95M, 8.8, within: 1e-14))
    #expect(isClose(accuracy.p99M, 9.76, within: 1e-14))
  }

  @Test func singleErrorEqualsAllStatistics() throws {
    let accuracy = try #require(PositionAccuracy(errors: [0.5]))
    let figures = [accuracy.rmseM, accuracy.meanM, accuracy.medianM, accuracy.p68M, accuracy.p95M]
    #expect(figures == [0.5, 0.5, 0.5, 0.5, 0.5])
    #expect(accuracy.p99M == 0.5 && accuracy.maxM == 0.5 && accuracy.n == 1)
  }

  @Test func emptyInputYieldsNil() {
    #expect(PositionAccuracy(errors: []) == nil)
    #expect(PositionAccuracy(errors: [.nan, .infinity]) == nil)
    #expect(PositionAccuracy(errors: [1, .nan, 3])?.meanM == 2)
  }

  /// For any n values, about n q are below the quantile q.
  @Test func quantilesDivideTheValues() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<300 {
      let count = 1 + Int(generator.uniform() * 60)
      let values = (0..<count).map { _ in generator.exponential(mean: 2) }
      let sorted = values.sorted()
      let q = generator.uniform()
      let quantile = ErrorStatistics.quantile(q, ofSorted: sorted)
      let below = values.count { $0 < quantile }
      let above = values.count { $0 > quantile }
      let place = q * Double(count - 1)
      #expect(Double(below) >= place.rounded(.down), "seed 11, n \(count), q \(q)")
      #expect(Double(count - 1 - above) <= place.rounded(.up), "seed 11, n \(count), q \(q)")
    }
  }

  /// The order of the values has no effect.
  @Test func statisticsAreIndependentOfOrder() {
    var generator = SeededGenerator(seed: 12)
    let values = (0..<200).map { _ in generator.normal().magnitude }
    let shuffled = values.shuffled(using: &generator)
    #expect(PositionAccuracy(errors: values) == PositionAccuracy(errors: shuffled))
  }
}
