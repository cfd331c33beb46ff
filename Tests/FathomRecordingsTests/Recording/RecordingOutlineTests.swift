import Fathom
import FathomEvaluation
import Testing

@testable import FathomRecordings

@Suite struct RecordingOutlineTests {
  private func rows(at seconds: [Double], tags: [String]? = nil, rateHz: Double) -> Double {
    let ranges = seconds.enumerated().map { index, seconds in
      MadeRange(seconds: seconds, tag: tags?[index] ?? "T", anchor: "A", distance: 2)
    }
    return RecordingOutline(.made(anchors: roomAnchors, ranges: ranges)).gridRows(rateHz)
  }

  /// Time with ranges counts, and up to ten seconds of each gap, separately for each tag.
  @Test func countsPositionsDuringRanges() {
    #expect(rows(at: [], rateHz: 10) == 0 && rows(at: [5], rateHz: 10) == 0)
    #expect(rows(at: [5, 6, 8], rateHz: 10) == 30)
    // A damaged time stamp, years away, counts for ten seconds.
    #expect(rows(at: [5, 6, 1e9], rateHz: 10) == 110)
    #expect(rows(at: [-9e9, 9e9], rateHz: 0.5) == 5)
    // T spans 3 s and U 4 s, both counted from the first row of the file.
    let tags = ["T", "U", "T", "U"]
    #expect(rows(at: [0, 1, 3, 5], tags: tags, rateHz: 2) == 14)
  }

  /// Rows in any order count for no more time than from the first to the last of them.
  @Test func unorderedRowsCountNoExtraTime() {
    #expect(rows(at: [8, 6, 5], rateHz: 10) == 30)
    #expect(rows(at: [0, 4, 1, 3, 2, 4, 0], rateHz: 10) == 40)
  }

  /// The count approximates the number of positions written, whatever the ranges.
  @Test(arguments: [UInt64(1), 2, 3])
  func countMatchesPositionsWritten(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var ranges: [MadeRange] = []
    var seconds = 0.0
    var gaps = 0
    for index in 0..<400 {
      let isGap = Int.random(in: 0..<50, using: &generator) == 0
      gaps += isGap ? 1 : 0
      seconds += Double.random(in: 0..<(isGap ? 30 : 0.2), using: &generator)
      let anchor = roomAnchors[index % roomAnchors.count]
      ranges.append(
        MadeRange(
          seconds: seconds, tag: ["T", "U"][index / 4 % 2], anchor: anchor.name,
          distance: (anchor.anchor.position - Vector([3, 2, 1])).length))
    }
    let recording = Recording.made(anchors: roomAnchors, ranges: ranges)
    var settings = ProcessingSettings()
    settings.rateHz = 5
    let written = recording.processed(with: settings).positions.count
    let counted = RecordingOutline(recording).gridRows(5)
    // A span of the grid has one position more than steps: at the end of each tag and before each
    // gap.
    #expect(Double(written) <= counted + Double(2 + 2 * gaps), "seed \(seed)")
    #expect(Double(written) > 0.5 * counted, "seed \(seed)")
  }

  @Test func limitsGridRows() {
    typealias Limits = RecordingLimits
    let free = Double(Limits.freeGridRows)
    #expect(Limits.reasonTooMany(gridRows: free, of: 1) == nil)
    #expect(Limits.reasonTooMany(gridRows: free + 1, of: 100_001) == nil)
    #expect(Limits.reasonTooMany(gridRows: 10_000_100, of: 100_001) == nil)
    #expect(
      Limits.reasonTooMany(gridRows: 10_000_101, of: 100_001)
        == "the rate gives 10000101 positions for 100001 ranges, more than 100 per range; use a"
        + " lower --rate")
    #expect(Limits.reasonTooMany(gridRows: .infinity, of: 1) != nil)
  }
}
