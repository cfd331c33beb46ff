import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct LinkTableTests {
  private func table() -> LinkTable<MovingMedian> {
    LinkTable { MovingMedian(window: 3) }
  }

  private func links(_ table: inout LinkTable<MovingMedian>) -> [RecordingSummary.Link] {
    table.links(tag: "T", anchorNames: ["A", "B", "C"]).map(\.link)
  }

  @Test func keepsPairsSeparate() {
    var table = table()
    for step in 0..<3 {
      let time = at(Double(step))
      for (anchor, distance) in [(0, 1.0), (2, 9), (1, 4)] {
        let result = table.update(
          anchor: anchor, distance: distance, at: time, ordinal: 10 * step + anchor)
        #expect(result.smoothed == distance)
      }
    }
    let found = table.links(tag: "T", anchorNames: ["A", "B", "C"])
    #expect(found.map(\.ordinal) == [0, 2, 1])
    #expect(found.map(\.link.tag) == ["T", "T", "T"])
    #expect(found.map(\.link.anchor) == ["A", "C", "B"])
    #expect(found.map(\.link.ranges) == [3, 3, 3])
    #expect(found.map(\.link.segments) == [1, 1, 1])
    #expect(found.map(\.link.rateHz) == [1, 1, 1])
  }

  @Test func eventWithAnchorAffectsOnlyItsPair() {
    var table = table()
    for anchor in 0..<2 {
      _ = table.update(anchor: anchor, distance: 2, at: at(0), ordinal: anchor)
    }
    table.apply(
      RecordedEvent(time: at(1), tag: 0, anchor: 1, event: .removed, line: 9), ordinal: 2)
    for anchor in 0..<2 {
      _ = table.update(anchor: anchor, distance: 2, at: at(2), ordinal: 3 + anchor)
    }
    #expect(links(&table).map(\.segments) == [1, 2])
  }

  @Test func eventWithoutAnchorAffectsAllPairs() {
    var table = table()
    for anchor in 0..<2 {
      _ = table.update(anchor: anchor, distance: 2, at: at(0), ordinal: anchor)
    }
    table.apply(
      RecordedEvent(time: at(1), tag: 0, anchor: nil, event: .suspended, line: 9), ordinal: 2)
    for anchor in 0..<2 {
      _ = table.update(anchor: anchor, distance: 2, at: at(2), ordinal: 3 + anchor)
    }
    #expect(links(&table).map(\.segments) == [2, 2])
  }

  @Test func omitsPairsWithoutRanges() {
    var table = table()
    table.apply(
      RecordedEvent(time: at(1), tag: 1, anchor: 0, event: .started, line: 9), ordinal: 0)
    #expect(links(&table).isEmpty)
  }
}
