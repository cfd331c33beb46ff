import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// The published algorithm for a steady rate: two low-pass filters and one weight function.
private struct PublishedOneEuro {
  var rate: Double
  var minimumCutoff: Double
  var beta: Double
  var derivativeCutoff: Double
  var previous: Double?
  var previousSlope: Double?

  func alpha(_ cutoff: Double) -> Double {
    let tau = 1 / (2 * Double.pi * cutoff)
    let period = 1 / rate
    return 1 / (1 + tau / period)
  }

  mutating func filter(_ value: Double) -> Double {
    let slope = previous.map { (value - $0) * rate } ?? 0
    let weight = alpha(derivativeCutoff)
    let smoothSlope = previousSlope.map { weight * slope + (1 - weight) * $0 } ?? slope
    let share = alpha(minimumCutoff + beta * smoothSlope.magnitude)
    let result = previous.map { share * value + (1 - share) * $0 } ?? value
    (previous, previousSlope) = (result, smoothSlope)
    return result
  }
}

@Suite struct OneEuroFilterTests {
  @Test func oneStepMatchesHandComputation() throws {
    var filter = OneEuroFilter(minimumCutoff: 1, speedCoefficient: 1, derivativeCutoff: 1)
    _ = filter.update(1, at: Timestamp(nanoseconds: 0))
    let smoothed = try required(filter.update(2, at: Timestamp(nanoseconds: 100_000_000)))
    // Slope weight 0.1/(0.1 + 0.159155) = 0.385870, slope 3.858695, cut-off 4.858695 Hz,
    // 1/(2π f) = 0.0327567, weight 0.1/0.1327567 = 0.753258.
    #expect(isClose(smoothed.distance, 1.753258, within: 1e-6))
    #expect(isClose(smoothed.lag, 0.1 * (1 - 0.753258), within: 1e-7))
    #expect(smoothed.rate == nil)
  }

  @Test(arguments: [(10.0, 0.5, 1.0), (50, 1, 0.2), (200, 2, 0)])
  func matchesPublishedAlgorithm(_ rate: Double, _ cutoff: Double, _ beta: Double) throws {
    var generator = SeededGenerator(seed: 71)
    var filter = OneEuroFilter(minimumCutoff: cutoff, speedCoefficient: beta, derivativeCutoff: 1)
    var published = PublishedOneEuro(
      rate: rate, minimumCutoff: cutoff, beta: beta, derivativeCutoff: 1)
    var distance = 6.0
    for index in 0..<1000 {
      distance = max(distance + 0.1 * generator.normal(), 1)
      let time = Timestamp(nanoseconds: Int64(index) * Int64(1e9 / rate))
      let smoothed = try required(filter.update(distance, at: time))
      #expect(isClose(smoothed.distance, published.filter(distance), within: 1e-10))
    }
  }

  @Test func averagesRangesWithEqualTimestamps() throws {
    var single = OneEuroFilter()
    var double = OneEuroFilter()
    for index in 0..<20 {
      let time = Timestamp(nanoseconds: Int64(index) * 100_000_000)
      let mean = 3 + Double(index) / 8
      let expected = try required(single.update(mean, at: time))
      _ = double.update(mean - 0.25, at: time)
      let smoothed = try required(double.update(mean + 0.25, at: time))
      #expect(isClose(smoothed.distance, expected.distance, within: 1e-13))
    }
  }
}
