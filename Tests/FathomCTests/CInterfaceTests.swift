import CFathom
import Fathom
import FathomC
import FathomRecordings
import Foundation
import TestSupport
import Testing

@Suite("The C interface", .releaseOnly)
struct CInterfaceTests {
  static let datasets = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Datasets").standardizedFileURL.path(percentEncoded: false)
  static let recordings = ["robot-2d", "drone-3d", "phone-accessory"]

  /// A status that is not the expected one.
  struct Refused: Error, CustomStringConvertible {
    var status: Int32
    var description: String
  }

  private func check(_ status: Int32) throws {
    if status != 0 {
      throw Refused(status: status, description: String(cString: fathom_last_error()))
    }
  }

  private func read(_ name: String) throws -> OpaquePointer {
    var recording: OpaquePointer?
    try check(fathom_recording_read("\(Self.datasets)/\(name)", nil, nil, &recording))
    return try #require(recording)
  }

  private func text(_ recording: OpaquePointer, _ settings: String, _ table: Int32) throws -> String
  {
    var result: OpaquePointer?
    try check(fathom_process(recording, settings, nil, nil, &result))
    defer { fathom_result_free(result) }
    var bytes: UnsafeMutablePointer<CChar>?
    try check(fathom_result_text(result, table, &bytes, nil))
    defer { fathom_text_free(bytes) }
    return String(cString: try #require(bytes))
  }

  @Test(
    "Results are byte for byte the files of a batch", arguments: recordings, PositionMethod.allCases
  )
  func sameAsBatch(name: String, method: PositionMethod) async throws {
    let recording = try read(name)
    defer { fathom_recording_free(recording) }
    let json = "{\"method\": \"\(method.rawValue)\"}"
    try await withTemporaryFolder { (folder: String) async throws in
      var settings = ProcessingSettings()
      settings.method = method
      let batch = RecordingBatch(settings: settings, output: folder)
      try await batch.process("\(Self.datasets)/\(name)")
      for (table, ending) in [(FATHOM_POSITIONS, "positions"), (FATHOM_DISTANCES, "distances")] {
        let file = try String(contentsOfFile: "\(folder)/\(name).\(ending).csv", encoding: .utf8)
        let same = try text(recording, json, Int32(table)) == file
        #expect(same, "\(name) \(method) \(ending)")
      }
    }
  }

  @Test("Rows in memory give the results of the file", arguments: recordings)
  func roundTrip(name: String) throws {
    let recording = try read(name)
    defer { fathom_recording_free(recording) }
    var ranges = fathom_ranges()
    var anchors = fathom_anchors()
    try check(fathom_recording_ranges(recording, &ranges))
    try check(fathom_recording_anchors(recording, &anchors))
    let info = "\(Self.datasets)/\(name)/recording.json"
    let metadata = try String(contentsOfFile: info, encoding: .utf8)
    var again: OpaquePointer?
    try check(fathom_recording_create(name, &ranges, &anchors, metadata, &again))
    defer { fathom_recording_free(again) }
    let copy = try #require(again)
    for table in [FATHOM_POSITIONS, FATHOM_DISTANCES, FATHOM_REJECTED] {
      let same = try text(recording, "", Int32(table)) == text(copy, "", Int32(table))
      // Attitudes are in a file of their own.
      if name != "phone-accessory" || Int32(table) != Int32(FATHOM_POSITIONS) { #expect(same) }
    }
  }

  @Test("Rows that cannot be used are rejected with the reasons of the reader")
  func rejectedRows() throws {
    let times: [Double] = [0, .nan, 2, 3, 4, 5]
    let anchorCodes: [Int32] = [0, 0, 1, 0, 7, 2]
    let distances: [Double] = [1, 1, 1, -1, 1, 1]
    let text = try withNames(["A", "B", "C"]) { names -> String in
      var ranges = fathom_ranges()
      ranges.count = 6
      return try times.withUnsafeBufferPointer { times in
        try anchorCodes.withUnsafeBufferPointer { codes in
          try distances.withUnsafeBufferPointer { distances in
            (ranges.time_s, ranges.distance_m) = (times.baseAddress, distances.baseAddress)
            (ranges.anchor, ranges.anchor_count, ranges.anchor_name) = (codes.baseAddress, 3, names)
            let places: [Double] = [0, 5]
            return try places.withUnsafeBufferPointer { places in
              var anchors = fathom_anchors()
              anchors.count = 2
              anchors.name = names
              (anchors.x_m, anchors.y_m) = (places.baseAddress, places.baseAddress)
              var recording: OpaquePointer?
              try check(fathom_recording_create("rows", &ranges, &anchors, nil, &recording))
              defer { fathom_recording_free(recording) }
              return try self.text(try #require(recording), "", Int32(FATHOM_REJECTED))
            }
          }
        }
      }
    }
    #expect(
      text == """
        line,column,reason,text
        3,time_s,time_s is missing,"nan,,A,1.0"
        5,distance_m,distance_m is negative: -1.0,"3.0,,A,-1.0"
        6,anchor,anchor is missing,"4.0,,,1.0"
        7,anchor,"the anchor is not declared: ""C\""","5.0,,C,1.0"

        """)
  }

  private func withNames<Result>(
    _ names: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> Result
  ) throws -> Result {
    let pointers = names.map { UnsafePointer<CChar>(strdup($0)) }
    defer { for pointer in pointers { free(UnsafeMutableRawPointer(mutating: pointer)) } }
    return try pointers.withUnsafeBufferPointer { try body(try #require($0.baseAddress)) }
  }

  @Test("Exported Arrow columns are those of the result and outlive it")
  func arrow() throws {
    let recording = try read("robot-2d")
    defer { fathom_recording_free(recording) }
    var result: OpaquePointer?
    try check(fathom_process(recording, nil, nil, nil, &result))
    var positions = fathom_positions()
    try check(fathom_result_positions(result, &positions))
    var schema = ArrowSchema()
    var rows = ArrowArray()
    try check(fathom_result_arrow(result, Int32(FATHOM_POSITIONS), &schema, &rows))
    let column = try #require(rows.children?[2]?.pointee.buffers?[1])
    #expect(column == UnsafeRawPointer(positions.x_m))
    let last = Int(positions.count) - 1
    let x = positions.x_m[last]
    fathom_result_free(result)
    #expect(column.assumingMemoryBound(to: Double.self)[last] == x)
    #expect(String(cString: try #require(schema.children?[2]?.pointee.name)) == "x_m")
    rows.release(&rows)
    schema.release(&schema)
    #expect(rows.release == nil && schema.release == nil)
  }

  @Test("A batch of epochs has the positions of LikelihoodBatch")
  func locate() throws {
    let places: [Vector<3>] = [
      Vector([0, 0, 3]), Vector([8, 0, 2]), Vector([8, 6, 3]), Vector([0, 6, 2]),
      Vector([4, 3, 0]),
    ]
    var rows: [Double] = []
    for epoch in 0..<5000 {
      let position = Vector([Double(epoch % 8), Double(epoch % 6), 1 + Double(epoch % 3) / 10])
      for (index, place) in places.enumerated() {
        rows.append((position - place).length + Double((epoch * 7 + index * 3) % 11) / 100)
      }
    }
    let expected = try LikelihoodBatch(anchors: places).solve(
      EpochColumns(rows: rows, anchorCount: 5))
    let axes = (0..<3).map { axis in places.map { $0[axis] } }
    var x = [Double](repeating: 0, count: 5000)
    var sxx = x
    try axes[0].withUnsafeBufferPointer { first in
      try axes[1].withUnsafeBufferPointer { second in
        try axes[2].withUnsafeBufferPointer { third in
          try x.withUnsafeMutableBufferPointer { x in
            try sxx.withUnsafeMutableBufferPointer { sxx in
              var anchors = fathom_anchors()
              anchors.count = 5
              (anchors.x_m, anchors.y_m, anchors.z_m) = (
                first.baseAddress, second.baseAddress, third.baseAddress
              )
              var fixes = fathom_fixes()
              (fixes.x_m, fixes.sxx) = (x.baseAddress, sxx.baseAddress)
              try check(fathom_locate(&anchors, rows, 5000, nil, nil, nil, &fixes))
            }
          }
        }
      }
    }
    #expect(x.map(\.bitPattern) == expected.x.map(\.bitPattern))
    #expect(sxx[17] == expected.covariance(at: 17)?[0, 0])
  }

  /// Heights, time differences and inertial data stay, and what `recording.json` states.
  @Test(
    "Anchors in memory replace the file of a folder, and everything else of it stays",
    arguments: PositionMethod.allCases)
  func otherAnchors(method: PositionMethod) async throws {
    let moved = "id,x,y,z\nA,0,0,2.4\nB,8.05,0,2.1\nC,8,6.1,2.4\nD,0,6,2.2\n"
    try await withTemporaryFolder { (folder: String) async throws in
      let path = "\(folder)/hall"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
      }
      var ranges = "time_s,tag,anchor,distance_m\n"
      var heights = "time_s,tag,height_m,sigma_m\n"
      let places: [Vector<3>] = [
        Vector([0, 0, 2.4]), Vector([8.05, 0, 2.1]), Vector([8, 6.1, 2.4]), Vector([0, 6, 2.2]),
      ]
      for row in 0..<400 {
        let time = Double(row) / 20
        let tag = Vector([2 + time / 10, 2 + time / 20, 1 + time / 50])
        let distance = (tag - places[row % 4]).length + Double(row * 7 % 11 - 5) / 100
        ranges += "\(time),T,\(["A", "B", "C", "D"][row % 4]),\(distance)\n"
        if row % 4 == 0 { heights += "\(time),T,\(tag[2]),0.05\n" }
      }
      try write("ranges.csv", ranges)
      try write("heights.csv", heights)
      try write("anchors.csv", "id,x,y,z\nA,1,0,2\nB,9,0,2\nC,9,6,2\nD,1,6,2\n")
      try write("moved.csv", moved)
      try write(
        "recording.json",
        """
        {"side": "below", "bounds_m": [[0, 0, 0], [8, 7, 3]],
         "zones": {"areas": [{"name": "a", "corners_m": [[0, 0], [3, 0], [3, 3], [0, 3]]}]}}
        """)
      var settings = ProcessingSettings()
      settings.method = method
      let batch = RecordingBatch(
        anchors: "\(path)/moved.csv", settings: settings, output: "\(folder)/out")
      try await batch.process(path)

      var given: OpaquePointer?
      try check(fathom_anchors_read("\(path)/moved.csv", &given))
      defer { fathom_recording_free(given) }
      var anchors = fathom_anchors()
      try check(fathom_recording_anchors(given, &anchors))
      var recording: OpaquePointer?
      try check(fathom_recording_read_with(path, &anchors, nil, &recording))
      defer { fathom_recording_free(recording) }
      let found = try #require(recording)
      let json = "{\"method\": \"\(method.rawValue)\"}"
      for (table, ending) in [
        (FATHOM_POSITIONS, "positions"), (FATHOM_DISTANCES, "distances"), (FATHOM_ZONES, "zones"),
      ] {
        let file = try String(contentsOfFile: "\(folder)/out/hall.\(ending).csv", encoding: .utf8)
        let same = try text(found, json, Int32(table)) == file
        #expect(same, "\(method) \(ending)")
      }
    }
  }

  @Test("The table of settings has the keys that the reader of settings knows")
  func tableOfSettings() throws {
    struct Table: Decodable {
      struct Row: Decodable {
        var key: String
        var option: String
      }
      var processing: [Row]
      var reading: [Row]
    }
    var json: UnsafeMutablePointer<CChar>?
    try check(fathom_settings(&json))
    defer { fathom_text_free(json) }
    let table = try JSONDecoder().decode(
      Table.self, from: Data(String(cString: try #require(json)).utf8))
    #expect(table.processing.contains { $0.key == "kept_anchors" && $0.option == "keep" })
    for row in table.processing {
      // A value of a wrong type is refused with the key, an unknown key as such.
      expectKnown(row.key) { try SettingsText.processing($0) }
    }
    for row in table.reading { expectKnown(row.key) { try SettingsText.reading($0) } }
  }

  private func expectKnown(_ key: String, _ read: ([UInt8]) throws -> some Any) {
    do {
      _ = try read(Array("{\"\(key)\": true}".utf8))
      Issue.record("\(key) is true")
    } catch {
      #expect("\(error)".hasPrefix("settings: \(key) is not "), "\(error)")
    }
  }

  @Test("A callback ends a call")
  func cancelled() throws {
    let recording = try read("robot-2d")
    defer { fathom_recording_free(recording) }
    var result: OpaquePointer?
    let status = fathom_process(recording, nil, { _, _ in 1 }, nil, &result)
    #expect(status == Int32(FATHOM_CANCELLED) && result == nil)
  }

  @Test(
    "Wrong settings are refused with their name",
    arguments: [
      ("{\"method\": \"filtr\"}", "method must be fix, filter or smooth, not \"filtr\""),
      ("{\"methd\": \"filter\"}", "\"methd\" is not a known key"),
      ("{\"rate_hz\": 0}", "rate_hz must be from 0.001 to 1000000"),
      ("{\"height_m\": \"1\"}", "height_m is not a number"), ("[]", "is not a JSON object"),
    ])
  func settings(json: String, reason: String) throws {
    let recording = try read("robot-2d")
    defer { fathom_recording_free(recording) }
    var result: OpaquePointer?
    #expect(fathom_process(recording, json, nil, nil, &result) == Int32(FATHOM_BAD_DATA))
    #expect(String(cString: fathom_last_error()) == "settings: \(reason)")
  }

  @Test("Errors belong to their thread")
  func errorsOfThreads() async {
    #expect(fathom_recording_ranges(nil, nil) == Int32(FATHOM_USAGE))
    await withCheckedContinuation { continuation in
      Thread {
        #expect(String(cString: fathom_last_error()).isEmpty)
        continuation.resume()
      }.start()
    }
  }
}
