import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RecordingInspectionTests {
  private func inspect(_ text: String) throws -> RecordingInspection {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(text.utf8).write(to: file)
    return try RecordingInspection(path: file.path(percentEncoded: false))
  }

  @Test func reportsLayout() throws {
    let inspection = try inspect("time [ms];tag;distance;azimuth_deg;RSSI;mood\n1;T;2;3;-80;good\n")
    #expect(inspection.format == .csv)
    #expect(inspection.delimiter == .semicolon)
    #expect(
      inspection.columns == [
        .init(name: "time [ms]", meaning: "time_s", unit: "ms"),
        .init(name: "tag", meaning: "tag", unit: nil),
        .init(name: "distance", meaning: "distance_m", unit: "m"),
        .init(name: "azimuth_deg", meaning: "azimuth_rad", unit: "deg"),
        .init(name: "RSSI", meaning: "rssi_dbm", unit: "dBm"),
        .init(name: "mood", meaning: nil, unit: nil),
      ])
  }

  @Test func measuresLinksInOrderOfTime() throws {
    let inspection = try inspect(
      """
      time,tag,anchor,distance,event
      0.0,T,A,1,
      0.1,T,A,1,
      0.1,T,B,7,
      0.4,T,A,3,
      0.2,T,A,2,
      0.2,T,A,2,
      0.2,T,A,5,
      0.2,T,A,2,
      1.0,T,A,,stopped
      1.0,U,A,4,
      """)
    #expect(inspection.rowsRead == 10)
    #expect(inspection.ranges == 9)
    #expect(inspection.events == 1)
    #expect(inspection.tags == ["T", "U"])
    #expect(inspection.firstTime == 0)
    #expect(inspection.lastTime == 1)
    // The four rows at 0.2 follow the one at 0.4.
    #expect(inspection.outOfOrder == 4)
    #expect(inspection.links.map(\.anchor) == ["A", "B", "A"])
    let link = inspection.links[0]
    #expect(link.ranges == 7)
    // Instants 0, 0.1, 0.2, 0.4: intervals 0.1, 0.1, 0.2.
    #expect(isClose(try #require(link.medianRate), 10, within: 1e-12))
    #expect(link.longestGap == 0.2)
    // Only the step from 0 to 0.1 keeps the distance.
    #expect(isClose(try #require(link.heldShare), 1.0 / 3, within: 1e-15))
    // The second and the third distance 2 at 0.2.
    #expect(link.exactDuplicates == 2)
    #expect(inspection.links[1].medianRate == nil)
    #expect(inspection.links[1].longestGap == nil)
    #expect(inspection.links[1].heldShare == nil)
  }

  @Test func countsRejectedRowsByReason() throws {
    let inspection = try inspect(
      "time,distance\n1,-1\n2,x\n3,-2\n4\n5,\"1,5\"\n6,2\n")
    #expect(
      inspection.rejected == [
        .init(reason: "distance is negative", rows: 2, firstLine: 2),
        .init(reason: "distance is not a number", rows: 2, firstLine: 3),
        .init(reason: "row has 1 field, the header has 2", rows: 1, firstLine: 5),
      ])
  }

  @Test func inspectsRecordingWithoutRanges() throws {
    let inspection = try inspect("time,distance\n")
    #expect(inspection.links.isEmpty)
    #expect(inspection.firstTime == nil && inspection.lastTime == nil)
  }

  @Test func jsonRoundTrips() throws {
    let inspection = try inspect("time,distance\n1,2\n2,2\n3,x\n")
    let data = try JSONEncoder().encode(inspection)
    #expect(try JSONDecoder().decode(RecordingInspection.self, from: data) == inspection)
    let text = String(decoding: data, as: UTF8.self)
    for key in ["rows_read", "median_rate_hz", "held_share", "first_time_s", "first_line"] {
      #expect(text.contains("\"\(key)\""))
    }
  }
}
