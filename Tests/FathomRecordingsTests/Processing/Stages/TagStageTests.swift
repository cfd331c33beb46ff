import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct TagStageTests {
  private let tag = Vector<3>([3, 2, 1])

  private func positions(
    _ recording: Recording, _ change: (inout ProcessingSettings) -> Void = { _ in }
  ) -> PositionColumns {
    var settings = ProcessingSettings()
    change(&settings)
    return recording.processed(with: settings).positions
  }

  /// Returns polled ranges for `rounds` × 0.1 s.
  private func polled(_ rounds: Int, start: Double = 0, tag name: String = "T") -> [MadeRange] {
    polledRanges(from: tag, rounds: rounds, start: start).map {
      MadeRange(seconds: $0.seconds, tag: name, anchor: $0.anchor, distance: $0.distance)
    }
  }

  private func made(_ ranges: [MadeRange], _ events: [MadeEvent] = []) -> Recording {
    .made(anchors: roomAnchors, ranges: ranges, events: events)
  }

  @Test func outputsOnePositionPerInstantWithRanges() {
    let ranges = polled(10)
    #expect(positions(made(ranges)).time == ranges.map { at($0.seconds) })
    let scans = ranges.map {
      MadeRange(
        seconds: ($0.seconds * 10).rounded(.down) / 10, anchor: $0.anchor, distance: $0.distance)
    }
    #expect(positions(made(scans)).time == (0..<10).map { at(Double($0) / 10) })
    #expect(
      positions(made(scans)) { $0.method = .fix }.time == (0..<10).map { at(Double($0) / 10) })
  }

  @Test func mergesTagsInOrderOfTime() {
    let recording = made(polled(5) + polled(5, start: 0.01, tag: "U"))
    let found = positions(recording)
    #expect(found.count == 40)
    #expect(found.time == found.time.sorted())
    #expect(found.tag.count { $0 == "U" } == 20)
    #expect(found.tag.prefix(4) == ["T", "U", "T", "U"])
  }

  @Test(arguments: [PositionMethod.filter, .fix])
  func gridConsistsOfMultiplesOfStep(_ method: PositionMethod) {
    // From 0.31 to 2.285 s; the step at 4 Hz is 0.25 s.
    let found = positions(made(polled(20, start: 0.31))) {
      $0.method = method
      $0.rateHz = 4
    }
    let expected = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25].map(at)
    #expect(found.time == expected)
    #expect(found.status.last == (method == .fix ? .fix : .tracking))
  }

  @Test func tagsShareTheGrid() {
    let recording = made(polled(20, start: -0.93) + polled(20, start: -1.01, tag: "U"))
    let found = positions(recording) { $0.rateHz = 8 }
    #expect(found.count > 20)
    #expect(found.time.allSatisfy { $0.nanoseconds % 125_000_000 == 0 })
    // T has ranges from -0.93 to 1.045 s, U from -1.01 to 0.965 s.
    let times = { (name: String) in
      zip(found.time, found.tag).filter { $0.1 == name }.map(\.0.nanoseconds)
    }
    #expect(times("T") == (-7...8).map { $0 * 125_000_000 })
    #expect(times("U") == (-8...7).map { $0 * 125_000_000 })
  }

  @Test func rangeOnGridCountsAtItsInstant() {
    // The last range is at 0.975 + 0.025 = 1 s, exactly on the grid.
    var ranges = polled(10)
    ranges.append(MadeRange(seconds: 1, anchor: "A", distance: ranges[0].distance + 1e-6))
    let found = positions(made(ranges)) { $0.rateHz = 2 }
    #expect(found.time == [0, 0.5, 1].map(at))
    #expect(found.status.last == .tracking)
    #expect(found.used == [1, 20, 20])
  }

  /// Each scan between grid instants is used until the next scan.
  @Test func gridBetweenScansHasPositions() {
    let scans = polled(20).map {
      MadeRange(
        seconds: ($0.seconds * 10).rounded(.down) / 10 + 0.05, anchor: $0.anchor,
        distance: $0.distance)
    }
    let found = positions(made(scans)) {
      $0.method = .fix
      $0.rateHz = 10
    }
    #expect(found.count == 19)
    #expect(found.status.allSatisfy { $0 == .fix })
  }

  @Test func gridEndsTenSecondsAfterLastRange() {
    // With a gap from 0.975 s to 100 s, the grid continues to 10.975 s.
    let found = positions(made(polled(10) + polled(10, start: 100))) { $0.rateHz = 1 }
    #expect(found.time == ([0] + (1...10) + [100]).map { at(Double($0)) })
    // One instant is 0.025 s after the last range, the next more than a second.
    #expect(found.status[1] == .tracking)
    #expect(found.status[2...10].allSatisfy { $0 == .coasting })
  }

  /// Events of a link do not affect the positions during a gap.
  @Test func linkEventsDoNotAffectGapPositions() {
    let ranges = polled(10) + polled(10, start: 5)
    let without = positions(made(ranges))
    let with = positions(
      made(ranges, [MadeEvent(seconds: 2.3, anchor: "A", event: .removed)]))
    // 40 ranges before 1 s, 40 after 5 s, and the seconds from 1.975 to 4.975 s.
    #expect(without.count == 84)
    #expect(with.time == without.time)
    // After a suspension of the whole tag its motion is unknown.
    let suspended = positions(made(ranges, [MadeEvent(seconds: 2.3, event: .suspended)]))
    #expect(suspended.count == 81)
  }

  /// An event between two ranges does not affect the grid.
  @Test(arguments: ["A", nil])
  func eventsDoNotAffectTheGrid(_ anchor: String?) {
    let event = MadeEvent(seconds: 0.51, anchor: anchor, event: .started)
    let ranges = polled(4) + polled(4, start: 1.05)
    let without = positions(made(ranges)) { $0.rateHz = 10 }
    let with = positions(made(ranges, [event])) { $0.rateHz = 10 }
    #expect(without.count == 15)
    #expect(with.time == without.time)
  }

  @Test func gridEndsTenSecondsIntoInterruption() {
    let events = [
      MadeEvent(seconds: 1, event: .suspended), MadeEvent(seconds: 50, event: .resumed),
    ]
    let found = positions(made(polled(10) + polled(10, start: 60), events)) { $0.rateHz = 1 }
    #expect(found.time == ([0] + (1...10) + [60]).map { at(Double($0)) })
  }

  /// At the largest time stamps, the next grid instant does not exist.
  @Test(.timeLimit(.minutes(1)))
  func gridEndsAtLargestTimeStamp() {
    for rate in [0.001, 1, 1000] {
      let ranges = [9_223_372_030.5, 9_223_372_036.5, 9_223_372_036.75].map {
        MadeRange(seconds: $0, anchor: "A", distance: 2)
      }
      let found = positions(made(ranges)) { $0.rateHz = rate }
      #expect(found.count <= 7_000)
      #expect(found.time == found.time.sorted())
      let early = [-9_223_372_036.75, -9_223_372_036.5].map {
        MadeRange(seconds: $0, anchor: "A", distance: 2)
      }
      #expect(positions(made(early)) { $0.rateHz = rate }.count <= 1_000)
    }
  }

  @Test func interruptionOfWholeTagReachesFilter() throws {
    // The gap is short enough for the filter to coast, so only the event makes a difference.
    let ranges = polled(40) + polled(1, start: 5)
    let sigma = { (events: [MadeEvent]) -> Double in
      let found = self.positions(self.made(ranges, events))
      // The preceding gap may have positions of its own.
      return found.time.firstIndex(of: at(5)).map { found.covariance[$0][0, 0] } ?? .nan
    }
    let plain = sigma([])
    #expect(sigma([MadeEvent(seconds: 4.5, event: .suspended)]) > plain)
    #expect(sigma([MadeEvent(seconds: 4.5, event: .resumed)]) == plain)
    #expect(sigma([MadeEvent(seconds: 4.5, anchor: "B", event: .suspended)]) == plain)
  }
}
