import FathomEvaluation
import Foundation
import TestSupport
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

  /// Lists without names are distances to the anchors 0, 1, ...
  @Test(arguments: ["timestamp,ranges", "timestamp,distances_cm"])
  func numberedLists(_ header: String) throws {
    var walk = walk
    walk.names = walk.names.indices.map { "A\($0)" }
    let scale = header.hasSuffix("cm") ? 100.0 : 1
    let recording = try walk.expectPositions(
      header + "\n"
        + walk.roundLines { round in
          "\(round[0].seconds),[\(round.map { "\(scale * $0.distance)" }.joined(separator: " "))]"
        }, file: "walk.csv")
    #expect(recording?.notes.contains { $0.contains("anchors 0, 1, ... in this order") } == true)
  }

  @Test(arguments: [
    "time,dist\n1,[2 3]\n", "time,anchor,range\n1,A,[2 3 4]\n", "time,ranges\n1,[2 x]\n",
  ])
  func leavesOtherLists(_ text: String) {
    #expect(FoldedRows(Array(text.utf8), options: RecordingOptions()) == nil)
  }

  @Test(arguments: [("A_ns,B_ns,C_ns", 1e9), ("A [us],B [us],C [us]", 1e6), ("A,B,C", 1)])
  func arrivalsInOtherUnits(_ names: String, _ perSecond: Double) throws {
    let rows = (0..<20).map { row in
      let arrivals = [0.0, 10e-9, -20e-9].map { (10 + 0.1 * Double(row) + $0) * perSecond }
      return "\(row),\(arrivals.map { "\($0)" }.joined(separator: ","))\n"
    }
    let folded = try #require(
      FoldedRows(
        Array("seq,\(names)\n\(rows.joined())".utf8), options: RecordingOptions()))
    let objects = try folded.objects(
      of: StoredInput(path: "a.csv", bytes: Array("seq,\(names)\n\(rows.joined())".utf8)))
    let tables = try JSONTables(objects)
    let table = try #require(tables.source(.differences))
    let first = String(decoding: table.bytes, as: UTF8.self).split(separator: "\n")[1]
    let cells = first.split(separator: ",")
    #expect(cells[1] == "B" && cells[2] == "A" && Double(cells[0]) == 10)
    // 10 ns of light; a double of 10 s resolves 0.5 mm.
    #expect(abs((Double(cells[3]) ?? 0) - 2.997) < 0.01)
  }

  @Test func timeDifferencesInAFileOfTheirOwn() throws {
    let text = "t_tdoa,idA,idB,tdoa_meas\n0.1,0,1,-0.5\n0.2,1,2,0.75\n0.3,0,2,-0.25\n"
    var options = RecordingOptions()
    #expect(FoldedRows(Array(text.utf8), options: options) == nil)
    options.columns = [
      "time": "t_tdoa", "anchor_a": "idB", "anchor_b": "idA", "difference": "tdoa_meas",
    ]
    try withTemporaryFolder { folder in
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/t.csv"))
      try Data("id,x,y\n0,0,0\n1,4,0\n2,0,3\n".utf8).write(
        to: URL(filePath: "\(folder)/anchors.csv"))
      let recording = try RecordingReader.read(
        "\(folder)/t.csv", anchors: nil, options: options)
      #expect(recording.sensors.onlyDifferences?.count == 3 && recording.ranges.count == 0)
    }
    #expect(
      FoldedRows(
        Array("time_s,anchor_a,anchor_b,difference_m\n1,A,B,2\n".utf8), options: RecordingOptions())
        != nil)
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
