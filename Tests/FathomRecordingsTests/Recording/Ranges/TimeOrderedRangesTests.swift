import Fathom
import FathomEvaluation
import Testing

@testable import FathomRecordings

@Suite struct TimeOrderedRangesTests {
  /// Returns ranges that are late by up to `lateness` seconds, many of them simultaneous.
  private func ranges(_ count: Int, lateness: Double, seed: UInt64) -> RangeColumns {
    var generator = SeededGenerator(seed: seed)
    return Recording.made(
      ranges: (0..<count).map { index in
        let late = generator.uniform(in: 0...1) < 0.3 ? generator.uniform(in: 0...lateness) : 0
        return MadeRange(
          seconds: (4 * (0.05 * Double(index) - late)).rounded() / 4, anchor: "A",
          distance: Double(index + 1))
      }
    ).ranges
  }

  private func text(_ ranges: RangeColumns) -> [UInt8] {
    let rows = (0..<ranges.count).map { "\(ranges.time[$0].seconds),A,\(ranges.distance[$0])\n" }
    return Array(("time_s,anchor,distance_m\n" + rows.joined()).utf8)
  }

  @Test(arguments: [UInt64(1), 2], [0.0, 0.5, 20, 1000])
  func joinedTablesAreSorted(seed: UInt64, lateness: Double) throws {
    let columns = ranges(2000, lateness: lateness, seed: seed)
    let expected = columns.gathered((columns.orderByTime() ?? Array(0..<2000))[...])
    var outline = RecordingOutline(metadata: Recording(name: "walk"))
    let input = StoredInput(path: "walk.csv", bytes: text(columns))
    func reader() throws(RecordingError) -> RangesReader {
      try RangesReader(input, options: RecordingOptions(), declared: [], blockSize: 512)
    }
    var first = try reader()
    while let table = try first.next() { outline.add(table) }

    var found = RangeColumns()
    var most = 0
    var ordered = try TimeOrderedRanges(
      reader(), lateness: outline.greatestLateness,
      most: (outline.tagNames.count, outline.anchorNames.count))
    while let table = try ordered.next() {
      found.append(contentsOf: table)
      most = max(most, table.count)
    }
    #expect(found.time == expected.time)
    #expect(found.distance == expected.distance)
    // With a lateness of half a second, only ranges of about half a second are buffered.
    if lateness == 0.5 { #expect(most < 400) }
  }
}
