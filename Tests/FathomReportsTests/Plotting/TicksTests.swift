import TestSupport
import Testing

@testable import FathomReports

@Suite struct TicksTests {
  /// Numbers are at least `apart` from each other: 480 units for 60 s and 70 apart are 8.75 s, so
  /// 10.
  @Test(arguments: [
    (0.0...60.0, 480.0, 70.0, 10.0), (-1...1, 100, 32, 1), (-1...1, 100, 20, 0.5),
    (0...0.3, 200, 32, 0.05), (0...1e9, 480, 70, 2e8), (5...5, 100, 10, 1),
  ])
  func stepsAreRound(
    _ range: ClosedRange<Double>, _ length: Double, _ apart: Double, _ step: Double
  ) {
    #expect(isClose(Ticks.step(range, in: length, apart: apart), step, within: 1e-12 * step))
  }

  @Test func logarithmicTicksAreRound() {
    // 100 units a decade, of which 30 are between 1 and 2.
    #expect(Ticks.logarithmic(0.1...10, in: 200, apart: 24) == [0.1, 0.2, 0.5, 1, 2, 5, 10])
    #expect(Ticks.logarithmic(0.1...10, in: 100, apart: 24) == [0.1, 1, 10])
    #expect(Ticks.logarithmic(0.3...0.7, in: 100, apart: 24) == [0.5])
    #expect(Ticks.logarithmic(1...1, in: 100, apart: 24) == [])
  }

  @Test func rangesContainTheirValues() {
    #expect(Ticks.range(of: [1, .nan, 3], margin: 0.5) == 0...4)
    #expect(Ticks.range(of: [2, 2], margin: 0, least: 1) == 1.5...2.5)
    #expect(Ticks.range(of: [.nan]) == nil)
  }

  @Test func quantilesLieBetweenValues() {
    #expect(Ticks.quantile(0.5, of: [3, 1, 2, .nan]) == 2)
    #expect(Ticks.quantile(0.25, of: [0, 1]) == 0.25)
    #expect(Ticks.quantile(1, of: [0, 1]) == 1)
    #expect(Ticks.quantile(0.5, of: []) == nil)
  }
}
