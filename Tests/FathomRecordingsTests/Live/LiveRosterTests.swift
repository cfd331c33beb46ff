import Testing

@testable import FathomRecordings

@Suite struct LiveRosterTests {
  @Test func silentTagsAreDue() {
    var roster = LiveRoster()
    roster.hear(0, at: 0, batch: 1)
    roster.hear(1, at: 50, batch: 2)
    #expect(roster.due(at: 99, after: 100, most: 8) == [])
    #expect(roster.due(at: 100, after: 100, most: 8) == [0])
    roster.forget([0])
    #expect(roster.count == 1 && roster.free == [0] && roster.forgottenCount == 1)
    roster.hear(0, at: 140, batch: 3)
    #expect(roster.count == 2 && roster.free.isEmpty)
    #expect(roster.due(at: 200, after: 100, most: 8) == [1])
    #expect(roster.due(at: 1e9, after: .infinity, most: 8) == [])
  }

  /// New tags are forgotten before established ones, and of those the ones silent longest.
  @Test func surplusTagsAreDue() {
    var roster = LiveRoster()
    for batch in 1...4 { roster.hear(0, at: 0, batch: batch) }
    for tag in 1...16 { roster.hear(tag, at: 1, batch: 5) }
    #expect(roster.due(at: 1, after: 100, most: 17) == [])
    #expect(roster.due(at: 1, after: 100, most: 16) == [1, 2, 3])
  }
}
