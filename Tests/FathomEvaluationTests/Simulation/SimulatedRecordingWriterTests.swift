import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation
import TestSupport
import Testing

@Suite struct SimulatedRecordingWriterTests {
  private static let datasets = Reference.packageRoot.appending(path: "Datasets")

  /// The folders of `Datasets` that have a scenario.
  private static let names: [String] = {
    let entries = try? FileManager.default.contentsOfDirectory(
      atPath: datasets.path(percentEncoded: false))
    return (entries ?? []).sorted().filter {
      FileManager.default.fileExists(
        atPath: datasets.appending(path: "\($0)/scenario.yaml").path(percentEncoded: false))
    }
  }()

  @Test func threeSimulatedDatasetsExist() {
    #expect(Set(Self.names).isSuperset(of: ["drone-3d", "phone-accessory", "robot-2d"]))
  }

  /// The committed recordings equal the output of their scenarios, byte by byte.
  @Test(arguments: names)
  func datasetsMatchTheirScenarios(_ name: String) throws {
    let folder = Self.datasets.appending(path: name)
    let text = try String(contentsOf: folder.appending(path: "scenario.yaml"), encoding: .utf8)
    let scenario = try ScenarioReader.scenario(from: text)
    #expect(scenario.name == name)
    let files = SimulatedRecordingWriter.files(of: RangeSimulator(scenario).recording())
    for file in files {
      let committed = try Data(contentsOf: folder.appending(path: file.name))
      #expect(Data(file.bytes) == committed, "Datasets/\(name)/\(file.name)")
      #expect(file.bytes.last == UInt8(ascii: "\n"))
    }
  }

  /// A recording of one phone with an event, and with one range with and one without a direction.
  private var small: SimulatedRecording {
    var recording = Recording(name: "small")
    recording.tagNames = ["phone"]
    recording.anchorNames = ["lamp"]
    recording.facts.heightM = 0.25
    recording.notes = ["a \"quoted\" note", "back\\slash"]
    recording.events = [
      RecordedEvent(
        time: Timestamp(nanoseconds: 0), tag: 0, anchor: nil, event: .started, line: 2),
      RecordedEvent(
        time: Timestamp(nanoseconds: 2_000_000_000), tag: 0, anchor: 0, event: .removed, line: 5),
    ]
    recording.ranges.time = [
      Timestamp(nanoseconds: 125_000), Timestamp(nanoseconds: 1_500_000_000),
    ]
    recording.ranges.tag = [0, 0]
    recording.ranges.anchor = [0, 0]
    recording.ranges.distance = [1.5, 2.0625]
    recording.ranges.line = [3, 4]
    recording.ranges.direction = RangeColumns.DirectionColumns(
      x: [0.6, .nan], y: [0, .nan], z: [-0.8, .nan])
    var simulated = SimulatedRecording(recording)
    simulated.truth = [
      SimulatedRecording.TruthSample(
        time: Timestamp(nanoseconds: 1_000_000), position: point(-1, 0.00004, 2), name: "lamp")
    ]
    return simulated
  }

