import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct LinkTableTests {
  /// Two tags and two anchors; U sees only B.
  private let recording = Recording.made(ranges: [
    MadeRange(seconds: 0, anchor: "A", distance: 1),
    MadeRange(seconds: 0, anchor: "B", distance: 2),
    MadeRange(seconds: 0, tag: "U", anchor: "B", distance: 3),
  ])

  private func table() -> LinkTable<MovingMedian> {
    LinkTable(tagCount: 2, anchorCount: 2) { MovingMedian(window: 3) }
  }

  @Test func pairsDoNotMix() {
    var links = table()
    for step in 0..<3 {
      let time = at(Double(step))
      #expect(
        links.update(tag: 0, anchor: 0, distance: 1, at: time).smoothed?.distance == 1)
      #expect(
        links.update(tag: 1, anchor: 1, distance: 9, at: time).smoothed?.distance == 9)
      #expect(
        links.update(tag: 0, anchor: 1, distance: 4, at: time).smoothed?.distance == 4)
    }
    let found = links.links(of: recording)
    #expect(found.map(\.tag) == ["T", "U", "T"])
    #expect(found.map(\.anchor) == ["A", "B", "B"])
    #expect(found.map(\.ranges) == [3, 3, 3])
    #expect(found.map(\.segments) == [1, 1, 1])
    #expect(found.map(\.rateHz) == [1, 1, 1])
  }

  @Test func anEventWithAnAnchorConcernsItsPairOnly() {
    var links = table()
    for anchor in 0..<2 { _ = links.update(tag: 0, anchor: anchor, distance: 2, at: at(0)) }
    links.apply(RecordedEvent(time: at(1), tag: 0, anchor: 1, event: .removed, line: 9))
    for anchor in 0..<2 { _ = links.update(tag: 0, anchor: anchor, distance: 2, at: at(2)) }
    #expect(links.links(of: recording).map(\.segments) == [1, 2])
  }

  @Test func anEventWithoutAnAnchorConcernsAllPairsOfItsTag() {
    var links = table()
    for (tag, anchor) in [(0, 0), (0, 1), (1, 1)] {
      _ = links.update(tag: tag, anchor: anchor, distance: 2, at: at(0))
    }
    links.apply(RecordedEvent(time: at(1), tag: 0, anchor: nil, event: .suspended, line: 9))
    for (tag, anchor) in [(0, 0), (0, 1), (1, 1)] {
      _ = links.update(tag: tag, anchor: anchor, distance: 2, at: at(2))
    }
    #expect(links.links(of: recording).map(\.segments) == [2, 2, 1])
  }

  @Test func pairsWithoutRangesAreNotListed() {
    var links = table()
    links.apply(RecordedEvent(time: at(1), tag: 1, anchor: 0, event: .started, line: 9))
    #expect(links.links(of: recording).isEmpty)
  }
}
