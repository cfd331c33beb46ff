import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct JSONLinesTests {
  private static let positionKeys =
    "time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,ranges_used,ranges_rejected,status"

  private func lines(_ text: CSVBuffer) -> [String] {
    String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Checks the exact text; an undetermined number is null.
  @Test func writesPositionLine() {
    var columns = PositionColumns()
    columns.append(
      Timestamp(nanoseconds: 1_500_000_000), "T", Vector([1, -2, 0.00004]),
      Matrix([[1, 2, 3], [2, 4, 5], [3, 5, 6]]), used: 4, rejected: 1, status: .tracking)
    columns.append(
      Timestamp(nanoseconds: -2_250_000_000), "a\"b", .undetermined, .undetermined, used: 0,
      rejected: 2, status: .starting)
    var text = CSVBuffer(rows: 0, of: 0)
    ResultWriter.appendLines(columns, timeDecimals: 2, to: &text)
    #expect(
      lines(text) == [
        #"{"time_s":1.50,"tag":"T","x_m":1.0000,"y_m":-2.0000,"z_m":0.0000,"sxx":1.00000000,"#
          + #""sxy":2.00000000,"sxz":3.00000000,"syy":4.00000000,"syz":5.00000000,"#
          + #""szz":6.00000000,"ranges_used":4,"ranges_rejected":1,"status":"tracking"}"#,
        #"{"time_s":-2.25,"tag":"a\"b","x_m":null,"y_m":null,"z_m":null,"sxx":null,"sxy":null,"#
          + #""sxz":null,"syy":null,"syz":null,"szz":null,"ranges_used":0,"ranges_rejected":2,"#
          + #""status":"starting"}"#,
      ])
  }

  @Test func writesDistanceLine() {
    var columns = DistanceColumns()
    columns.time = [Timestamp(nanoseconds: 125_000_000)]
    columns.tag = ["T"]
    columns.anchor = ["\\"]
    columns.distance = [2.31]
    columns.smoothed = [.nan]
    columns.sigma = [.infinity]
    columns.quality = [.close]
    columns.zone = [.outer]
    columns.azimuth = [-0.5]
    columns.elevation = [.nan]
    columns.decision = [.nonLineOfSight]
    var text = CSVBuffer(rows: 0, of: 0)
    ResultWriter.appendLines(columns, timeDecimals: 3, to: &text)
    #expect(
      lines(text) == [
        #"{"time_s":0.125,"tag":"T","anchor":"\\","distance_m":2.3100,"smoothed_m":null,"#
          + #""sigma_m":null,"quality":"close","zone":"outer","azimuth_rad":-0.500000,"#
          + #""elevation_rad":null,"decision":"nlos"}"#
      ])
  }

  /// Foundation's decoder restores any name.
  @Test func namesRoundTrip() throws {
    var generator = SeededGenerator(seed: 5)
    let scalars: [Unicode.Scalar] = [
      "\"", "\\", "/", "\u{0}", "\n", "\u{1F}", "\u{7F}", "é", "名", "😀", "a",
    ]
    for _ in 0..<500 {
      var name = ""
      for _ in 0..<generator.next() % 12 {
        name.unicodeScalars.append(scalars[Int(generator.next() % UInt64(scalars.count))])
      }
      let found = try JSONDecoder().decode(
        [String].self, from: Data([91] + JSONString.bytes(name) + [93]))
      #expect(found.first.map { Array($0.utf8) } == Array(name.utf8), "seed 5: \(name)")
    }
  }

  /// Compares every row and column with CSV, including extreme and non-finite numbers.
  @Test func numbersMatchCSV() throws {
    var generator = SeededGenerator(seed: 77)
    var columns = PositionColumns()
    func number() -> Double {
      switch generator.next() % 8 {
      case 0: .nan
      case 1: -.infinity
      case 2: 0
      default: Double(bitPattern: generator.next())
      }
    }
    for row in 0..<2000 {
      columns.append(
        Timestamp(nanoseconds: Int64(bitPattern: generator.next())), "tag \(row % 3)",
        Vector([number(), number(), number()]), Matrix(repeating: number()),
        used: Int(truncatingIfNeeded: generator.next()), rejected: row, status: .coasting)
    }
    var text = CSVBuffer(rows: 0, of: 0)
    ResultWriter.appendLines(columns, timeDecimals: 9, to: &text)
    var row = CSVBuffer(rows: 0, of: 0)
    ResultWriter.append(columns, timeDecimals: 9, to: &row)
    let table = String(decoding: row.bytes, as: UTF8.self).split(separator: "\n")
    let keys = Self.positionKeys.split(separator: ",")
    let found = lines(text)
    #expect(found.count == 2000 && table.count == 2000)
    for (line, cells) in zip(found, table) {
      let cells = cells.split(separator: ",", omittingEmptySubsequences: false)
      let members = zip(keys, cells).map { key, cell in
        let isText = key == "tag" || key == "status"
        return "\"\(key)\":" + (isText ? "\"\(cell)\"" : cell.isEmpty ? "null" : String(cell))
      }
      #expect(line == "{\(members.joined(separator: ","))}", "seed 77")
      _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
    }
  }
}
