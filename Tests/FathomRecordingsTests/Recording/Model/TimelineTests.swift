import Fathom
import Testing

@testable import FathomRecordings

@Suite struct TimelineTests {
  /// The entries as text: `r` or `e` with the index in the file.
  private func order(_ recording: Recording) -> [String] {
    Timeline(recording).entries.map { entry in
      switch entry {
      case .range(let index): "r\(index)"
      case .event(let index): "e\(index)"
      }
    }
  }

  private func ranges(_ seconds: [Double]) -> [MadeRange] {
    seconds.map { MadeRange(seconds: $0, anchor: "A", distance: 1) }
  }

  private func events(_ seconds: [Double]) -> [MadeEvent] {
    seconds.map { MadeEvent(seconds: $0, event: .started) }
  }

  @Test func simultaneousRangesKeepOrderOfFile() {
    let recording = Recording.made(ranges: ranges([2, 1, 2, 1, 0, 2]))
    #expect(order(recording) == ["r4", "r1", "r3", "r0", "r2", "r5"])
    // After a later one in the file: 1, 1 and 0; the twos equal the latest.
    #expect(RecordingOutline(recording).outOfOrder == 3)
  }

  @Test func keepsSortedRanges() {
    let recording = Recording.made(ranges: ranges([-1, 0, 0, 3]))
    #expect(order(recording) == ["r0", "r1", "r2", "r3"])
    #expect(RecordingOutline(recording).outOfOrder == 0)
  }

  @Test func eventsPrecedeSimultaneousRanges() {
    let recording = Recording.made(ranges: ranges([1, 2, 2, 3]), events: events([2, 9, 0, 2]))
    #expect(order(recording) == ["e2", "r0", "e0", "e3", "r1", "r2", "r3", "e1"])
  }

  @Test func acceptsEventsOnlyAndNothing() {
    #expect(order(Recording.made(ranges: [], events: events([3, 1]))) == ["e1", "e0"])
    #expect(order(Recording.made(ranges: [])).isEmpty)
  }
}
