import TestSupport
import Testing

@testable import Fathom

@Suite struct SmootherKnotsTests {
  private let anchors = Array(SimulatedWalk.room.prefix(3))

  @Test func rangesWithinTwentyMillisecondsShareAState() {
    let knots = knots([
      (0, 0, 4), (0.010, 1, 5), (0.020, 2, 6), (0.021, 0, 4.1), (0.041, 1, 5.1), (0.0411, 2, 6.1),
    ])
    // The second state begins at 0.021 s, so that 0.041 belongs to it and 0.0411 does not.
    #expect(knots.times == [0, 0.021, 0.0411].map(instant))
    #expect(knots.states == [0, 0, 0, 1, 1, 2])
    #expect(knots.isRepeated.allSatisfy { !$0 })
  }

  @Test func rejectsInvalidRanges() {
    let knots = knots([
      (0, 0, 4), (1, -1, 4), (2, 3, 4), (3, 1, .nan), (4, 1, -1), (5, 1, .infinity), (6, 1, 5),
    ])
    #expect(knots.times == [0, 6].map(instant))
    #expect(knots.states == [0, -1, -1, -1, -1, -1, 1])
    #expect(knots.isRepeated.allSatisfy { !$0 })
  }

  /// As for a tracker: a value held for less than the repetition time is a repeated reading.
  @Test func heldValuesAreRepeatedReadings() {
    let held = [(0.0, 0, 4.0), (0.5, 0, 4), (0.9, 0, 4), (1.0, 0, 4), (1.5, 0, 4), (1.6, 0, 4.1)]
    #expect(knots(held).isRepeated == [false, true, true, false, true, false])
    #expect(knots(held).states == [0, -1, -1, 1, -1, 2])
    var errors = RangeErrors()
    errors.repetitionTime = 0
    #expect(knots(held, errors: errors).isRepeated.allSatisfy { !$0 })
    // At the same instant it is always the same measurement.
    #expect(knots([(0, 0, 4), (0, 0, 4)], errors: errors).isRepeated == [false, true])
  }

  /// The median of the intervals 0.1, 0.1, 5; without intervals, one long enough for independence.
  @Test func varianceFollowsTheMedianInterval() {
    let errors = RangeErrors()
    let knots = SmootherKnots(
      [0, 0.1, 0.2, 5.2].map {
        RangeMeasurement(time: instant($0), anchor: 0, distance: 4 + $0)
      } + [RangeMeasurement(time: instant(6), anchor: 1, distance: 5)],
      anchors: [
        anchors[0], Anchor(position: anchors[1].position, positionSigma: 0.3), anchors[2],
      ], errors: errors, inflation: 2)
    let variances = knots.effectiveVariances
    #expect(isClose(variances[0], 2 * errors.effectiveVariance(interval: 0.1), within: 1e-9))
    #expect(isClose(variances[1], 2 * errors.effectiveVariance(interval: 10) + 0.09, within: 1e-9))
    #expect(variances.count == 3)
  }

  private func knots(
    _ ranges: [(seconds: Double, anchor: Int, distance: Double)],
    errors: RangeErrors = RangeErrors()
  ) -> SmootherKnots {
    SmootherKnots(
      ranges.map {
        RangeMeasurement(time: instant($0.seconds), anchor: $0.anchor, distance: $0.distance)
      }, anchors: anchors, errors: errors, inflation: 1)
  }
}
