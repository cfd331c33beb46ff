import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct ResultReaderTests {
  private func processed(tag: String = "T", rounds: Int = 20) -> ProcessedRecording {
    let ranges = polledRanges(from: Vector([3, 2, 1]), rounds: rounds).map {
      MadeRange(seconds: $0.seconds, tag: tag, anchor: $0.anchor, distance: $0.distance)
    }
    return Recording.made(anchors: roomAnchors, ranges: ranges).processed()
  }

  private func source(_ processed: ProcessedRecording, _ index: Int) -> ByteSource? {
    let file = ResultWriter.files(of: processed, in: "")[index]
    return try? ByteSource(path: file.path, stored: file.bytes)
  }

  /// Reading and writing again gives byte-identical files.
  ///
  /// With one round, the tag's name is a large part of each file.
  @Test(arguments: ["a \"b\", c", String(repeating: "\u{5}", count: 13) + "T"], [1, 20])
  func writtenFilesRoundTrip(_ tag: String, _ rounds: Int) throws {
    let first = processed(tag: tag, rounds: rounds)
    var second = first
    second.positions = try ResultReader.positions(try #require(source(first, 0)))
    second.distances = try ResultReader.distances(try #require(source(first, 1)))
    #expect(second.positions.time == first.positions.time)
    #expect(second.positions.status == first.positions.status)
    #expect(second.positions.tag.first == tag)
    #expect(second.positions.position.first?[0].isNaN == true)
    #expect(second.distances.decision == first.distances.decision)
    for index in 0..<2 {
      #expect(source(second, index)?.bytes == source(first, index)?.bytes)
    }
  }

  @Test func summaryRoundTrips() throws {
    let summary = processed().summary
    #expect(summary.consistency?.timeline?.isEmpty == false)
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).summary.json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(ResultWriter.line(of: summary).utf8).write(to: file)
    #expect(try ResultReader.summary(file.path) == summary)
  }

  @Test(arguments: [
    ("1,T,A,1,1,1,superb,outside,,,used", "d.csv:2: unknown quality: \"superb\""),
    ("1,T,A,1,1,1,good,outside,,,", "d.csv:2: unknown decision: \"\""),
    ("x,T,A,1,1,1,good,outside,,,used", "d.csv:2: time_s is not a number: \"x\""),
    ("1,T,A,1", "d.csv:2: row has 4 fields, the header has 11"),
    ("1,T,A,1,1,inf,good,outside,,,used", "d.csv:2: sigma_m is not a number: \"inf\""),
  ])
  func rejectsInvalidRow(_ row: String, _ message: String) throws {
    let text = "\(ResultWriter.distancesHeader)\n\(row)\n"
    let error = #expect(throws: RecordingError.self) {
      try ResultReader.distances(ByteSource(path: "d.csv", stored: Array(text.utf8)))
    }
    #expect(error?.description == message)
    #expect(error?.exitCode == 65)
  }

  @Test func rejectsOtherFiles() throws {
    let error = #expect(throws: RecordingError.self) {
      try ResultReader.positions(ByteSource(path: "p.csv", stored: Array("time_s,tag\n".utf8)))
    }
    #expect(error?.description.contains("p.csv:1: the header lacks x_m") == true)
    #expect(throws: RecordingError.badData(path: "e", line: nil, reason: "the file is empty")) {
      try ResultReader.positions(ByteSource(path: "e", stored: []))
    }
  }
}
