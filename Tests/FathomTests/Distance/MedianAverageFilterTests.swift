import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

/// Cases of the Android stack's unit tests.
struct MedianAverageOracle: Decodable {
  struct Linear: Decodable {
    var test: String
    var window: Int
    var shareKept: Double
    var values: [Double]
    var weights: [Double]?
    var expected: Double
  }

  struct Circular: Decodable {
    var test: String
    var window: Int
    var shareKept: Double
    var degrees: [Double]
    var rotationDegrees: Double
    var expectedDegrees: Double
  }

  var linear: [Linear]
  var circular: [Circular]

  static func read() throws -> MedianAverageOracle {
    try oracle("distance/median-average.json", in: .module)
  }
}

/// The definition, literally: sort, trim, weight.
func medianAverageByDefinition(
  _ samples: [(value: Double, merit: Double, age: Double)], shareKept: Double
) -> (value: Double, merit: Double, age: Double) {
  let sorted = samples.enumerated().sorted {
    ($0.element.value, $0.offset) < ($1.element.value, $1.offset)
  }
  let count = Double(samples.count)
  var trimmed = Int((count * (1 - shareKept) / 2 + 0.5).rounded(.down))
  if 2 * trimmed >= samples.count { trimmed -= 1 }
  let kept = sorted.dropFirst(trimmed).dropLast(trimmed).map(\.element)
  let sum = kept.reduce(0) { $0 + $1.merit }
  return (
    kept.reduce(0) { $0 + $1.merit * $1.value } / sum,
    kept.reduce(0) { $0 + $1.merit * $1.merit } / sum,
    kept.reduce(0) { $0 + $1.merit * $1.age } / sum
  )
}

@Suite struct MedianAverageFilterTests {
  @Test func matchesAndroidStack() throws {
    let cases = try MedianAverageOracle.read().linear
    #expect(cases.count == 6)
    for entry in cases {
      var filter = MedianAverageFilter(window: entry.window, shareKept: entry.shareKept)
      var last: MedianAverage?
      for (index, value) in entry.values.enumerated() {
        last = filter.update(
          value, figureOfMerit: entry.weights?[index] ?? 1,
          at: Timestamp(nanoseconds: Int64(index)))
      }
      let average = try #require(last)
      #expect(isClose(average.value, entry.expected, within: 1e-9), "\(entry.test)")
    }
  }

  @Test(arguments: [(1, 0.0), (3, 0), (5, 0.5), (8, 0.25), (31, 0.8), (255, 0.1), (6, 1)])
  func matchesDefinition(_ window: Int, _ shareKept: Double) throws {
    var generator = SeededGenerator(seed: 41)
    var filter = MedianAverageFilter(window: window, shareKept: shareKept)
    var samples: [(value: Double, merit: Double, time: Timestamp)] = []
    var time = Timestamp(nanoseconds: 0)
    for _ in 0..<600 {
      time = time.advanced(bySeconds: generator.exponential(mean: 0.05))
      // A coarse grid produces ties with different figures of merit.
      let value = generator.uniform(in: 1...20).rounded() / 4
      let merit = generator.uniform(in: 0.05...1)
      samples.append((value, merit, time))
      let expected = medianAverageByDefinition(
        samples.suffix(window).map { ($0.value, $0.merit, time.seconds(since: $0.time)) },
        shareKept: shareKept)
      let average = try required(filter.update(value, figureOfMerit: merit, at: time))
      #expect(isClose(average.value, expected.value, within: 1e-12))
      #expect(isClose(average.figureOfMerit, expected.merit, within: 1e-12))
      #expect(isClose(average.lag, expected.age, within: 1e-12))
      #expect(average.effectiveTime == time.advanced(bySeconds: -average.lag))
    }
  }

  @Test func rejectsRangesWithInvalidFigureOfMerit() {
    var filter = MedianAverageFilter(window: 3, shareKept: 1)
    let time = Timestamp(nanoseconds: 0)
    for merit in [0, -1, Double.nan, .infinity] {
      #expect(filter.update(5, figureOfMerit: merit, at: time) == nil)
    }
    #expect(filter.update(2, at: time)?.distance == 2)
  }

  @Test func handlesExtremeFiguresOfMerit() throws {
    for merit in [Double.leastNonzeroMagnitude, 1e-200, 1e200, .greatestFiniteMagnitude] {
      var filter = MedianAverageFilter(window: 2, shareKept: 1)
      _ = filter.update(2, figureOfMerit: merit, at: Timestamp(nanoseconds: 0))
      let average = try required(
        filter.update(3, figureOfMerit: merit, at: Timestamp(nanoseconds: 1000)))
      #expect(average.value == 2.5)
      #expect(average.figureOfMerit == merit)
    }
  }
}
