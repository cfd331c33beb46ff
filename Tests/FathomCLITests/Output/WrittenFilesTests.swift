import FathomReports
import Foundation
import TestSupport
import Testing

/// What commands that write files or rows print with `--json`.
@Suite struct WrittenFilesTests {
  private struct Written: Decodable {
    struct File: Decodable, Equatable { var path: String, bytes: Int }
    var files: [File]
    var ranges: Int?, positions: Int?, anchors: Int?, tags: Int?, rejected: Int?, figures: Int?
  }

  private func size(_ path: String, in folder: Folder) throws -> Int {
    try folder.text(path).utf8.count
  }

  @Test func convertListsFilesAndCounts() throws {
    let folder = try Folder()
    try folder.write(
      "rows.csv", "time_s,tag,anchor,distance_m\n0,T,A,2\n1,T,B,3\n2,T,B,x\n")
    let outcome = try FathomTool.run("convert", "rows.csv", "-o", "out", "--json", in: folder)
    let found = try outcome.decoded(Written.self)
    #expect(outcome.exitCode == 0 && outcome.lines.count == 1)
    #expect(
      found.files == [
        .init(path: "out/ranges.csv", bytes: try size("out/ranges.csv", in: folder))
      ])
    #expect(found.ranges == 2 && found.rejected == 1 && found.tags == 1 && found.anchors == 0)
    let track = try FathomTool.run(
      "convert", "\(FathomTool.dataset("robot-2d"))/truth.csv", "--to", "tum", "-o", "tracks",
      "--json", in: folder)
    let written = try track.decoded(Written.self)
    #expect(written.files.map(\.path) == ["tracks/truth.tum"])
    #expect(written.ranges == nil && (written.positions ?? 0) > 1000)
  }

  @Test func simulatePrintsOneObjectPerRecording() throws {
    struct Made: Decodable {
      var recording: String, scenario: String, seed: Int, ranges: Int, anchors: Int
    }
    let folder = try Folder()
    let outcome = try FathomTool.run(
      "simulate", "\(FathomTool.dataset("robot-2d"))/scenario.yaml", "-o", "out", "--runs", "2",
      "--json", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    let made = try outcome.lines.map { try JSONDecoder().decode(Made.self, from: Data($0.utf8)) }
    #expect(made.map(\.recording) == ["out/robot-2d-0001", "out/robot-2d-0002"])
    #expect(made.map(\.seed) == [20260, 20261] && made.map(\.anchors) == [4, 4])
    #expect(made.allSatisfy { $0.ranges > 1000 && $0.scenario == "robot-2d" })
  }

  @Test(.enabled(if: FathomTool.hasGnuplot)) func reportListsPageAndFigures() throws {
    let folder = try Folder()
    let processed = try FathomTool.run(
      "process", FathomTool.dataset("phone-accessory"), "-o", "out", in: folder)
    try #require(processed.exitCode == 0)
    let outcome = try FathomTool.run(
      "report", "out", "-o", "r.html", "--figures", "figures", "--json", in: folder)
    let found = try outcome.decoded(Written.self)
    #expect(found.files.first?.path == "r.html")
    #expect(
      found.figures == found.files.count - 1 && folder.names("figures").count == found.figures)
    let both = try FathomTool.run("report", "out", "-o", "-", "--json", in: folder)
    #expect(both.exitCode == 64 && both.errors.contains("cannot be combined"))
  }

  @Test func streamEndsWithSummary() throws {
    struct Last: Decodable {
      struct Summary: Decodable {
        var ranges: Int, tags: Int, rejected: Int, dropped: Int, positions: [String: Int]
      }
      var summary: Summary
    }
    let outcome = try FathomTool.run(
      "stream", FathomTool.dataset("robot-2d"), "--speed", "inf", "--json", in: try Folder())
    let line = outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
    let summary = try JSONDecoder().decode(Last.self, from: Data(line.utf8)).summary
    #expect(summary.ranges == 2159 && summary.tags == 1 && summary.rejected == 0)
    #expect((summary.positions["tracking"] ?? 0) > 2000 && summary.dropped == 0)
  }
}
