import Fathom
import FathomEvaluation
import FathomRecordings
import TestSupport
import Testing

/// Uses the tracks of ``MatchedPosesTests`` with horizontal errors.
@Suite struct AvailabilityTests {
  private func availability(
    _ tracks: [String: EstimatedTrack] = MatchedPosesTests.tracks, start: Double? = nil,
    _ change: (inout EvaluationSettings) -> Void = { _ in }
  ) -> Availability {
    var settings = EvaluationSettings()
    settings.isHorizontal = true
    change(&settings)
    return TrajectoryEvaluation(
      tracks, truth: MatchedPosesTests.truth, settings: settings, start: start.map(instant)
    ).availability
  }

  /// Truth has the seconds 0, 1, 2, 5 and 6.
  ///
  /// The poses at 0.5 and 5.5 cover -1 to 1 and 4 to 6.
  @Test func coverageCountsWholeSeconds() {
    #expect(isClose(availability().coverage, 4.0 / 5, within: 1e-15))
    // From -0.5 + 5.9 on, only the seconds 5 and 6 count, and both are covered.
    #expect(availability { $0.skipFirst = 5.9 }.coverage == 1)
    // The only position, at 6, also covers the second before it: 5 and 6 of five.
    let late = EstimatedTrack(
      times: [instant(-1), instant(6)], positions: [point(.nan, 0, 0), point(6, 0, 0)])
    #expect(isClose(availability(["a": late]).coverage, 2.0 / 5, within: 1e-15))
  }

  /// The memory must not grow with the gap: every second of it would be eight bytes or more.
  @Test func coverageOfLongGapsIsCounted() {
    let far = instant(4e9)
    let truth = Truth(
      tracks: ["a": PositionTrack(times: [instant(0), far], positions: [.zero, .zero])])
    var settings = EvaluationSettings()
    settings.longestGap = 1e10
    let track = EstimatedTrack(
      times: [instant(0), instant(0.5), instant(100)], positions: [.zero, .zero, .zero])
    let found = TrajectoryEvaluation(["a": track], truth: truth, settings: settings, start: nil)
    // The seconds 0, 1, 99, 100 and 101 of 0 to 4e9.
    #expect(isClose(found.availability.coverage, 5 / (4e9 + 1), within: 1e-24))
  }

  /// Truth covers 0 to 2 and 5 to 6, and each position is valid for one second.
  ///
  /// Positions at -0.5, 0.5, 3, 5.5 and 7 cover 0 to 0.5, 0.5 to 1.5, nothing, 5.5 to 6, and
  /// nothing: 2 of 3 seconds.
  @Test func availabilityIsShareOfCoveredTime() throws {
    let share = try #require(availability().availability)
    #expect(isClose(share, 2.0 / 3, within: 1e-15))
    // Positions that are valid for ten seconds cover everything.
    #expect(availability { $0.maximumAge = 10 }.availability == 1)
    #expect(availability([:]).availability == 0)
  }

  /// The first position is at -0.5; those between truth's ends are at 0.5, 3 and 5.5.
  @Test func outagesAreMeasuredWithinTruth() {
    #expect(availability().timeToFirstFixS == -0.5)
    #expect(availability(start: -2).timeToFirstFixS == 1.5)
    #expect(availability().longestOutageS == 2.5)
  }

  @Test func missingEstimatesAreAnOutage() {
    let nothing = availability([:])
    #expect(nothing.coverage == 0 && nothing.timeToFirstFixS == nil)
    #expect(nothing.longestOutageS == 6)
  }

  @Test func secondTagIsCountedSeparately() {
    let late = EstimatedTrack(times: [instant(5)], positions: [point(5, 0, 0)])
    let both = availability(["a": MatchedPosesTests.tracks["a"] ?? late, "b": late])
    #expect(both.timeToFirstFixS == 5 && both.longestOutageS == 5)
  }
}
