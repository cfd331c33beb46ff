import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct HampelFilterTests {
  @Test func replacesOutlierByMedian() throws {
    var filter = HampelFilter(window: 5, threshold: 3, rangeSigma: 0.1)
    for (index, distance) in [4, 4.1, 3.9, 4].enumerated() {
      let time = Timestamp(nanoseconds: Int64(index) * 100_000_000)
      let verdict = try required(filter.screen(distance, at: time))
      #expect(!verdict.isOutlier)
      #expect(verdict.smoothed.distance == distance)
      #expect(verdict.smoothed.lag == 0)
    }
    let verdict = try required(filter.screen(6, at: Timestamp(nanoseconds: 400_000_000)))
    // Window 3.9 4 4 4.1 6: median 4, deviations 0 0 0.1 0.1 2, so MAD 0.1 and S = 0.148 26.
    #expect(verdict.isOutlier)
    #expect(verdict.measured == 6)
    #expect(verdict.median == 4)
    #expect(isClose(verdict.sigma, 0.14826, within: 1e-12))
    #expect(verdict.smoothed.distance == 4)
    // The median of the times 0, 0.1 ... 0.4 s is 0.2 s old.
    #expect(isClose(verdict.smoothed.lag, 0.2, within: 1e-12))
  }

  @Test func rangeNoiseBoundsScaleOfRepeatedValues() throws {
    for (rangeSigma, isOutlier) in [(0.1, false), (0, true)] {
      var filter = HampelFilter(window: 5, threshold: 3, rangeSigma: rangeSigma)
      for index in 0..<4 { _ = filter.screen(4, at: Timestamp(nanoseconds: Int64(index))) }
      let verdict = try required(filter.screen(4.25, at: Timestamp(nanoseconds: 4)))
      #expect(verdict.isOutlier == isOutlier)
      #expect(verdict.sigma == rangeSigma)
    }
  }

  @Test func passesStepAfterHalfWindow() {
    var filter = HampelFilter(window: 5)
    var outputs: [Double] = []
    for (index, distance) in [2.0, 2, 2, 2, 2, 8, 8, 8, 8].enumerated() {
      let smoothed = filter.update(distance, at: Timestamp(nanoseconds: Int64(index)))
      outputs.append(smoothed?.distance ?? .nan)
    }
    #expect(outputs == [2, 2, 2, 2, 2, 2, 2, 8, 8])
  }

  @Test(arguments: [3, 4, 7, 20])
  func matchesSortedWindow(_ window: Int) throws {
    func median(_ values: [Double]) -> Double {
      let sorted = values.sorted()
      return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
    var generator = SeededGenerator(seed: 61)
    var filter = HampelFilter(window: window, threshold: 2, rangeSigma: 0.01)
    var all: [Double] = []
    var outliers = 0
    for index in 0..<1000 {
      let isRepeat = generator.uniform() < 0.2 && !all.isEmpty
      all.append(isRepeat ? all[index - 1] : 5 + generator.normal())
      let kept = Array(all.suffix(window))
      let center = median(kept)
      let sigma = max(1.4826 * median(kept.map { ($0 - center).magnitude }), 0.01)
      let verdict = try required(
        filter.screen(all[index], at: Timestamp(nanoseconds: Int64(index))))
      #expect(isClose(verdict.median, center, within: 1e-12))
      #expect(isClose(verdict.sigma, sigma, within: 1e-12))
      let isOutlier = kept.count >= 3 && (all[index] - center).magnitude > 2 * sigma
      #expect(verdict.isOutlier == isOutlier)
      if isOutlier { outliers += 1 }
    }
    #expect(outliers > 50)
  }
}
