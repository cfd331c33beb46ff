import Fathom
import Foundation
import Testing

@testable import FathomRecordings

@Suite struct RecordingReaderTests {
  /// Calls `body` with a folder called `name` that contains the given files.
  private func withFolder(
    _ name: String, _ files: [String: String], _ body: (String) throws -> Void
  ) throws {
    let parent = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let folder = parent.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: parent) }
    for (file, text) in files { try Data(text.utf8).write(to: folder.appending(path: file)) }
    try body(folder.path(percentEncoded: false))
  }

  private func error(_ path: String, anchors: String? = nil) -> RecordingError? {
    do throws(RecordingError) {
      _ = try RecordingReader.read(path, anchors: anchors)
      return nil
    } catch {
      return error
    }
  }

  /// Lines of 29, 8 and 9 bytes.
  private let ranges = "time_s,tag,anchor,distance_m\n1,T,B,2\n2,T,A,-1\n"
  private let anchors = "id,x,y,z\nA,1,2,3\nB,4,5,6\n"

  @Test func readsFolder() throws {
    let files = [
      "ranges.csv": ranges, "anchors.csv": anchors,
      "recording.json": "{\"height_m\": 1.5, \"notes\": \"by hand\", \"colour\": 1}",
      "truth.csv": "x",
    ]
    try withFolder("walk.1", files) { path in
      for path in [path, path + "/", path + "/."] {
        let recording = try RecordingReader.read(path)
        #expect(recording.name == "walk.1")
        #expect(recording.sources.map(\.bytes) == [46, 25, 50])
        #expect(recording.sources.first?.path.hasSuffix("/ranges.csv") == true)
        #expect(recording.anchorNames == ["A", "B"])
        #expect(recording.anchors.map { $0.position[0] } == [1, 4])
        #expect(recording.ranges.anchor == [1])
        #expect(recording.tagNames == ["T"])
        #expect(recording.facts.heightM == 1.5)
        #expect(recording.rowsRead == 2)
        #expect(recording.rejected.map(\.line) == [3])
        #expect(recording.remarks == "by hand")
        #expect(
          recording.notes == [
            "recording.json: ignored \"colour\"", "declared anchors without ranges: \"A\"",
          ])
      }
    }
  }

  @Test func readsSingleFile() throws {
    try withFolder("here", ["walk.2.csv": ranges, "anchors.csv": anchors]) { path in
      let alone = try RecordingReader.read(path + "/walk.2.csv", findsAnchors: false)
      #expect(alone.name == "walk.2")
      #expect(alone.anchors.isEmpty)
      #expect(alone.anchorNames == ["B"])
      let both = try RecordingReader.read(path + "/walk.2.csv", anchors: path + "/anchors.csv")
      #expect(both.anchorNames == ["A", "B"])
      #expect(both.anchors.count == 2)
      let beside = try RecordingReader.read(path + "/walk.2.csv")
      #expect(beside.anchors == both.anchors && beside.sources == both.sources)
    }
  }

  @Test func rowsOfUndeclaredAnchorsAreRejected() throws {
    let files = [
      "ranges.csv": "time_s,tag,anchor,distance_m\n1,T,A,2\n2,S,b,3\n3,T,B,4\n",
      "anchors.csv": anchors,
    ]
    try withFolder("walk", files) { path in
      let recording = try RecordingReader.read(path)
      #expect(recording.ranges.line == [2, 4] && recording.tagNames == ["T"])
      #expect(recording.anchorNames == ["A", "B"])
      #expect(
        recording.rejected.map(\.reason) == ["the anchor is not declared: \"b\" (is it \"B\"?)"])
      #expect(
        recording.warnings == [
          "1 row names an anchor that is not declared: \"b\" (is it \"B\"?); declared: \"A\", \"B\""
        ])
    }
  }

  @Test func planarAnchorsGiveHeightZero() throws {
    let files = ["ranges.csv": ranges, "anchors.csv": "id,x,y\nB,4,5\n"]
    try withFolder("flat", files) { path in
      let recording = try RecordingReader.read(path)
      #expect(recording.isPlanar && recording.facts.heightM == 0)
      #expect(
        recording.notes.first == "the anchors have no heights: positions are in their plane, z = 0")
      try Data("{\"height_m\": 1.5}".utf8).write(to: URL(filePath: path + "/recording.json"))
      #expect(try RecordingReader.read(path).facts.heightM == 1.5)
    }
  }

  @Test func emptyAnchorsFileMeansNoAnchors() throws {
    try withFolder("pair", ["ranges.csv": ranges, "anchors.csv": "id,x,y,z\n"]) { path in
      let recording = try RecordingReader.read(path)
      #expect(recording.anchors.isEmpty)
      #expect(recording.anchorNames == ["B"])
    }
  }

  @Test func missingFileThrowsNoInput() throws {
    try withFolder("empty", ["walk.csv": ranges]) { path in
      #expect(
        error(path) == .noInput(path: path, reason: "there is no ranges.csv in this folder"))
      for missing in [error(path + "/x.csv"), error(path + "/walk.csv", anchors: path + "/x.csv")] {
        #expect(missing == .noInput(path: path + "/x.csv", reason: "No such file or directory"))
      }
      #expect(error(path)?.exitCode == 66)
    }
  }

  @Test func inconsistentFilesThrowBadData() throws {
    try withFolder("walk", ["ranges.csv": ranges, "anchors.csv": "id,x,y,z\nA,1,2,3\n"]) { path in
      #expect(
        error(path).map { "\($0)" }
          == "\(path)/ranges.csv:2: no range is left: 1 row names an anchor that is not declared:"
          + " \"B\"; declared: \"A\"")
    }
    try withFolder("walk", ["tdoa.csv": "time_s\n"]) { path in
      #expect(error(path)?.exitCode == 65)
      #expect(error(path).map { "\($0)" }?.contains("add anchors.csv") == true)
    }
    #expect(error("-", anchors: "-")?.exitCode == 65)
  }

  @Test func notesIgnoredFilesAndColumns() throws {
    let files = [
      "ranges.csv": "time,distance,run\n# comment\n", "ranges.csv.gz": "", "tdoa.csv": "",
    ]
    try withFolder("walk", files) { path in
      let recording = try RecordingReader.read(path)
      #expect(
        recording.notes == [
          "ranges.csv.gz is ignored: ranges.csv is read", "tdoa.csv is ignored",
          "ignored columns: \"run\"", "1 comment line skipped",
          "no column tag: one tag, called 0",
          "no column anchor: one anchor, called 0", "the ranges file has no rows",
        ])
    }
  }

  @Test(arguments: [
    ("walk.csv", "walk"), ("walk.csv.gz", "walk"), ("walk.b.csv", "walk.b"), ("walk", "walk"),
    (".walk", ".walk"),
  ])
  func namesRecordingAfterFile(_ file: String, _ name: String) throws {
    try withFolder("here", [file: ranges]) { path in
      let recording = try RecordingReader.read("\(path)/\(file)")
      #expect(recording.name == name)
    }
  }
}
