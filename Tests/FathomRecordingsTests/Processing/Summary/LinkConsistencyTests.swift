import Fathom
import Testing

@testable import FathomRecordings

@Suite struct LinkConsistencyTests {
  /// Three of five ranges agree: starting and duplicate ranges say nothing, nor does an unused one that
  /// the diagnosis does not exclude.
  @Test func countsRangesThatSaySomething() {
    var link = LinkConsistency()
    #expect(link.share == nil)
    let decisions: [DistanceColumns.Decision] = [
      .starting, .used, .used, .duplicate, .discounted, .unused, .used,
    ]
    for decision in decisions { link.add(decision, isExcluded: false) }
    link.add(.unused, isExcluded: true)
    #expect(link.consistent == 3 && link.inconsistent == 2 && link.share == 0.6)
    link.add(.nonLineOfSight, isExcluded: false)
    #expect(link.share == 0.5)
    var other = LinkConsistency()
    other.add(.used, isExcluded: true)
    other.add(link)
    #expect(other.consistent == 4 && other.inconsistent == 3)
  }

  /// Of 100 ranges the last 64 count: 40 that do not agree, then 24 that do.
  @Test func streamsCountTheLastRanges() {
    var recent = RecentConsistency()
    recent.add(nil)
    #expect(recent.share == nil)
    for index in 0..<36 { recent.add(index % 2 == 0) }
    #expect(recent.share == 0.5)
    for _ in 0..<40 { recent.add(false) }
    for _ in 0..<24 { recent.add(true) }
    #expect(recent.share == 24.0 / 64)
    recent.add(nil)
    #expect(recent.share == 24.0 / 64)
  }

  @Test func theShareLimitsTheScore() {
    var link = RecordingSummary.Link(tag: "T", anchor: "A", ranges: 50, segments: 1)
    link.score = 0.94
    link.add(nil)
    #expect(link.score == 0.94 && link.consistent == nil)
    var counts = LinkConsistency()
    for _ in 0..<3 { counts.add(.discounted, isExcluded: false) }
    counts.add(.used, isExcluded: false)
    link.add(counts)
    #expect(link.score == 0.25 && link.consistent == 0.25)
  }

  /// The shares are those of the decisions in `distances.csv`.
  @Test(arguments: PositionMethod.allCases)
  func sharesFollowFromTheDecisions(_ method: PositionMethod) {
    var ranges = polledRanges(from: roomTag, rounds: 60)
    for place in stride(from: 100, to: ranges.count, by: 9) { ranges[place].distance += 3 }
    var recording = Recording.made(anchors: roomAnchors, ranges: ranges)
    recording.facts.heightM = roomTag[2]
    var settings = ProcessingSettings()
    settings.method = method
    let found = recording.processed(with: settings)
    for link in found.summary.links {
      var counts = LinkConsistency()
      for (anchor, decision) in zip(found.distances.anchor, found.distances.decision)
      where anchor == link.anchor {
        counts.add(decision, isExcluded: false)
      }
      #expect(link.consistent == counts.share, "\(link.anchor)")
    }
  }

  /// Without anchors there is no track to agree with.
  @Test func linksWithoutAnchorsHaveNoShare() {
    let recording = Recording.made(
      ranges: (0..<60).map {
        MadeRange(seconds: 0.1 * Double($0), anchor: "A", distance: 2 + 0.01 * Double($0 % 7))
      })
    let link = recording.processed().summary.links.first
    #expect(link?.consistent == nil && link?.score != nil)
  }
}
