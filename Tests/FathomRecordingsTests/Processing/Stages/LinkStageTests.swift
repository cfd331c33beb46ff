import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct LinkStageTests {
  private func stage() -> LinkStage<MovingMedian> { LinkStage(smoother: MovingMedian(window: 3)) }

  @Test func interruptionsResetTheSmoother() {
    for event in SessionEvent.allCases {
      var link = stage()
      #expect(link.update(5, at: at(0)).smoothed == 5)
      #expect(link.update(7, at: at(0.1)).smoothed == 6)
      link.apply(event)
      // The median of 5, 7, 2 would be 5.
      #expect(link.update(2, at: at(0.2)).smoothed == 2, "\(event)")
      #expect(link.update(4, at: at(0.3)).smoothed == 3, "\(event)")
      #expect(link.segments == 2)
    }
  }

  @Test func eventsBeforeFirstRangeStartNoSegment() {
    var link = stage()
    link.apply(.started)
    _ = link.update(2, at: at(0))
    #expect(link.segments == 1)
    // Consecutive events are one interruption.
    link.apply(.suspended)
    link.apply(.resumed)
    link.apply(.started)
    _ = link.update(2, at: at(1))
    #expect(link.segments == 2)
  }

  @Test func rateCoversWholeLink() {
    var link = stage()
    #expect(link.rate == nil)
    _ = link.update(2, at: at(1))
    _ = link.update(3, at: at(1))
    #expect(link.rate == nil)
    for step in 1...8 { _ = link.update(2, at: at(1 + 0.25 * Double(step))) }
    // Nine more ranges within 2 s.
    #expect(link.count == 10)
    #expect(link.rate == 4.5)
  }

  @Test func qualityMatchesEstimator() {
    var link = stage()
    // Different distances at 8 Hz: the sample needs nine, and the newest decides.
    for step in 0..<8 {
      #expect(link.update(9 + Double(step) * 0.1, at: at(Double(step) / 8)).quality == .unknown)
    }
    #expect(link.update(9.95, at: at(1)).quality == .close)
    #expect(link.update(10.5, at: at(1.125)).quality == .good)
  }

  @Test func zonesFollowSmoothedDistance() {
    var link = stage()
    var events: [ProximityEvent] = []
    // A single far range does not move the median, so the link stays in the zone.
    for step in 0..<20 {
      let result = link.update(step == 10 ? 9 : 1, at: at(Double(step) / 8))
      if result.hasEvents, let changes = link.lastEvents { events += changes }
      if step == 19 { #expect(result.zone == .inner) }
    }
    #expect(events.map(\.zone) == [.outer, .inner])
    #expect(events.map(\.kind) == [.entered, .entered])
    #expect(events.map(\.time) == [at(0.5), at(0.5)])
  }

  /// A smoother that overshoots reports 0, which is a valid distance here.
  @Test func zeroDistanceIsInsideZones() {
    struct Nearest: DistanceSmoother {
      var restartAfter: Double { 2 }
      mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
        SmoothedDistance(distance: 0, lag: 0, time: time)
      }
      mutating func reset() {}
    }
    var link = LinkStage(smoother: Nearest())
    var zone = DistanceColumns.Zone.outside
    for step in 0..<8 { zone = link.update(0.1, at: at(Double(step) / 8)).zone }
    #expect(zone == .inner)
  }

  @Test func averagesStatisticsOverWindows() throws {
    // 20 s at 10 Hz of a link without repeated or lost ranges, with noise of 0.05 m.
    var generator = SeededGenerator(seed: 7)
    var link = stage()
    for step in 0..<200 {
      _ = link.update(4 + 0.05 * generator.normal(), at: at(Double(step) * 0.1))
    }
    link.finish()
    #expect(link.averages.loss.value == 0)
    #expect(link.averages.hold.value == 0)
    let spread = try #require(link.averages.spread.value)
    // About 200 residuals: the robust estimate is within 15 % (three standard errors).
    #expect(isClose(spread, 0.05, within: 0.0075), "seed 7: \(spread)")
    let score = try #require(link.averages.score.value)
    #expect(score > 0.9 && score < 1)
  }

  @Test func linkWithFewRangesHasNoStatistics() {
    var link = stage()
    for step in 0..<4 { _ = link.update(2 + Double(step), at: at(Double(step) * 0.1)) }
    link.finish()
    #expect(link.averages.loss.value == nil)
    #expect(link.averages.spread.value == nil)
    #expect(link.averages.hold.value == nil)
    #expect(link.averages.score.value == nil)
  }
}
