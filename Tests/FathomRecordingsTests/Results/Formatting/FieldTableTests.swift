import Fathom
import Testing

@testable import FathomRecordings

@Suite struct FieldTableTests {
  private func text(_ table: FieldTable, _ places: [Int]) -> String {
    var row = CSVBuffer(rows: 1, of: 0)
    row.writeRow(most: places.count * max(table.longest, 16)) { cursor in
      for place in places { cursor.append(place, of: table) }
    }
    return String(decoding: row.bytes, as: UTF8.self)
  }

  /// Covers lengths around the 16 bytes that are copied as one vector.
  @Test func copiesFieldsOfAnyLength() {
    let fields = (0..<40).map { length in String(repeating: "abcdefg", count: 6).prefix(length) }
    let table = FieldTable(fields.map { Array($0.utf8) })
    #expect(table.count == 40 && table.longest == 40)
    #expect(text(table, Array(0..<40)) == fields.joined(separator: ",") + "\n")
    #expect(text(table, [39, 0, 15, 16]) == "\(fields[39]),,\(fields[15]),\(fields[16])\n")
  }

  @Test func addsEachNameOnce() {
    var names = NameFields()
    #expect(["b", "a,", "b", "", "a,"].map { names.place(of: $0) } == [0, 1, 0, 2, 1])
    #expect(text(names.table, [0, 1, 2]) == "b,\"a,\",\n")
  }

  @Test func writesWordsOfEveryResult() {
    let rows = CSVDistanceRows()
    var times = TimeColumn(decimals: 0)
    let names = FieldTable([[]])
    for quality in MeasurementQuality.allCases {
      for zone in DistanceColumns.Zone.allCases {
        for decision in DistanceColumns.Decision.allCases {
          var row = CSVBuffer(rows: 1, of: 0)
          let result = RangeResult(
            smoothed: 2, sigma: .nan, quality: quality, zone: zone, decision: decision)
          rows.append(
            DistanceRow(
              time: Timestamp(nanoseconds: 0), tag: 0, anchor: 0, distance: 1, result: result),
            tags: names, anchors: names, &times, to: &row)
          #expect(
            String(decoding: row.bytes, as: UTF8.self)
              == "0,,,1.0000,2.0000,,\(quality.word),\(zone.word),,,\(decision.word)\n")
        }
      }
    }
    for status in PositionColumns.Status.allCases {
      var row = CSVBuffer(rows: 1, of: 0)
      CSVPositionRows().append(
        PositionRow(
          time: Timestamp(nanoseconds: 0), position: .zero, covariance: .undetermined, used: 12,
          rejected: 3, status: status), name: 0, of: names, &times, to: &row)
      #expect(
        String(decoding: row.bytes, as: UTF8.self)
          == "0,,0.0000,0.0000,0.0000,,,,,,,12,3,\(status.word)\n")
    }
  }
}
