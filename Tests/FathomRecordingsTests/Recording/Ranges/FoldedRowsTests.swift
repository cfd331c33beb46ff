import FathomEvaluation
import Testing

@testable import FathomRecordings

/// Tables whose rows stand for several measurements each.
@Suite struct FoldedRowsTests {
  private let walk = SimulatedWalk()

  /// Each line of a damaged table is used, rejected on its line, or blank; the first 200 lines, by which lists
  /// are recognised, are whole.
  @Test func accountsForDamagedRows() throws {
    var generator = SeededGenerator(seed: 23)
    let lines = (0..<230).map { round in
      let ranges = walk.round(round)
      let names = ranges.map(\.name).joined(separator: ", ")
      let distances = ranges.map { "\($0.distance)" }.joined(separator: ", ")
      return Array("\(Double(round) / 10),\"[\(names)]\",\"[\(distances)]\"".utf8)
    }
    for _ in 0..<50 {
      var text = Array("time,anchors,ranges\n".utf8)
      for (number, var line) in lines.enumerated() {
        if number > 200, Int.random(in: 0..<4, using: &generator) == 0 {
          let place = Int.random(in: line.indices, using: &generator)
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: line[place] = .random(in: 0x20...0x7E, using: &generator)
          case 1: line.remove(at: place)
          default: line.insert(contentsOf: Array("],".utf8), at: place)
          }
        }
        text += line + [UInt8(ascii: "\n")]
      }
      let file = try RangesReader.read(
        StoredInput(path: "walk.csv", bytes: text), options: RecordingOptions(), declared: [])
      #expect(file.rowsRead == file.ranges.count + file.events.count + file.rejected.total)
      #expect(file.ranges.count > lines.count)
      for row in file.rejected { #expect(!row.reason.isEmpty && row.line <= lines.count + 1) }
    }
  }
}
