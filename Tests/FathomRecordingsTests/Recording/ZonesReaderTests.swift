import Foundation
import Testing

@testable import FathomRecordings

@Suite struct ZonesReaderTests {
  private func read(_ text: String) throws(RecordingError) -> ZoneSettings {
    try settings(in: text, path: "zones.json", ZonesReader.read)
  }

  private static let area = #"{"name": "a", "corners_m": [[0, 0], [1, 0], [0, 1.5]]}"#

  @Test func readsEveryKey() throws {
    let zones = try read(
      #"{"margin_m": 0.5, "dwell_s": 2, "confidence": 0.9, "forget_after_s": 60, "areas": ["#
        + #"{"name": "a", "corners_m": [[0, 0], [1, 0], [0, 1]], "heights_m": [0, 2.5]}]}"#)
    var expected = ZoneSettings(areas: [
      ZoneSettings.Area(name: "a", cornersM: [[0, 0], [1, 0], [0, 1]], heightsM: [0, 2.5])
    ])
    (expected.marginM, expected.dwellS) = (0.5, 2)
    (expected.confidence, expected.forgetAfterS) = (0.9, 60)
    #expect(zones == expected)
    #expect(zones.positionZones?.margin == 0.5 && zones.positionZones?.forgetAfter == 60)
  }

  @Test func rulesAreOptional() throws {
    let zones = try read("{\"areas\": [\(Self.area)]}")
    #expect(
      zones
        == ZoneSettings(areas: [
          ZoneSettings.Area(name: "a", cornersM: [[0, 0], [1, 0], [0, 1.5]])
        ]))
    // The defaults are those of the engine.
    let rules = try #require(zones.positionZones)
    #expect(rules.margin == 0.2 && rules.dwell == 0.5 && rules.forgetAfter == 10)
    #expect(rules.confidence == 0.95)
  }

  @Test func readsZonesFromRecordingJSON() throws {
    let text = "{\"height_m\": 1, \"odd_key\": 2, \"zones\": {\"areas\": [\(Self.area)]}}"
    #expect(try read(text).areas.count == 1)
    let info = try settings(in: text, path: "recording.json", RecordingInfo.init)
    #expect(info.facts.zones?.areas.map(\.name) == ["a"] && info.unknownKeys == ["odd_key"])
    let none = try settings(in: "{\"zones\": null}", path: "r", RecordingInfo.init)
    #expect(none.facts.zones == nil)
  }

  /// Zones in a summary can be read back.
  @Test func zonesRoundTripThroughSummary() throws {
    let zones = try read("{\"dwell_s\": 0, \"areas\": [\(Self.area)]}")
    let text = ResultWriter.json(zones, formatting: [])
    #expect(text.contains("\"forget_after_s\":10") && text.contains("\"corners_m\""))
    #expect(try read(text) == zones)
  }

  @Test(arguments: [
    ("", "not JSON"), ("[]", "not a JSON object"), ("{}", "areas is missing"),
    ("{\"areas\": 3}", "areas is not a list"),
    ("{\"areas\": [{\"name\": \"a\"}]}", "areas[0].corners_m is missing"),
    ("{\"dwel_s\": 3, \"areas\": []}", "dwel_s is not a known key"),
    (
      "{\"areas\": [{\"name\": \"a\", \"corners_m\": [], \"height\": 1}]}",
      "areas[0].height is not a known key"
    ),
    (
      "{\"zones\": {\"areas\": [{\"name\": 1, \"corners_m\": []}]}}",
      "zones.areas[0].name is not a string"
    ),
    ("{\"margin_m\": -1, \"areas\": []}", "zones: margin_m is out of range"),
    ("{\"confidence\": 1, \"areas\": []}", "confidence must be from 0 to below 1"),
    ("{\"forget_after_s\": 0, \"areas\": []}", "forget_after_s is out of range"),
    (
      "{\"areas\": [{\"name\": \"a\", \"corners_m\": [[0, 0], [1, 1]]}]}",
      "zone \"a\": there are fewer than three corners"
    ),
    (
      "{\"areas\": [{\"name\": \"a\", \"corners_m\": [[0, 0], [1, 1], [2, 2]]}]}",
      "zone \"a\": the corners enclose no area"
    ),
    (
      "{\"areas\": [{\"name\": \"a\", \"corners_m\": [[0, 0], [1, 1], [2]]}]}",
      "zone \"a\": a corner must have two numbers"
    ),
    (
      "{\"areas\": [{\"name\": \"a\", \"corners_m\": [[0, 0], [1e10, 1], [2, 5]]}]}",
      "zone \"a\": a number is out of range"
    ),
    (
      "{\"areas\": [{\"name\": \"a\", \"corners_m\": [[0, 0], [1, 0], [0, 1]],"
        + " \"heights_m\": [2, 1]}]}", "zone \"a\": heights_m must have two numbers"
    ),
    ("{\"areas\": [{\"name\": \"\", \"corners_m\": []}]}", "the name of a zone is empty"),
  ])
  func invalidFileThrows(_ text: String, _ expected: String) {
    expectRefused(text, path: "zones.json", expected, ZonesReader.read)
  }

  @Test func rejectsDuplicateZoneNames() {
    #expect(throws: RecordingError.self) { try read("{\"areas\": [\(Self.area), \(Self.area)]}") }
  }
}