  @Test func writesRowsInLineOrder() {
    let texts = SimulatedRecordingWriter.files(of: small).map {
      String(decoding: $0.bytes, as: UTF8.self)
    }
    #expect(
      texts == [
        """
        time_s,tag,anchor,distance_m,direction_x,direction_y,direction_z,event
        0.000000,phone,,,,,,started
        0.000125,phone,lamp,1.5000,0.600000,0.000000,-0.800000,
        1.500000,phone,lamp,2.0625,,,,
        2.000000,phone,lamp,,,,,removed

        """,
        "id,x,y,z\n",
        "time_s,x,y,z,tag\n0.001000,-1.0000,0.0000,2.0000,lamp\n",
        """
        {
          "height_m": 0.25,
          "notes": "a \\"quoted\\" note back\\\\slash"
        }

        """,
      ])
  }

  @Test func omitsUnusedColumns() {
    var simulated = small
    simulated.recording.events = []
    simulated.recording.ranges.direction = nil
    simulated.recording.anchors = [Anchor(position: point(1, -2, 0.5), bias: 3)]
    let texts = SimulatedRecordingWriter.files(of: simulated).map {
      String(decoding: $0.bytes, as: UTF8.self)
    }
    #expect(
      texts[0] == """
        time_s,tag,anchor,distance_m
        0.000125,phone,lamp,1.5000
        1.500000,phone,lamp,2.0625

        """)
    #expect(texts[1] == "id,x,y,z\nlamp,1.0000,-2.0000,0.5000\n")
  }

  @Test func writesPowerAndLabelColumns() {
    var simulated = small
    simulated.recording.ranges.direction = nil
    simulated.recording.ranges[.rssi] = [-81.25, -90]
    simulated.recording.ranges[.nonLineOfSight] = [0, 1]
    let text = String(
      decoding: SimulatedRecordingWriter.files(of: simulated)[0].bytes, as: UTF8.self)
    #expect(
      text == """
        time_s,tag,anchor,distance_m,rssi_dbm,nlos,event
        0.000000,phone,,,,,started
        0.000125,phone,lamp,1.5000,-81.25,0,
        1.500000,phone,lamp,2.0625,-90.00,1,
        2.000000,phone,lamp,,,,removed

        """)
  }

  @Test func writesDifferencesInsteadOfRanges() {
    var simulated = small
    simulated.recording.anchorNames = ["a", "b"]
    simulated.differences = [
      SimulatedRecording.Difference(
        time: Timestamp(nanoseconds: 1_500_000), tag: 0, anchorA: 1, anchorB: 0,
        difference: -0.25)
    ]
    let files = SimulatedRecordingWriter.files(of: simulated)
    #expect(files.map(\.name) == ["tdoa.csv", "anchors.csv", "truth.csv", "recording.json"])
    #expect(
      String(decoding: files[0].bytes, as: UTF8.self) == """
        time_s,tag,anchor_a,anchor_b,difference_m
        0.001500,phone,b,a,-0.2500

        """)
  }

  // MARK: Folders

  @Test func refusesToMixRangesAndDifferences() throws {
    try withFolder { folder in
      let path = folder.path(percentEncoded: false)
      try SimulatedRecordingWriter.write(small, to: path)
      var other = small
      other.differences = []
      #expect {
        try SimulatedRecordingWriter.write(other, to: path, overwriting: true)
      } throws: { error in
        "\(error)".hasSuffix(
          "ranges.csv: already exists and is not part of the new recording: remove it first")
      }
      #expect(try contents(folder).count == 4)
    }
  }

  /// Runs `body` with a new, not yet existing folder, whose parent is removed afterwards.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let parent = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())")
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: parent) }
    try body(parent.appending(path: "out"))
  }

  private func contents(_ folder: URL) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)))
  }

  @Test func createsTheFolderWithoutOtherFiles() throws {
    try withFolder { folder in
      try SimulatedRecordingWriter.write(small, to: folder.path(percentEncoded: false))
      #expect(
        try contents(folder) == ["ranges.csv", "anchors.csv", "truth.csv", "recording.json"])
      #expect(try contents(folder.deletingLastPathComponent()) == ["out"])
      for file in SimulatedRecordingWriter.files(of: small) {
        #expect(try Data(contentsOf: folder.appending(path: file.name)) == Data(file.bytes))
      }
    }
  }

  @Test func replacesFilesOnlyOnRequest() throws {
    try withFolder { folder in
      let path = folder.path(percentEncoded: false)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let truth = folder.appending(path: "truth.csv")
      let note = folder.appending(path: "README.md")
      try Data("old".utf8).write(to: truth)
      try Data("kept".utf8).write(to: note)
      #expect(SimulatedRecordingWriter.conflict(in: path) == "\(path)/truth.csv")
      #expect(
        throws: RecordingError.cannotWrite(path: "\(path)/truth.csv", reason: "already exists")
      ) { try SimulatedRecordingWriter.write(small, to: path) }
      #expect(try contents(folder) == ["truth.csv", "README.md"])
      #expect(try Data(contentsOf: truth) == Data("old".utf8))

      try SimulatedRecordingWriter.write(small, to: path, overwriting: true)
      #expect(try Data(contentsOf: truth) != Data("old".utf8))
      #expect(try Data(contentsOf: note) == Data("kept".utf8))
      #expect(try contents(folder).count == 5)
    }
  }

  @Test func throwsWhenTheFolderIsAFile() throws {
    try withFolder { folder in
      try Data("file".utf8).write(to: folder)
      #expect {
        try SimulatedRecordingWriter.write(small, to: folder.path(percentEncoded: false))
      } throws: { error in
        (error as? RecordingError)?.exitCode == 73
      }
      #expect(try contents(folder.deletingLastPathComponent()) == ["out"])
    }
  }
}
