import Fathom
import FathomEvaluation
import TestSupport
import Testing

@Suite struct CircularMedianAverageFilterTests {
  private func degrees(_ value: Double) -> Double { value * Double.pi / 180 }

  /// Returns the difference of two angles, wrapped.
  private func difference(_ first: Double, _ second: Double) -> Double {
    (first - second).remainder(dividingBy: 2 * Double.pi)
  }

  @Test func matchesAndroidStack() throws {
    let cases = try MedianAverageOracle.read().circular
    #expect(cases.count == 1)
    for entry in cases {
      var filter = CircularMedianAverageFilter(window: entry.window, shareKept: entry.shareKept)
      for (index, value) in entry.degrees.enumerated() {
        _ = filter.update(radians: degrees(value), at: Timestamp(nanoseconds: Int64(index)))
      }
      filter.rotate(byRadians: degrees(entry.rotationDegrees))
      let average = try required(filter.average(at: Timestamp(nanoseconds: 2)))
      #expect(isClose(average.value, degrees(entry.expectedDegrees), within: 1e-9))
    }
  }

  /// Within less than half a turn the circular form equals the linear one, anywhere on the circle.
  @Test(arguments: [0, 1.5, 3.1, 3.2, -3, 12, -100.0])
  func matchesLinearFormOnArc(_ center: Double) throws {
    var generator = SeededGenerator(seed: 51)
    var circular = CircularMedianAverageFilter(window: 9, shareKept: 0.4)
    var linear = MedianAverageFilter(window: 9, shareKept: 0.4)
    var time = Timestamp(nanoseconds: 0)
    for _ in 0..<300 {
      time = time.advanced(bySeconds: 0.1)
      let offset = generator.uniform(in: -0.7...0.7)
      let merit = generator.uniform(in: 0.1...1)
      // Shifted by 10, because distances are positive.
      let expected = try required(linear.update(offset + 10, figureOfMerit: merit, at: time))
      let average = try required(
        circular.update(radians: center + offset, figureOfMerit: merit, at: time))
      #expect(difference(average.value, center + expected.value - 10).magnitude < 1e-12)
      #expect(isClose(average.figureOfMerit, expected.figureOfMerit, within: 1e-12))
      #expect(isClose(average.lag, expected.lag, within: 1e-12))
      #expect(average.value > -Double.pi && average.value <= Double.pi)
    }
  }

  @Test func rotatingAllAnglesRotatesResult() throws {
    var generator = SeededGenerator(seed: 52)
    var plain = CircularMedianAverageFilter()
    var turned = CircularMedianAverageFilter()
    for index in 0..<200 {
      let time = Timestamp(nanoseconds: Int64(index) * 100_000_000)
      let angle = 0.5 * generator.normal()
      let first = try required(plain.update(radians: angle, at: time))
      let second = try required(turned.update(radians: angle + 2.5, at: time))
      #expect(difference(second.value, first.value + 2.5).magnitude < 1e-12)
    }
  }

  @Test func preservesConstantAngleBitwise() throws {
    for angle in [0.1, -1.7, 3.0, Double.pi] {
      var filter = CircularMedianAverageFilter()
      for index in 0..<20 {
        let average = try required(
          filter.update(radians: angle, at: Timestamp(nanoseconds: Int64(index))))
        #expect(average.value == angle)
      }
    }
  }

  @Test func mapsMinusHalfTurnToHalfTurn() {
    var filter = CircularMedianAverageFilter()
    #expect(filter.update(radians: -Double.pi, at: Timestamp(nanoseconds: 0))?.value == Double.pi)
  }

  @Test func acceptsOppositeAngles() throws {
    var filter = CircularMedianAverageFilter(window: 2, shareKept: 1)
    _ = filter.update(radians: 0, at: Timestamp(nanoseconds: 0))
    let average = try required(filter.update(radians: Double.pi, at: Timestamp(nanoseconds: 1)))
    #expect((average.value.magnitude - Double.pi / 2).magnitude < 1e-12)
  }

  @Test func ignoresAbsentAngles() throws {
    var filter = CircularMedianAverageFilter(window: 3, shareKept: 1)
    #expect(filter.average(at: Timestamp(nanoseconds: 0)) == nil)
    _ = filter.update(radians: 1, at: Timestamp(nanoseconds: 0))
    for angle in [nil, Double.nan, .infinity, -.infinity] {
      #expect(filter.update(radians: angle, at: Timestamp(nanoseconds: 1)) == nil)
    }
    #expect(filter.update(radians: 2, figureOfMerit: 0, at: Timestamp(nanoseconds: 1)) == nil)
    let average = try required(filter.average(at: Timestamp(nanoseconds: 1)))
    #expect(average.value == 1)
    #expect(isClose(average.lag, 1e-9, within: 1e-20))
  }

  @Test func restartsAfterGapOrReset() {
    var filter = CircularMedianAverageFilter(window: 3, shareKept: 1, restartAfter: 2)
    _ = filter.update(radians: 1, at: Timestamp(nanoseconds: 0))
    #expect(filter.update(radians: 2, at: Timestamp(nanoseconds: 2_000_000_001))?.value == 2)
    filter.reset()
    #expect(filter.average(at: Timestamp(nanoseconds: 0)) == nil)
    #expect(filter.update(radians: 0.5, at: Timestamp(nanoseconds: 0))?.value == 0.5)
  }
}
