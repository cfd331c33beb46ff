import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct TruthReaderTests {
  private func read(_ text: String, info: RecordingInfo = RecordingInfo()) throws -> Truth {
    try TruthReader.read(ByteSource(path: "truth.csv", stored: Array(text.utf8)), info: info)
  }

  @Test func findsColumnsByNameAndSeparatesTags() throws {
    let truth = try read(
      "z,tag,heading_rad,t,y,x_cm\n3,a,0.1,1.5,2,100\n6,b,0.1,1.5,5,400\n9,a,0.1,2.5,8,700\n")
    #expect(truth.tracks.keys.sorted() == ["a", "b"])
    let track = try #require(truth.track(of: "a"))
    #expect(track.times == [1.5, 2.5].map { Timestamp(nanoseconds: Int64($0 * 1e9)) })
    #expect(track.positions[0].array == [1, 2, 3])
    #expect(track.positions[1].array == [7, 8, 9])
    #expect(truth.rejected.isEmpty)
  }

  @Test func addsOffsetsOfRecording() throws {
    var info = RecordingInfo()
    info.truthTimeOffset = 0.25
    info.truthOffset = [1, 10, 100]
    let truth = try read("time_s,x,y,z\n1,1,2,3\n", info: info)
    let track = try #require(truth.track(of: "any"))
    #expect(track.times == [Timestamp(nanoseconds: 1_250_000_000)])
    #expect(track.positions[0].array == [2, 12, 103])
  }

  @Test func rejectsInvalidRows() throws {
    let truth = try read("time_s,x,y,z\n0,1,2,3\n1,nan,2,3\n2,1,2\n3,,2,3\n4,1,2,1e999\n5,1,2,3\n")
    #expect(truth.track(of: "")?.count == 2)
    #expect(truth.rejected.map(\.line) == [3, 4, 5, 6])
    #expect(
      truth.rejected.map(\.reason) == [
        "x is not a number: \"nan\"", "row has 3 fields, the header has 4", "x is missing",
        "z is not a finite number: \"1e999\"",
      ])
    #expect(truth.rejected[0].text == "1,nan,2,3")
  }

  @Test func requiresColumns() {
    #expect(throws: RecordingError.self) { try read("time_s,x,z\n0,1,2\n") }
    #expect(throws: RecordingError.self) { try read("") }
  }

  @Test func truthWithoutHeightsIsPlanar() throws {
    let truth = try read("time_s,x,y\n0,1,2\n")
    #expect(truth.isPlanar && truth.track(of: "")?.positions.first?.array == [1, 2, 0])
    #expect(try !read("time_s,x,y,z\n0,1,2,0\n").isPlanar)
  }

  @Test func readsFolder() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "fathom-truth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path(percentEncoded: false)
    #expect(try TruthReader.read(folder: path) == nil)
    try Data("time_s,x,y,z\n0,1,2,3\n".utf8).write(to: folder.appending(path: "truth.csv"))
    try Data(#"{"truth_offset_m": [0, 0, 1]}"#.utf8)
      .write(to: folder.appending(path: "recording.json"))
    let truth = try #require(try TruthReader.read(folder: path))
    #expect(truth.track(of: "")?.positions[0].array == [1, 2, 4])
  }

  @Test(.needsReference("datasets/lias_trolley_fast"))
  func readsDatasetTruth() throws {
    let folder = Reference.url("datasets/lias_trolley_fast").path(percentEncoded: false)
    let truth = try #require(try TruthReader.read(folder: folder))
    #expect(truth.tracks.keys.sorted() == ["0", "1", "2"])
    #expect(truth.rejected.isEmpty)
  }
}
