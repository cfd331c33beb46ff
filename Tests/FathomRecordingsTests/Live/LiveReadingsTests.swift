import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Measurements other than ranges in a live stream.
@Suite struct LiveReadingsTests {
  // MARK: A recording

  private static let anchors = "id,x,y,z\nA,0,0,0\nB,8,0,0.2\nC,8,6,2\nD,0,6,1\nE,4,7,2.4\n"
  private static let places: [(name: String, position: Vector<3>)] = [
    ("A", Vector([0, 0, 0])), ("B", Vector([8, 0, 0.2])), ("C", Vector([8, 6, 2])),
    ("D", Vector([0, 6, 1])), ("E", Vector([4, 7, 2.4])),
  ]

  private static func position(_ time: Double) -> Vector<3> {
    Vector([4 + 2 * sin(0.4 * time), 3 + 1.5 * cos(0.4 * time), 1.3 + 0.3 * sin(0.3 * time)])
  }

  /// A row of a table: its time, the order among rows of one time, and its cells by column.
  private struct Row {
    var kind: TableKind
    var time: Double
    var cells: [(column: String, value: String)]

    var json: String {
      let members = ([("time_s", "\(time)")] + cells).filter { !$0.1.isEmpty }.map { name, value in
        Double(value) == nil ? "\"\(name)\": \"\(value)\"" : "\"\(name)\": \(value)"
      }
      return "{\(members.joined(separator: ", "))}"
    }
  }

  /// Rows of a tag that turns among five anchors, in order of time, of one time as a filter takes them.
  private static func rows(
    _ kinds: Set<TableKind>, seconds: Double = 20, height: Bool = false
  ) -> [Row] {
    var rows: [Row] = []
    let count = Int(seconds * 40)
    func noise(_ index: Int) -> Double { sin(Double(index * index % 1009) * 12.9898) }
    for index in 0..<count {
      let time = Double(index) / 40
      let tag = position(time)
      if kinds.contains(.inertial), index % 2 == 0 {
        let heading = atan2(-1.5 * sin(0.4 * time), 2 * cos(0.4 * time))
        let (ax, ay) = (-0.32 * sin(0.4 * time), -0.24 * cos(0.4 * time))
        rows.append(
          Row(
            kind: .inertial, time: time,
            cells: [
              ("tag", "tag"),
              ("acc_x_mps2", "\(cos(heading) * ax + sin(heading) * ay)"),
              ("acc_y_mps2", "\(cos(heading) * ay - sin(heading) * ax)"), ("acc_z_mps2", "9.81"),
              ("gyro_x_radps", "0"), ("gyro_y_radps", "0"), ("gyro_z_radps", "-0.4"),
            ]))
      }
      if kinds.contains(.odometry), index % 4 == 0 {
        let (before, moved) = (time - 0.1, tag - position(time - 0.1))
        let forward = (moved[0] * moved[0] + moved[1] * moved[1]).squareRoot()
        func heading(_ time: Double) -> Double {
          atan2(-1.5 * sin(0.4 * time), 2 * cos(0.4 * time))
        }
        var turn = heading(time) - heading(before)
        if turn > .pi { turn -= 2 * .pi }
        if turn < -.pi { turn += 2 * .pi }
        rows.append(
          Row(
            kind: .odometry, time: time,
            cells: [("tag", "tag"), ("forward_m", "\(forward)"), ("turn_rad", "\(turn)")]))
      }
      if kinds.contains(.poses), index % 4 == 0 {
        // In a frame of its own.
        rows.append(
          Row(
            kind: .poses, time: time,
            cells: [("qw", "1"), ("qx", "0"), ("qy", "0"), ("qz", "0")]
              + [("x_m", "\(tag[1] - 2)"), ("y_m", "\(5 - tag[0])"), ("z_m", "\(tag[2] + 0.4)")]))
      }
      if kinds.contains(.heights), index % 8 == 0 {
        rows.append(
          Row(
            kind: .heights, time: time,
            cells: [("tag", "tag"), ("height_m", "\(tag[2] + 0.02 * noise(index))")]))
      }
      if kinds.contains(.differences) {
        let (one, other) = (places[0], places[1 + index % 4])
        let difference = (tag - one.position).length - (tag - other.position).length
        rows.append(
          Row(
            kind: .differences, time: kinds.contains(.ranges) ? time : Double(index / 4) / 10,
            cells: [
              ("tag", "tag"), ("anchor_a", one.name), ("anchor_b", other.name),
              ("difference_m", "\(difference + 0.05 * noise(index))"),
            ]))
      }
      if kinds.contains(.ranges) {
        let anchor = places[index % 5]
        var cells = [
          ("tag", "tag"), ("anchor", anchor.name),
          ("distance_m", "\((tag - anchor.position).length + 0.05 * noise(7 * index))"),
        ]
        if height { cells.append(("height_m", index % 8 == 0 ? "\(tag[2])" : "")) }
        rows.append(Row(kind: .ranges, time: time, cells: cells))
      }
    }
    return rows
  }

