import Testing

@testable import FathomRecordings

@Suite struct RecordingInfoTests {
  private func read(_ text: String) throws(RecordingError) -> RecordingInfo {
    try settings(in: text, path: "recording.json", RecordingInfo.init)
  }

  /// Returns a file with a floor plan.
  private static func plan(_ picture: String, _ scale: String, _ origin: String) -> String {
    "{\"floor_plan\": {\"picture\": \(picture), \"metres_per_pixel\": \(scale), \"origin_m\": \(origin)}}"
  }

  @Test func readsEveryKey() throws {
    let info = try read(
      """
      {"height_m": 1.25, "height_sigma_m": 0.2, "side": "below", "bounds_m": [[0, -1, 0], [9, 8, 2.5]],
       "device_frame": "robot", "heading_sigma_rad": 0.1, "truth_time_offset_s": -0.2, "truth_offset_m": [0.1, 0, 1],
       "floor_plan": {"picture": "plan.png", "metres_per_pixel": 0.02, "origin_m": [-1, 2.5]},
       "notes": "by hand", "weather": "rain", "operator": null}
      """)
    #expect(info.facts.heightM == 1.25 && info.facts.heightSigmaM == 0.2)
    #expect(info.facts.side == .below)
    #expect(info.facts.boundsM == [[0, -1, 0], [9, 8, 2.5]])
    #expect(info.facts.deviceFrame == .robot && info.facts.headingSigmaRad == 0.1)
    #expect(info.truthTimeOffset == -0.2)
    #expect(info.truthOffset == [0.1, 0, 1])
    #expect(
      info.floorPlan
        == PicturePlacement(picture: "plan.png", metresPerPixel: 0.02, originM: [-1, 2.5]))
    #expect(info.remarks == "by hand")
    #expect(info.unknownKeys == ["operator", "weather"])
  }

  @Test func everyKeyIsOptional() throws {
    #expect(try read("{\"height_sigma_m\": null}") == RecordingInfo())
    #expect(try read("{}") == RecordingInfo())
    #expect(try read("{\"side\": \"above\", \"height_m\": 1}").facts.side == .above)
    #expect(
      try read("\u{FEFF}{\"height_m\": null, \"side\": null, \"truth_offset_m\": null}")
        == RecordingInfo())
  }

  @Test(arguments: [
    ("", "the file is not JSON"), ("{\n\"height_m\": ,}", "the file is not JSON: "),
    ("[]", "not a JSON object"),
    ("3", "not a JSON object"), ("{\"height_m\": \"1\"}", "height_m is not a number"),
    ("{\"height_m\": true}", "height_m is not a number"),
    ("{\"height_m\": 1e999}", "the file is not JSON"), ("{\"notes\": 3}", "notes is not a string"),
    ("{\"height_sigma_m\": 0}", "height_sigma_m must be from 1e-06 to 1000000000"),
    ("{\"height_sigma_m\": 1}", "height_sigma_m needs height_m"),
    ("{\"height_m\": null, \"height_sigma_m\": 1}", "height_sigma_m needs height_m"),
    ("{\"height_m\": 1000000000.0000001}", "height_m must be from -1000000000 to 1000000000"),
    ("{\"height_sigma_m\": \"1\"}", "height_sigma_m is not a number"),
    ("{\"side\": \"left\"}", "side must be above or below, not \"left\""),
    ("{\"side\": \"Below\"}", "side must be above or below, not \"Below\""),
    ("{\"side\": \"\"}", "side must be above or below, not \"\""),
    ("{\"side\": -1}", "side is not a string"),
    ("{\"bounds_m\": [[0, 0, 0]]}", "bounds_m must be the least x,y,z"),
    ("{\"bounds_m\": [[0, 0], [1, 1, 1]]}", "bounds_m must be the least x,y,z"),
    ("{\"bounds_m\": [[2, 0], [1, 1]]}", "bounds_m must be the least x,y,z"),
    ("{\"bounds_m\": [[0, 0], [1e10, 1]]}", "bounds_m must be from -1000000000 to 1000000000"),
    ("{\"device_frame\": \"boat\"}", "device_frame must be phone or robot, not \"boat\""),
    ("{\"device_frame\": 1}", "device_frame is not a string"),
    ("{\"heading_sigma_rad\": 0}", "heading_sigma_rad must be from 1e-06 to 3.14159"),
    ("{\"heading_sigma_rad\": 4}", "heading_sigma_rad must be from 1e-06 to 3.14159"),
    ("{\"heightM\": 1}", "\"heightM\" is not a known key: write height_m"),
    ("{\"zones\": 3}", "zones is not an object"),
    (plan("\"\"", "0.1", "[0, 0]"), "floor_plan.picture is empty"),
    (plan("\"a\"", "0", "[0, 0]"), "floor_plan.metres_per_pixel must be from 1e-06 to 1000"),
    (plan("\"a\"", "1", "[0]"), "floor_plan.origin_m must be two numbers: x, y"),
    (plan("\"a\"", "1", "[0, 1e10]"), "floor_plan.origin_m must be from -1000000000 to 1000000000"),
    (plan("3", "1", "[0, 0]"), "floor_plan.picture is not a string"),
    ("{\"truth_offset_m\": [1, 2]}", "truth_offset_m must be three numbers"),
    ("{\"truth_offset_m\": [1, 2, \"x\"]}", "truth_offset_m[2] is not a number"),
  ])
  func invalidFileThrows(_ text: String, _ expected: String) {
    expectRefused(text, path: "recording.json", expected, RecordingInfo.init)
  }
}
