import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct ExponentialSmootherTests {
  /// After a step the output is 1 - exp(-t/τ) of the step, for any division of the time.
  @Test func stepResponseIsIndependentOfRate() throws {
    var generator = SeededGenerator(seed: 21)
    for count in [1, 2, 7, 50] {
      var smoother = ExponentialSmoother(timeConstant: 0.4)
      _ = smoother.update(1, at: Timestamp(nanoseconds: 0))
      let instants =
        (1..<count).map { _ in Int64(generator.uniform(in: 1...899_999_999)) }.sorted()
        + [900_000_000]
      var last: SmoothedDistance?
      for instant in instants { last = smoother.update(2, at: Timestamp(nanoseconds: instant)) }
      let smoothed = try #require(last)
      #expect((smoothed.distance - (2 - Double.exp(-0.9 / 0.4))).magnitude < 1e-13)
    }
  }

  @Test func averagesRangesWithEqualTimestamps() throws {
    var single = ExponentialSmoother(timeConstant: 0.5)
    var double = ExponentialSmoother(timeConstant: 0.5)
    var time = Timestamp(nanoseconds: 0)
    for index in 0..<20 {
      let mean = 3 + Double(index) / 8
      let expected = try required(single.update(mean, at: time))
      _ = double.update(mean - 0.25, at: time)
      let smoothed = try required(double.update(mean + 0.25, at: time))
      #expect((smoothed.distance - expected.distance).magnitude < 1e-14)
      #expect(smoothed.lag == expected.lag)
      time = time.advanced(bySeconds: 0.1)
    }
  }

  @Test func lagConvergesToDocumentedValue() throws {
    var smoother = ExponentialSmoother(timeConstant: 0.3)
    var last: SmoothedDistance?
    for tenths in 0..<200 {
      last = smoother.update(2, at: Timestamp(nanoseconds: Int64(tenths) * 100_000_000))
    }
    let weight = 1 - Double.exp(-0.1 / 0.3)
    #expect((try #require(last).lag - 0.1 * (1 - weight) / weight).magnitude < 1e-14)
  }
}
