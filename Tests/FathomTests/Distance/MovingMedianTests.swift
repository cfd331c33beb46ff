import FathomEvaluation
import Testing

@testable import Fathom

@Suite struct MovingMedianTests {
  @Test func windowGrowsAndThenSlides() {
    var median = MovingMedian(window: 3)
    let inputs = [3.0, 5, 1, 9, 9, 2]
    // 3 | 3 5 | 1 3 5 | 1 5 9 | 1 9 9 | 2 9 9
    let expected = [3.0, 4, 3, 5, 9, 9]
    for (index, distance) in inputs.enumerated() {
      let time = Timestamp(nanoseconds: Int64(index) * 100_000_000)
      #expect(median.update(distance, at: time)?.distance == expected[index])
    }
  }

  @Test func ignoresMinorityOfOutliers() {
    var median = MovingMedian(window: 5)
    for (index, distance) in [4.0, 4, 30, 4, 29, 4, 4, 1, 50, 4].enumerated() {
      let time = Timestamp(nanoseconds: Int64(index) * 100_000_000)
      #expect(median.update(distance, at: time)?.distance == 4)
    }
  }

  @Test(arguments: [1, 2, 3, 4, 7, 32])
  func matchesSortedWindow(_ window: Int) {
    var generator = SeededGenerator(seed: 31)
    var median = MovingMedian(window: window)
    var all: [Double] = []
    for index in 0..<500 {
      // A grid of 0.5 m makes equal values frequent; medians of two are exact.
      let distance = (generator.uniform(in: 1...10)).rounded() / 2
      all.append(distance)
      let sorted = all.suffix(window).sorted()
      let expected = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
      let time = Timestamp(nanoseconds: Int64(index) * 10_000_000)
      #expect(median.update(distance, at: time)?.distance == expected)
    }
  }
}
