import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

/// The fast writer of CSV and the columns in memory have the values that the fields declare.
@Suite struct ResultFieldTests {
  private let extra: [ExtraColumns] = [.geodetic, .alternative]

  /// The names and their order are a stable interface.
  @Test func writesStableNames() {
    #expect(
      PositionField.header(with: extra)
        == "time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,ranges_used,ranges_rejected,status,"
        + "latitude_deg,longitude_deg,altitude_m,alt_x_m,alt_y_m,alt_z_m")
    #expect(
      DistanceField.header()
        == "time_s,tag,anchor,distance_m,smoothed_m,sigma_m,quality,zone,azimuth_rad,"
        + "elevation_rad,decision")
    #expect(PositionField.header(with: [.alternative]).hasSuffix(",status,alt_x_m,alt_y_m,alt_z_m"))
  }

  /// Codes rest on the order in which the compiler numbers the cases.
  @Test func codesFollowTheCases() {
    func check<Word: ResultWord>(_: Word.Type) {
      #expect(Word.allCases.map { Int($0.code) } == Array(0..<Word.allCases.count))
      #expect(Word.allCases.allSatisfy { Word(code: $0.code) == $0 })
      #expect(Word(code: UInt8(Word.allCases.count)) == nil)
    }
    check(PositionColumns.Status.self)
    check(DistanceColumns.Decision.self)
    check(DistanceColumns.Zone.self)
    check(MeasurementQuality.self)
    // The table of quality and zone in one field counts on three zones.
    #expect(DistanceColumns.Zone.allCases.count == 3)
  }

  /// Returns the row that the fields declare, written cell by cell.
  private func declared<Field: ResultField>(_ fields: [Field], _ row: Field.Row) -> [String] {
    fields.map { field in
      var cell = CSVBuffer(rows: 1, of: 32)
      switch (field.value(in: row), field.content) {
      case (.time(let time), .time): cell.append(time, decimals: 9)
      case (.name(let index), .name): cell.append("n\(index)")
      case (.number(let number), .number(let decimals)): cell.append(number, decimals: decimals)
      case (.count(let count), .count): cell.append(count)
      case (.word(let code), .word): cell.append(field.words[Int(code)])
      default: Issue.record("\(field.name) has a value of another kind")
      }
      return String(decoding: cell.bytes, as: UTF8.self)
    }
  }

  private func cells(_ text: CSVBuffer) -> [[String]] {
    String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private func positions() -> [PositionRow] {
    var generator = SeededGenerator(seed: 12)
    func number() -> Double {
      generator.next() % 5 == 0 ? .nan : Double(Int64(bitPattern: generator.next()) >> 40) / 1e4
    }
    return PositionColumns.Status.allCases.flatMap { status in
      (0..<50).map { index in
        PositionRow(
          time: Timestamp(nanoseconds: Int64(bitPattern: generator.next()) / 2),
          position: Vector([number(), number(), number()]),
          covariance: Matrix([[3, 1, 0.5], [1, number(), 0.25], [0.5, 0.25, 5]]),
          used: Int(generator.next() % 9), rejected: index,
          alternative: index % 2 == 0 ? nil : Vector([1, -2.5, number()]), status: status)
      }
    }
  }

  @Test func fastRowsOfPositionsFollowTheFields() {
    var recording = Recording.made(anchors: roomAnchors, ranges: [])
    recording.plane = LocalPlane(
      origin: GeodeticPosition(latitude: 48.1, longitude: 11.6, altitude: 520))
    let geodetic = GeodeticColumns(RecordingOutline(recording))
    let writer = CSVPositionRows(geodetic: geodetic, hasAlternative: true)
    let names = FieldTable((0..<3).map { CSVBuffer.field("n\($0)") })
    var times = TimeColumn(decimals: 9)
    var text = CSVBuffer(rows: 0, of: 0)
    let rows = positions()
    for (index, row) in rows.enumerated() {
      writer.append(row, name: index % 3, of: names, &times, to: &text)
    }
    let fields = PositionField.fields(with: extra)
    let expected = rows.enumerated().map { index, row in
      declared(fields, LocatedRow(row, name: index % 3, textWith: geodetic))
    }
    #expect(expected.contains { !$0[15].isEmpty && !$0[16].isEmpty && !$0[17].isEmpty })
    #expect(cells(text) == expected, "seed 12")
  }

  private func distances() -> [DistanceRow] {
    var generator = SeededGenerator(seed: 13)
    func number() -> Double {
      generator.next() % 4 == 0 ? .nan : Double(Int64(bitPattern: generator.next()) >> 44) / 1e5
    }
    var rows: [DistanceRow] = []
    for quality in MeasurementQuality.allCases {
      for zone in DistanceColumns.Zone.allCases {
        for decision in DistanceColumns.Decision.allCases {
          let result = RangeResult(
            smoothed: number(), sigma: number(), quality: quality, zone: zone, decision: decision)
          rows.append(
            DistanceRow(
              time: Timestamp(nanoseconds: Int64(bitPattern: generator.next()) / 2),
              tag: Int32(rows.count % 3), anchor: Int32(rows.count % 2), distance: number(),
              result: result, azimuth: number(), elevation: number()))
        }
      }
    }
    return rows
  }

  @Test func fastRowsOfDistancesFollowTheFields() {
    let names = FieldTable((0..<3).map { CSVBuffer.field("n\($0)") })
    var times = TimeColumn(decimals: 9)
    var text = CSVBuffer(rows: 0, of: 0)
    let writer = CSVDistanceRows()
    for row in distances() { writer.append(row, tags: names, anchors: names, &times, to: &text) }
    #expect(
      cells(text) == distances().map { declared(DistanceField.fields(), $0) }, "seed 13")
  }

  /// Rows come back from memory as they were.
  @Test func columnsInMemoryKeepRows() {
    let rows = positions().enumerated().map { LocatedRow($1, name: $0) }
    let places = ColumnTable<PositionField>(capacity: rows.count)
    for row in rows { places.append(row) }
    #expect(places.count == rows.count)
    #expect(places.fields == PositionField.fields(with: [.alternative]))
    #expect(places.fields.prefix(2).map(\.storedName) == ["time_ns", "tag"])
    for (index, row) in rows.enumerated() {
      #expect(declared(places.fields, places.row(at: index)) == declared(places.fields, row))
      #expect(places.row(at: index).position.covariance[2, 1] == row.position.covariance[2, 1])
    }
    let ranges = ColumnTable<DistanceField>(capacity: distances().count)
    for row in distances() { ranges.append(row) }
    for (index, row) in distances().enumerated() {
      #expect(declared(ranges.fields, ranges.row(at: index)) == declared(ranges.fields, row))
    }
  }
}
