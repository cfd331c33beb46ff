import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Results in several formats are one set: they are written, resumed and replaced together.
@Suite struct ResultFormatTests {
  /// Writes a recording of two tags in the room, one of which gets no position.
  private func write(in folder: String) throws {
    var text = "time_s,tag,anchor,distance_m\n"
    for range in polledRanges(from: Vector([3, 2, 1]), rounds: 5) {
      text += "\(range.seconds),a/b,\(range.anchor),\(range.distance)\n"
      if range.anchor == "A" { text += "\(range.seconds),lost,A,\(range.distance)\n" }
    }
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/walk.csv"))
    var anchors = "id,x,y,z\n"
    for (name, anchor) in roomAnchors {
      let position = anchor.position
      anchors += "\(name),\(position[0]),\(position[1]),\(position[2])\n"
    }
    try Data(anchors.utf8).write(to: URL(filePath: "\(folder)/anchors.csv"))
  }

  private func names(_ folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder))
  }

  private func batch(_ folder: String, _ formats: Set<ResultFormat>) -> RecordingBatch {
    var batch = RecordingBatch(anchors: "\(folder)/anchors.csv", output: "\(folder)/out")
    batch.formats = formats
    return batch
  }

  private static let kept: Set<String> = ["walk.rejected.csv", "walk.summary.json"]
  private static let files: [ResultFormat: Set<String>] = [
    .csv: ["walk.positions.csv", "walk.distances.csv"],
    .jsonl: ["walk.positions.jsonl", "walk.distances.jsonl"],
    .tum: ["walk.positions.a%2Fb.tum"],
  ]

  @Test(arguments: PositionMethod.allCases)
  func writesRequestedFormats(_ method: PositionMethod) async throws {
    try await withTemporaryFolder { folder in
      try write(in: folder)
      for formats: Set<ResultFormat> in [[.csv], [.jsonl], [.tum], [.csv, .jsonl, .tum]] {
        var batch = batch(folder, formats)
        batch.overwrites = true
        batch.settings.method = method
        let outcome = try await batch.process("\(folder)/walk.csv")
        let summary = try #require(outcome.summary)
        let expected = formats.reduce(into: Self.kept) { $0.formUnion(Self.files[$1] ?? []) }
        // The files of the previous run's formats are removed.
        #expect(try names("\(folder)/out") == expected, "\(formats)")
        #expect(Set((summary.results ?? []).map(\.name) + ["walk.summary.json"]) == expected)
        // Positions are incomplete before the track starts.
        #expect(
          summary.notes.contains { $0.hasSuffix("incomplete and not in the TUM files") }
            == (formats.contains(.tum) && method != .fix))
      }
    }
  }

  @Test func otherFormatsCountAsOtherSettings() async throws {
    try await withTemporaryFolder { folder in
      try write(in: folder)
      let path = "\(folder)/walk.csv"
      try await batch(folder, [.tum, .jsonl]).process(path)
      var again = batch(folder, [.jsonl, .tum])
      again.resumes = true
      guard case .skipped = try await again.process(path) else {
        Issue.record("the recording was processed again")
        return
      }
      // A track is checked like any other result.
      let track = "\(folder)/out/walk.positions.a%2Fb.tum"
      try Data("changed".utf8).write(to: URL(filePath: track))
      guard case .done(_, _, let reason) = try await again.process(path) else {
        Issue.record("the recording was skipped")
        return
      }
      #expect(reason == "\(track) differs from what was written")
      var other = batch(folder, [.csv])
      other.resumes = true
      guard case .done(_, _, let change) = try await other.process(path) else {
        Issue.record("the recording was skipped")
        return
      }
      #expect(change == "its results were made with other settings")
    }
  }

  @Test func keepsForeignFiles() async throws {
    try await withTemporaryFolder { folder in
      try write(in: folder)
      try FileManager.default.createDirectory(
        atPath: "\(folder)/out", withIntermediateDirectories: true)
      for name in ["walk.positions.a%2Fb.tum", "walk.positions.jsonl"] {
        let path = "\(folder)/out/\(name)"
        try Data("mine".utf8).write(to: URL(filePath: path))
        let format: ResultFormat = name.hasSuffix("tum") ? .tum : .jsonl
        await #expect(
          throws: RecordingError.cannotWrite(
            path: path,
            reason: "already exists (use --force to replace it, or --resume to continue)")
        ) { try await batch(folder, [format]).process("\(folder)/walk.csv") }
        #expect(try names("\(folder)/out") == [name])
        try FileManager.default.removeItem(atPath: path)
      }
      // A result that was modified later is not removed.
      try await batch(folder, [.jsonl]).process("\(folder)/walk.csv")
      let changed = "\(folder)/out/walk.positions.jsonl"
      try Data("mine".utf8).write(to: URL(filePath: changed))
      var replacing = batch(folder, [.csv])
      replacing.overwrites = true
      try await replacing.process("\(folder)/walk.csv")
      #expect(try String(contentsOfFile: changed, encoding: .utf8) == "mine")
      #expect(try !names("\(folder)/out").contains("walk.distances.jsonl"))
    }
  }

  @Test func rejectsTooManyTracks() async throws {
    try await withTemporaryFolder { folder in
      try write(in: folder)
      let most = ResultFileSet.mostTracks
      for (name, tags) in [("walk", most + 1), ("most", most)] {
        var text = "time_s,tag,anchor,distance_m\n"
        for tag in 0..<tags {
          for range in polledRanges(from: Vector([3, 2, 1]), rounds: 2) {
            text += "\(range.seconds),\(tag),\(range.anchor),\(range.distance)\n"
          }
        }
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name).csv"))
      }
      await #expect(throws: RecordingError.self) {
        try await batch(folder, [.tum]).process("\(folder)/walk.csv")
      }
      #expect(try names("\(folder)/out").isEmpty)
      try await batch(folder, [.csv]).process("\(folder)/walk.csv")
      try await batch(folder, [.tum]).process("\(folder)/most.csv")
      #expect(try names("\(folder)/out").count { $0.hasSuffix(".tum") } == most)
    }
  }
}
