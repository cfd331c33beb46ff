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

  /// The words and their codes are a stable interface.
  @Test func codesFollowTheCases() {
    func codes<Word: ResultWord>(_: Word.Type) -> [Int] {
      Word.allCases.compactMap { Word(rawValue: $0.rawValue) }.map { Int($0.rawValue) }
    }
    let words = [
      PositionColumns.Status.words, DistanceColumns.Decision.words, DistanceColumns.Zone.words,
      MeasurementQuality.words,
    ]
    #expect(codes(PositionColumns.Status.self) == Array(words[0].indices))
    #expect(codes(DistanceColumns.Decision.self) == Array(words[1].indices))
    #expect(codes(DistanceColumns.Zone.self) == Array(words[2].indices))
    #expect(codes(MeasurementQuality.self) == Array(words[3].indices))
    #expect(PositionColumns.Status(rawValue: 7) == nil)
    #expect(DistanceColumns.Decision(rawValue: 6) == nil)
    #expect(DistanceColumns.Zone(rawValue: 3) == nil && MeasurementQuality(rawValue: 3) == nil)
    #expect(
      words == [
        ["fix", "inconsistent", "ambiguous", "tracking", "coasting", "starting", "relative"],
        ["used", "discounted", "nlos", "starting", "duplicate", "unused"],
        ["inner", "outer", "outside"], ["unknown", "good", "close"],
      ])
    // Each case has the word of its name.
    for status in PositionColumns.Status.allCases { #expect(status.word == "\(status)") }
    for zone in DistanceColumns.Zone.allCases { #expect(zone.word == "\(zone)") }
    for quality in MeasurementQuality.allCases { #expect(quality.word == "\(quality)") }
    for decision in DistanceColumns.Decision.allCases where decision != .nonLineOfSight {
      #expect(decision.word == "\(decision)")
    }
    #expect(DistanceColumns.Decision.nonLineOfSight.word == "nlos")
    // The table of quality and zone in one field counts on three zones.
    #expect(DistanceColumns.Zone.allCases.count == 3)
  }

  /// Returns the row that the fields declare, written cell by cell.
  private func declared<Field: ResultField>(_ fields: [Field], _ row: Field.Row) -> [String] {
    fields.map { field in
      var cell = CSVBuffer(rows: 1, of: 32)
      let column = field.column
      switch (field.value(in: row), column.content) {
      case (.time(let time), .time): cell.append(time, decimals: 9)
      case (.name(let index), .name): cell.append("n\(index)")
      case (.number(let number), .number(let decimals)): cell.append(number, decimals: decimals)
      case (.count(let count), .count): cell.append(count)
      case (.word(let code), .word): cell.append(column.words[Int(code)])
      default: Issue.record("\(column.name) has a value of another kind")
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
    #expect(places.fields.prefix(2).map(\.column.storedName) == ["time_ns", "tag"])
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