  /// Writes the rows as a recording into `folder`.
  private static func write(_ rows: [Row], to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try anchors.write(toFile: folder + "/anchors.csv", atomically: true, encoding: .utf8)
    for kind in TableKind.allCases {
      let own = rows.filter { $0.kind == kind }
      guard let first = own.first else { continue }
      let header = (["time_s"] + first.cells.map(\.column)).joined(separator: ",")
      let lines = own.map { (["\($0.time)"] + $0.cells.map(\.value)).joined(separator: ",") }
      try ([header] + lines).map { $0 + "\n" }.joined()
        .write(toFile: folder + "/" + kind.fileName, atomically: true, encoding: .utf8)
    }
  }

  private static func processed(_ folder: String) throws -> [String] {
    let recording = try RecordingReader.read(folder)
    let files = ResultWriter.files(of: recording.processed(with: ProcessingSettings()), in: "")
    return LivePipelineTests.rows(files[0].bytes).map(LivePipelineTests.withoutTrailingZeros)
  }

  /// Returns the positions of a stream of `text` in pieces of `size` bytes.
  private static func streamed(
    _ text: String, size: Int = .max, at site: String, calibratedBy reference: String? = nil,
    calibration: LiveCalibration = .running, lag: Double? = nil, horizon: Double = 0.5,
    recordingTo kept: String? = nil, _ body: (LivePipeline) -> Void = { _ in }
  ) throws -> [String] {
    var options = LivePipeline.Options()
    options.calibration =
      try reference.map {
        .recording(
          try ReferenceCalibration(
            $0, anchors: nil, options: RecordingOptions(), settings: ProcessingSettings()))
      } ?? calibration
    (options.lag, options.horizon) = (lag, horizon)
    var pipeline = try LivePipeline(at: LiveSite(site + "/anchors.csv", name: "stream"), options)
    if let kept { pipeline.record(to: try LiveRecorder(kept, overwrites: false)) }
    let bytes = Array(text.utf8)
    var positions: [String] = []
    var begin = 0
    while begin < bytes.count {
      let end = begin + min(size, bytes.count - begin)
      let results = try pipeline.process(Array(bytes[begin..<end]), isLast: end == bytes.count)
      positions += LivePipelineTests.lines(results.text.positions)
      begin = end
    }
    positions += LivePipelineTests.lines(pipeline.finish().text.positions)
    #expect(pipeline.recordingError == nil)
    body(pipeline)
    return positions.filter { !$0.hasPrefix("time") }.map(LivePipelineTests.withoutTrailingZeros)
  }

  /// Returns the positions of a replay of the recording in `folder` with its own calibration.
  private static func replayed(_ folder: String, lag: Double?) throws -> [String] {
    var options = LivePipeline.Options()
    options.calibration = .recording(
      try ReferenceCalibration(
        folder, anchors: nil, options: RecordingOptions(), settings: ProcessingSettings()))
    options.lag = lag
    var replay = try LiveReplay(folder, anchors: nil, options: RecordingOptions())
    var pipeline = try LivePipeline(at: replay.site, options)
    replay.prepare(&pipeline)
    var positions: [String] = []
    while let batch = try replay.next(before: nil) {
      positions += LivePipelineTests.lines(pipeline.process(batch).text.positions)
    }
    return (positions + LivePipelineTests.lines(pipeline.finish().text.positions))
      .filter { !$0.hasPrefix("time") }.map(LivePipelineTests.withoutTrailingZeros)
  }

