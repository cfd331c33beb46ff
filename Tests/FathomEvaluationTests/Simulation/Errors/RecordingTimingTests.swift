import Fathom
import FathomRecordings
import Testing

@testable import FathomEvaluation

@Suite struct RecordingTimingTests {
  private func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64(seconds * 1e9))
  }

  @Test func lateMeasurementsHaveGivenShare() {
    let delivery = Delivery(lateShare: 0.3, longestDelay: 2)
    #expect(delivery.arrival(of: time(5), lateness: 0.29, delay: 0.5) == time(6))
    #expect(delivery.arrival(of: time(5), lateness: 0.3, delay: 0.5) == time(5))
    #expect(Delivery.immediate.arrival(of: time(5), lateness: 0, delay: 0.9) == time(5))
  }

  @Test func sortsRowsAndEventsByArrival() {
    var recording = Recording(name: "late")
    recording.ranges.time = [time(1), time(2), time(3)]
    recording.ranges.tag = [0, 1, 2]
    recording.ranges.anchor = [3, 4, 5]
    recording.ranges.distance = [1.5, 2.5, 3.5]
    recording.ranges.line = [2, 3, 5]
    recording.ranges[.rssi] = [-70, -80, -90]
    recording.ranges[.nonLineOfSight] = [0, 1, 0]
    recording.ranges.direction = RangeColumns.DirectionColumns(
      x: [1, 2, 3], y: [4, 5, 6], z: [7, 8, 9])
    recording.events = [
      RecordedEvent(time: time(2.5), tag: 0, anchor: nil, event: .suspended, line: 4),
      RecordedEvent(time: time(9), tag: 0, anchor: nil, event: .stopped, line: 6),
    ]
    // The first range arrives last; the event at 2.5 s follows the second range.
    Delivery.reorder(&recording, arrivals: [time(4), time(2), time(3)])
    #expect(recording.ranges.time == [time(2), time(3), time(1)])
    #expect(recording.ranges.tag == [1, 2, 0])
    #expect(recording.ranges.anchor == [4, 5, 3])
    #expect(recording.ranges.distance == [2.5, 3.5, 1.5])
    #expect(recording.ranges[.rssi] == [-80, -90, -70])
    #expect(recording.ranges[.nonLineOfSight] == [1, 0, 0])
    #expect(recording.ranges.direction?.x == [2, 3, 1])
    #expect(recording.ranges.direction?.z == [8, 9, 7])
    #expect(recording.ranges.line == [2, 4, 5])
    #expect(recording.events.map(\.line) == [3, 6])
  }

  @Test func equalArrivalsKeepTheirOrder() {
    #expect(Delivery.order(of: [time(2), time(1), time(2), time(1)]) == [1, 3, 0, 2])
  }
}
