import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// A file of mixed kinds is the recording that it stands for.
@Suite struct JSONMixedTests {
  private static let tables: [(name: String, csv: String)] = [
    ("anchors", "id,x,y,z\nA,0,0,2\nB,6,0,2\nC,6,5,2\nD,0,5,2.5\n"),
    (
      "ranges",
      "time_s,tag,anchor,distance_m,sigma_m\n0,T,A,3,0.1\n0.1,T,B,4,\n0.2,T,C,5,0.1\n0.3,T,D,x,\n"
    ),
    ("tdoa", "time_s,tag,anchor_a,anchor_b,difference_m\n0,T,A,B,0.5\n0.2,T,A,C,-0.25\n"),
    ("heights", "time_s,tag,height_m\n0,T,1.1\n0.2,T,1.2\n"),
    ("odometry", "time_s,tag,distance,turn\n0,T,0,0\n0.1,T,0.1,0.01\n0.2,T,0.1,0.02\n"),
    (
      "imu",
      "time_s,tag,acc_x,acc_y,acc_z,gyro_x,gyro_y,gyro_z\n0,T,0,0,9.81,0,0,0.1\n0.1,T,0,0,9.81,0,0,0.2\n"
    ),
    ("poses", "time_s,x,y,z,qw,qx,qy,qz\n0,1,2,3,1,0,0,0\n0.2,1.5,2,3,1,0,0,0\n"),
    ("truth", "time_s,tag,x,y,z\n0,T,1,2,1\n0.2,T,1.5,2,1\n"),
  ]

  /// The rows of all tables, one of each in turn.
  private static var lines: [String] {
    let tables = tables.map { jsonLines($0.csv) }
    return (0..<4).flatMap { row in tables.compactMap { $0.indices.contains(row) ? $0[row] : nil } }
  }