  private static func json(_ rows: [Row]) -> String { rows.map { $0.json + "\n" }.joined() }

  // MARK: Tests

  /// With the calibration of the recording, a stream gives the positions of `process`, whatever the kinds
  /// of its measurements.
  @Test(
    arguments: [
      [.ranges, .heights], [.ranges, .odometry], [.ranges, .inertial], [.ranges, .differences],
      [.differences], [.differences, .inertial], [.ranges, .heights, .odometry],
      [.ranges, .poses], [.ranges, .poses, .heights],
    ] as [Set<TableKind>])
  func aStreamGivesThePositionsOfProcess(_ kinds: Set<TableKind>) throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows(kinds)
      try Self.write(rows, to: folder)
      let expected = try Self.processed(folder)
      #expect(expected.count > 190)
      for size in [.max, 1000, 61] {
        let found = try Self.streamed(
          Self.json(rows), size: size, at: folder, calibratedBy: folder
        ) { pipeline in
          #expect(!pipeline.summary.contains { $0.hasPrefix("warning") }, "\(pipeline.summary)")
        }
        #expect(found.count == expected.count)
        let first = zip(found, expected).first { $0 != $1 }
        #expect(first == nil, "\(kinds) \(size)")
      }
    }
  }

  @Test func heightsInRowsAreUsed() throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows([.ranges], height: true)
      try Self.write(rows, to: folder)
      let text = try String(contentsOfFile: folder + "/ranges.csv", encoding: .utf8)
      let expected = try Self.processed(folder)
      for size in [.max, 100] {
        let found = try Self.streamed(text, size: size, at: folder, calibratedBy: folder)
        #expect(found == expected)
      }
      try Self.write(Self.rows([.ranges]), to: folder + "/without")
      #expect(try Self.processed(folder + "/without") != expected)
    }
  }

  /// While the calibration runs, results do not depend on how the lines arrive.
  @Test(
    arguments: [
      [.ranges, .heights, .odometry], [.ranges, .inertial], [.differences, .inertial],
      [.ranges, .poses],
    ] as [Set<TableKind>])
  func resultsDoNotDependOnTheBatches(_ kinds: Set<TableKind>) throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows(kinds, seconds: 30)
      try Self.write(rows, to: folder)
      let whole = try Self.streamed(Self.json(rows), at: folder)
      #expect(whole.count > 290)
      for size in [3000, 400] {
        #expect(try Self.streamed(Self.json(rows), size: size, at: folder) == whole)
      }
      // At the end both are calibrated on the same measurements.
      let expected = try Self.processed(folder)
      func place(_ row: String) -> [Double] {
        row.split(separator: ",")[2..<4].compactMap { Double($0) }
      }
      for (one, other) in zip(whole.suffix(100), expected.suffix(100)) {
        for (a, b) in zip(place(one), place(other)) { #expect(abs(a - b) < 0.15) }
      }
    }
  }

  /// Measurements that come late by less than the horizon are used as if they had not.
  @Test(arguments: [[.ranges, .heights, .odometry], [.differences]] as [Set<TableKind>])
  func lateMeasurementsAreSortedIn(_ kinds: Set<TableKind>) throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows(kinds)
      try Self.write(rows, to: folder)
      var late = rows
      // Increments of odometry stay in their own order.
      for index in stride(from: 100, to: rows.count - 150, by: 7)
      where late[index].kind != .ranges {
        let row = late.remove(at: index)
        late.insert(row, at: index + 4)
      }
      func streamed(_ rows: [Row], horizon: Double) throws -> (rows: [String], warns: Bool) {
        var summary: [String] = []
        let found = try Self.streamed(
          Self.json(rows), size: 200, at: folder, calibratedBy: folder, horizon: horizon
        ) { summary = $0.summary }
        return (found, summary.contains { $0.contains("other measurements came too late") })
      }
      let inOrder = try streamed(rows, horizon: 0.5)
      let found = try streamed(late, horizon: 0.5)
      #expect(!inOrder.warns && !found.warns)
      if kinds.contains(.ranges) {
        #expect(found.rows.suffix(20) == inOrder.rows.suffix(20))
      } else {
        // The differences of one instant are used in another order.
        for (one, other) in zip(found.rows.suffix(20), inOrder.rows.suffix(20)) {
          let cells = [one, other].map { $0.split(separator: ",").compactMap { Double($0) } }
          for axis in 1...3 { #expect(abs(cells[0][axis] - cells[1][axis]) < 0.01) }
        }
      }
      #expect(try streamed(late, horizon: 0).warns)
    }
  }

  /// The settings as they are: all measurements are used with their usual errors.
  @Test func withoutCalibrationMeasurementsAreUsed() throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows([.ranges, .odometry])
      try Self.write(rows, to: folder)
      let plain = try Self.streamed(
        Self.json(rows.filter { $0.kind == .ranges }), at: folder, calibration: .none)
      let found = try Self.streamed(Self.json(rows), at: folder, calibration: .none)
      func error(_ rows: [String]) -> Double {
        let squares = rows.suffix(600).map { row in
          let cells = row.split(separator: ",", omittingEmptySubsequences: false)
          let truth = Self.position(Double(cells[0]) ?? .nan)
          return pow((Double(cells[2]) ?? .nan) - truth[0], 2)
            + pow((Double(cells[3]) ?? .nan) - truth[1], 2)
        }
        return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
      }
      #expect(found.count == plain.count)
      #expect(error(found) < 0.8 * error(plain), "\(error(found)) \(error(plain))")
    }
  }

  /// Positions that wait are smoothed with all measurements.
  @Test func rowsWaitForLaterMeasurements() throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows([.ranges, .heights, .odometry])
      try Self.write(rows, to: folder)
      let plain = try Self.streamed(Self.json(rows), at: folder, calibratedBy: folder)
      let lagged = try Self.streamed(Self.json(rows), at: folder, calibratedBy: folder, lag: 1)
      #expect(lagged.count == plain.count)
      #expect(zip(lagged, plain).count { $0 != $1 } > plain.count / 2)
      // A recording that is replayed is smoothed with its measurements, too.
      let replayed = try Self.replayed(folder, lag: 1)
      #expect(replayed.count == plain.count)
      for (one, other) in zip(replayed.suffix(600), lagged.suffix(600)) {
        let cells = [one, other].map { $0.split(separator: ",").compactMap { Double($0) } }
        for axis in 1...3 { #expect(abs(cells[0][axis] - cells[1][axis]) < 0.02) }
      }
    }
  }

  /// A recording of the stream gives the positions of the recording that it came from.
  @Test(
    arguments: [[.ranges, .heights, .inertial], [.ranges, .poses], [.differences]]
      as [Set<TableKind>])
  func theRecordingOfAStreamHasAllMeasurements(_ kinds: Set<TableKind>) throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows(kinds)
      try Self.write(rows, to: folder + "/source")
      _ = try Self.streamed(
        Self.json(rows), size: 500, at: folder + "/source", recordingTo: folder + "/kept")
      #expect(try Self.processed(folder + "/kept") == Self.processed(folder + "/source"))
      #expect(throws: RecordingError.self) {
        try LiveRecorder(folder + "/kept", overwrites: false)
      }
      // What is replaced leaves no table of the recording before.
      _ = try LiveRecorder(folder + "/kept", overwrites: true)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/kept")
      #expect(left == ["anchors.csv"])
      // Files that it would not replace are left as they are.
      try Data("{}".utf8).write(to: URL(filePath: folder + "/kept/heights.jsonl"))
      #expect(throws: RecordingError.self) {
        try LiveRecorder(folder + "/kept", overwrites: true)
      }
    }
  }

  /// While odometry comes, a tag without ranges has positions at once, those of `process`.
  @Test func odometryCarriesATagThroughAGap() throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows([.ranges, .odometry]).filter {
        $0.kind != .ranges || !(8..<14).contains($0.time)
      }
      try Self.write(rows, to: folder)
      let expected = try Self.processed(folder)
      #expect(
        try Self.streamed(Self.json(rows), size: 61, at: folder, calibratedBy: folder) == expected)
      let early = rows.filter { $0.time < 14 }
      let found = try Self.streamed(Self.json(early), size: 61, at: folder, calibratedBy: folder)
      // Ranges may still come for half a second.
      let inGap = expected.filter { (8..<13.4).contains(Double($0.prefix { $0 != "," }) ?? 0) }
      #expect(inGap.count == 5)
      for row in inGap { #expect(found.contains(row), "\(row)") }
    }
  }

  /// A measurement that came late is used before an interruption.
  @Test func anInterruptionLosesNoMeasurement() throws {
    try withTemporaryFolder { folder in
      var rows = Self.rows([.ranges, .heights], seconds: 10)
      try Self.write(rows, to: folder)
      let interruption = "{\"time_s\": 5, \"tag\": \"tag\", \"event\": \"suspended\"}\n"
      let split = try #require(rows.firstIndex { $0.time >= 5 })
      func text(_ rows: [Row]) -> String {
        Self.json(Array(rows[..<split])) + interruption + Self.json(Array(rows[split...]))
      }
      let inOrder = try Self.streamed(text(rows), at: folder, calibratedBy: folder)
      let height = try #require(rows[..<split].lastIndex { $0.kind == .heights })
      rows.insert(rows.remove(at: height), at: split - 1)
      let late = try Self.streamed(text(rows), at: folder, calibratedBy: folder)
      #expect(late.suffix(150) == inOrder.suffix(150))
    }
  }

  /// Objects without a tag are of the only one.
  @Test func objectsNeedNoTag() throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows([.ranges, .heights]).map { row in
        Row(kind: row.kind, time: row.time, cells: row.cells.filter { $0.column != "tag" })
      }
      try Self.write(rows, to: folder)
      let expected = try Self.processed(folder)
      let found = try Self.streamed(Self.json(rows), size: 300, at: folder, calibratedBy: folder)
      #expect(found == expected)
      try Self.json(rows).write(
        toFile: folder + "/ranges.csv", atomically: true, encoding: .utf8)
      try FileManager.default.removeItem(atPath: folder + "/heights.csv")
      #expect(try Self.processed(folder) == expected)
    }
  }

  @Test func measurementsThatCannotBeUsedAreCounted() throws {
    try withTemporaryFolder { folder in
      let rows = Self.rows([.ranges])
      try Self.write(rows, to: folder)
      var text = Self.json(rows)
      text += #"{"time_s": 20, "tag": "other", "height_m": 1.3}"# + "\n"
      text += #"{"time_s": 20, "height_m": 1.3}"# + "\n"
      text += #"{"time_s": 20, "tag": "tag", "height_m": "high"}"# + "\n"
      text += #"{"time_s": 900, "tag": "tag", "height_m": 1.3}"# + "\n"
      text +=
        #"{"time_s": 20, "acc_x": 0, "acc_y": 0, "acc_z": 9.8, "gyro_x": 0, "gyro_y": 0, "#
        + #""gyro_z": 0}"#
        + "\n"
      text +=
        #"{"time_s": 20, "tag": "tag", "anchor_a": "A", "anchor_b": "Z", "difference_m": 1}"# + "\n"
      text += #"{"time_s": 20, "x": 1, "y": 0}"# + "\n"
      _ = try Self.streamed(text, at: folder, calibratedBy: folder) { pipeline in
        let summary = pipeline.summary.joined(separator: "\n")
        #expect(summary.contains("other measurements: 3 of heights"), "\(summary)")
        #expect(summary.contains("rejected rows: 3"), "\(summary)")
        #expect(
          summary.contains("1 other measurements are not used: there are no ranges of \"other\""),
          "\(summary)")
        #expect(
          summary.contains("1 other measurements came too late, or long before"), "\(summary)")
        #expect(summary.contains("does not use 1 of truth"), "\(summary)")
      }
    }
  }
}
