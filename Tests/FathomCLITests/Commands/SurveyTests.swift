import FathomRecordings
import Foundation
import TestSupport
import Testing

/// `fathom calibrate --survey`.
@Suite struct SurveyTests {
  /// A folder with the recording `walk` of a minute in a room of 10 x 8 m, in which anchor D has no x
  /// and y.
  private func folder() throws -> Folder {
    let folder = try Folder()
    let places: [(String, Double, Double, Double)] = [
      ("A", 0, 0, 2.1), ("B", 10, 0, 2.4), ("C", 10, 8, 2.0), ("D", 0, 8, 2.4),
    ]
    var rows = "time_s,tag,anchor,distance_m\n"
    for step in 0..<2400 {
      let time = 0.025 * Double(step)
      let (x, y) = (5 + 3.5 * cos(0.2 * time), 4 + 3 * sin(0.31 * time))
      let (name, ax, ay, az) = places[step % 4]
      let error = 0.02 * Double(step * 7919 % 13 - 6)
      let distance = hypot(hypot(x - ax, y - ay), az - 0.3) + error
      rows += "\(time),T,\(name),\(distance)\n"
    }
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "walk"), withIntermediateDirectories: true)
    try folder.write("walk/ranges.csv", bytes: Array(rows.utf8))
    try folder.write(
      "walk/anchors.csv",
      bytes: Array("id,x,y,z\nA,0,0,2.1\nB,10,0,2.4\nC,10,8,2.0\nD,,,2.4\n".utf8))
    try folder.write("walk/recording.json", bytes: Array(#"{"height_m": 0.3}"#.utf8))
    return folder
  }

  @Test func findsTheAnchorAndWritesAFile() throws {
    let folder = try folder()
    let run = try FathomTool.run("calibrate", "walk", "--survey", "-o", "found.csv", in: folder)
    #expect(run.exitCode == 0, "\(run.errors)")
    #expect(run.lines.last?.hasSuffix("found") == true, "\(run.output)")
    let found = try AnchorsReader.read(
      folder.url.appending(path: "found.csv").path(percentEncoded: false))
    let anchor = try #require(found.anchors.last)
    #expect(anchor.position[0].magnitude < 0.05)
    #expect((anchor.position[1] - 8).magnitude < 0.05)
    #expect((anchor.positionSigma ?? 1) < 0.1)
    let again = try FathomTool.run("calibrate", "walk", "--survey", "-o", "found.csv", in: folder)
    #expect(again.exitCode == 73)
  }

  @Test func printsOneArray() throws {
    let run = try FathomTool.run("calibrate", "walk", "--survey", "--json", in: try folder())
    struct Anchor: Decodable {
      var anchor: String
      var verdict: String
    }
    let anchors = try run.decoded([Anchor].self)
    #expect(anchors.map(\.anchor) == ["A", "B", "C", "D"])
    #expect(anchors.map(\.verdict) == ["known", "known", "known", "found"])
  }

  @Test func otherCommandsRefuseAnchorsWithoutAPosition() throws {
    let run = try FathomTool.run("process", "walk", "-o", "out", in: try folder())
    #expect(run.exitCode == 65)
    #expect(run.errors.contains("anchor \"D\" has no position"), "\(run.errors)")
  }
}