  @Test func equalsTheFolder() throws {
    try withTemporaryFolder { folder in
      let parts = folder + "/parts"
      try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: true)
      for table in Self.tables {
        try Data(table.csv.utf8).write(to: URL(filePath: "\(parts)/\(table.name).csv"))
      }
      let file = folder + "/parts.jsonl"
      try Data(Self.lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
      let expected = try RecordingReader.read(parts)
      let recording = try RecordingReader.read(file)
      #expect(recording.name == expected.name && recording.sources.map(\.path) == [file])
      #expect(recording.ranges.distance == expected.ranges.distance)
      #expect(recording.ranges.time == expected.ranges.time)
      #expect(recording.anchorNames == expected.anchorNames)
      #expect(recording.anchors == expected.anchors && recording.tagNames == expected.tagNames)
      #expect(recording.poses == expected.poses && recording.poses.count == 2)
      #expect(recording.sensors == expected.sensors && !recording.sensors.odometry.isEmpty)
      #expect(
        recording.rowsRead == 4
          && recording.rejected.map(\.reason) == ["distance_m is not a number: \"x\""])
      #expect(recording.warnings == expected.warnings)

      let truth = try TruthReader.read(folder: parts)
      let tables = try mixed(Self.lines.joined(separator: "\n"), blockSize: 64)
      let source = try #require(tables.source(.truth))
      #expect(try TruthReader.read(source, info: RecordingInfo()).tracks == truth?.tracks)
      #expect(try TruthReader.read(folder: file)?.tracks == truth?.tracks)
    }
  }

  @Test func folderFindsTablesInJSON() throws {
    try withTemporaryFolder { folder in
      for (index, table) in Self.tables.enumerated() {
        let rows = jsonLines(table.csv)
        let (name, text) =
          index % 2 == 0
          ? ("\(table.name).jsonl", rows.joined(separator: "\n"))
          : ("\(table.name).json", "[" + rows.joined(separator: ",\n") + "]")
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      }
      let recording = try RecordingReader.read(folder)
      #expect(recording.ranges.count == 3 && recording.anchors.count == 4)
      #expect(recording.poses.count == 2 && recording.sensors.heights["T"]?.count == 2)
      #expect(recording.sensors.odometry["T"]?.count == 2)
      #expect(recording.sensors.inertial["T"]?.count == 2)
      #expect(recording.sensors.differences["T"]?.count == 2)
      #expect(try TruthReader.read(folder: folder)?.tracks["T"]?.count == 2)
      #expect(recording.sources.count == 7)
      #expect(
        try RecordingFiles(folder, anchors: nil).sources == recording.sources.map(\.path))
    }
  }

  /// A reader of one table takes its objects from a file of all.
  @Test func readersTakeTheirTable() throws {
    let text = Self.lines.joined(separator: "\n")
    #expect(
      try AnchorsReader.read(try source("f", text), options: RecordingOptions()).names
        == ["A", "B", "C", "D"])
    #expect(try HeightsReader.read(try source("f", text)).rows["T"]?.count == 2)
    let truth = try TrajectoryReader.read(try source("f", text))
    #expect(truth.format == .jsonl && truth.tracks.mapValues(\.count) == ["T": 2])
    // Truth with an attitude is like a pose.
    let pose = #"{"time_s":1,"tag":"T","x":1,"y":2,"z":3,"qw":1,"qx":0,"qy":0,"qz":0}"#
    #expect(
      try TruthReader.read(try source("f", pose), info: RecordingInfo()).tracks["T"]?.count == 1)
  }

  @Test func filesOfTheRecording() throws {
    try withTemporaryFolder { folder in
      let file = folder + "/all.jsonl"
      try Data((Self.lines + ["oops"]).joined(separator: "\n").utf8)
        .write(to: URL(filePath: file))
      let files = try RecordingTables.files(of: file)
      #expect(
        files.map(\.name) == [
          "truth.csv", "poses.csv", "heights.csv", "odometry.csv", "imu.csv", "tdoa.csv",
        ])
      #expect(
        String(decoding: files[2].bytes, as: UTF8.self)
          == "time_s,tag,height_m\n0,T,1.1\n0.2,T,1.2\n")
      try Data("{\"time_s\":0,\"height_m\":1}\n{\n".utf8)
        .write(to: URL(filePath: "\(folder)/heights.jsonl"))
      try Data("{}".utf8).write(to: URL(filePath: "\(folder)/recording.json"))
      let others = try RecordingTables.files(of: folder)
      #expect(others.map(\.name) == ["recording.json", "heights.csv"])
      #expect(
        String(decoding: others[1].bytes, as: UTF8.self) == "time_s,height_m\n0,1\n")
    }
  }

  @Test func onlyDifferencesNeedAnchors() throws {
    try withTemporaryFolder { folder in
      let file = folder + "/d.jsonl"
      func write(_ names: Set<String>) throws {
        let rows = Self.tables.filter { names.contains($0.name) }.flatMap { jsonLines($0.csv) }
        try Data((rows + ["oops"]).joined(separator: "\n").utf8).write(to: URL(filePath: file))
      }
      try write(["tdoa", "anchors"])
      let recording = try RecordingReader.read(file)
      #expect(recording.sensors.onlyDifferences?.count == 2 && recording.ranges.count == 0)
      #expect(recording.rowsRead == 3 && recording.rejected.map(\.line) == [7])
      try write(["tdoa"])
      #expect(throws: RecordingError.self) { try RecordingReader.read(file) }
      try write(["heights", "anchors"])
      let error = #expect(throws: RecordingError.self) { try RecordingReader.read(file) }
      #expect(
        error?.description.hasSuffix(
          "no object is a range or a time difference; found 4 of anchors, 2 of heights") == true)
    }
  }

  @Test(
    arguments: [
      (#"{"time_s":1,"distance":1,"turn":0.1}"#, TableKind.odometry),
      (#"{"time_s":1,"anchor":"A","distance":1,"turn":0.1}"#, .ranges),
      (#"{"t":1,"accelerometer":{"x":1,"y":2,"z":3},"x":1,"y":2}"#, .truth),
      (#"{"t":1,"acc":{"x":1,"y":2,"z":3},"gyro":{"x":1,"y":2,"z":3}}"#, .inertial),
      (#"{"t":1,"position":{"x":1,"y":2,"z":3},"orientation":{"w":1,"x":0,"y":0,"z":0}}"#, .poses),
      (#"{"t":1,"tag":"T","position":[1,2,3]}"#, .truth),
      (#"{"id":"A","position":{"x":1,"y":2,"z":3}}"#, .anchors),
      (#"{"anchor":"A","x":1,"y":2,"timestamp":5}"#, .anchors),
      (#"{"t":1,"z":2}"#, .heights), (#"{"t":1,"height_m":2,"anchor":"A","range":1}"#, .ranges),
      (#"{"t":1,"event":"session_start"}"#, .ranges), (#"{"t":1,"vx":2,"omega":1}"#, .odometry),
    ])
  func tellsKindsApart(_ object: String, _ kind: TableKind) throws {
    let tables = try mixed(object)
    for other in TableKind.allCases {
      #expect(tables.count(of: other) == (other == kind ? 1 : 0), "\(other)")
    }
  }
}
