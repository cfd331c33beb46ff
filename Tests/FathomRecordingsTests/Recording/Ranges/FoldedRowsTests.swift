import FathomEvaluation
import Testing

@testable import FathomRecordings

/// Tables whose rows stand for several measurements each.
@Suite struct FoldedRowsTests {
  private let walk = SimulatedWalk()

  /// Returns the table of the walk with lists in its cells, in one of some spellings.
  private func lines(_ rounds: Int, _ spelling: Int) -> (header: String, rows: [String]) {
    let rows = (0..<rounds).map { round in
      let ranges = walk.round(round)
      func list(_ parts: [String], _ separator: String, _ around: (String, String)) -> String {
        around.0 + parts.joined(separator: separator) + around.1
      }
      let names = ranges.map(\.name)
      let distances = ranges.map { "\($0.distance)" }
      let time = "\(Double(round) / 10)"
      return switch spelling {
      case 0:
        "\(time),\(list(names, ", ", ("\"[", "]\""))),\(list(distances, ", ", ("\"[", "]\"")))"
      case 1: "\(time),\(list(names, ";", ("", ""))),\(list(distances, ";", ("", "")))"
      case 2:
        "\(time),\(list(names.map { "'\($0)'" }, " ", ("[", "]"))),\(list(distances, " ", ("[", "]")))"
      default:
        "\(time),"
          + list(zip(names, distances).map { "'\($0)': \($1)" }, ", ", ("\"{", "}\""))
      }
    }
    return (spelling == 3 ? "time,ranges\n" : "time,anchors,ranges\n", rows)
  }

  @Test(arguments: 0..<4, [5, 150, 250]) func findsPositions(_ spelling: Int, _ rounds: Int) throws
  {
    var walk = walk
    walk.rounds = rounds
    let (header, rows) = lines(rounds, spelling)
    try walk.expectPositions(header + rows.map { $0 + "\n" }.joined(), file: "walk.csv")
  }

  /// One damaged row of five costs that row.
  @Test(arguments: 0..<4) func readsShortTablesWithADamagedRow(_ spelling: Int) throws {
    let (header, rows) = lines(5, spelling)
    for damaged in 0..<5 {
      for length in [0, 4, rows[damaged].utf8.count / 3, rows[damaged].utf8.count / 2] {
        var copy = rows
        copy[damaged] = String(copy[damaged].prefix(length))
        let file = try RangesReader.read(
          StoredInput(
            path: "walk.csv", bytes: Array((header + copy.map { $0 + "\n" }.joined()).utf8)),
          options: RecordingOptions(), declared: [])
        #expect(file.rowsRead == file.ranges.count + file.events.count + file.rejected.total)
        #expect(file.ranges.count >= 16, "\(copy[damaged])")
        #expect(file.rejected.total == (length == 0 ? 0 : 1), "\(copy[damaged])")
        for row in file.rejected { #expect(row.line == damaged + 2, "\(row.reason)") }
      }
    }
  }

  /// Each line of a damaged table is used, rejected on its line, or blank.
  @Test func accountsForDamagedRows() throws {
    var generator = SeededGenerator(seed: 23)
    let (header, rows) = lines(230, 0)
    let lines = rows.map { Array($0.utf8) }
    for trial in 0..<50 {
      let lines = lines.prefix(trial % 2 == 0 ? lines.count : 20)
      var text = Array(header.utf8)
      for var line in lines {
        if Int.random(in: 0..<5, using: &generator) == 0 {
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
