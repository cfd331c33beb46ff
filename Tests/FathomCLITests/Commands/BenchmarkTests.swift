import Foundation
import Testing

@Suite struct BenchmarkTests {
  private let robot = FathomTool.dataset("robot-2d")

  @Test func printsTablesAndRankingsOnly() throws {
    let folder = try Folder()
    let outcome = try FathomTool.run(
      "benchmark", robot, "--methods", "fix,filter,raw", "--repeat", "1", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.lines[0] == "robot-2d: positions, 2159 ranges")
    #expect(outcome.lines.contains { $0.hasPrefix("filter ") && $0.contains("*") })
    #expect(outcome.lines.contains("ranking of position methods on robot-2d"))
    #expect(outcome.lines.contains("ranking of distance methods on robot-2d"))
    #expect(folder.names().isEmpty)
  }

  @Test func comparesWithBaseline() throws {
    let folder = try Folder()
    let first = try FathomTool.run(
      "benchmark", robot, "--methods", "filter", "--repeat", "1", "--json", "b.json", in: folder)
    #expect(first.exitCode == 0)
    struct Result: Codable {
      var recording: String
      var method: String
      var rmse_m: Double
    }
    let results = try JSONDecoder().decode([Result].self, from: Data(folder.text("b.json").utf8))
    #expect(results.map(\.recording) == ["robot-2d"] && results.map(\.method) == ["filter"])
    let error = try #require(results.first).rmse_m

    let same = try FathomTool.run(
      "benchmark", robot, "--methods", "filter", "--repeat", "1", "--baseline", "b.json", in: folder
    )
    #expect(same.exitCode == 0)
    #expect(same.errors == "1 of 1 results compared with the baseline, none is worse\n")

    // Against a baseline with smaller errors the same results are worse.
    try folder.write(
      "better.json",
      try folder.text("b.json").replacingOccurrences(of: "\(error)", with: "\(0.9 * error)"))
    let worse = try FathomTool.run(
      "benchmark", robot, "--methods", "filter", "--repeat", "1", "--baseline", "better.json",
      in: folder)
    #expect(worse.exitCode == 1)
    #expect(worse.errors.contains("robot-2d: filter: rmse_m was"))
    let tolerant = try FathomTool.run(
      "benchmark", robot, "--methods", "filter", "--repeat", "1", "--baseline", "better.json",
      "--tolerance", "12", in: folder)
    #expect(tolerant.exitCode == 0)
  }

  @Test func replacesResultsOnlyWithForce() throws {
    let folder = try Folder()
    try folder.write("b.json", "old")
    let arguments = ["benchmark", robot, "--methods", "raw", "--repeat", "1", "--json", "b.json"]
    let refused = try FathomTool.run(arguments, in: folder)
    #expect(refused.exitCode == 73)
    #expect(refused.errors == "b.json: already exists (use --force to replace it)\n")
    #expect(try folder.text("b.json") == "old")
    #expect(try FathomTool.run(arguments + ["--force"], in: folder).exitCode == 0)
    #expect(try folder.text("b.json") != "old")
  }

  @Test func printsJSONAloneToStandardOutput() throws {
    let folder = try Folder()
    let outcome = try FathomTool.run(
      "benchmark", robot, "--methods", "raw", "--repeat", "1", "--json", "-", in: folder)
    let objects = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [Any]
    #expect(objects?.count == 1)
  }

  @Test func continuesAfterBadRecording() throws {
    let folder = try Folder()
    let outcome = try FathomTool.run(
      "benchmark", "lost", robot, "--methods", "filter", "--repeat", "1", "--json", "b.json",
      in: folder)
    #expect(outcome.exitCode == 66)
    #expect(outcome.errors.hasPrefix("lost: "))
    #expect(outcome.output.contains("robot-2d: positions"))
    #expect(folder.names() == ["b.json"])
  }

  @Test func measuresSpeedWithoutTruth() throws {
    let folder = try Folder()
    try folder.write("ranges.csv", "time_s,tag,anchor,distance_m\n0,t,a,1\n0.1,t,a,1.1\n")
    let outcome = try FathomTool.run("benchmark", "ranges.csv", "--repeat", "1", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors == "ranges: note: there is no truth.csv; only speed is measured\n")
    #expect(!outcome.output.contains("ranking"))
  }

  @Test func notesRecordingWithoutApplicableMethod() throws {
    let outcome = try FathomTool.run(
      "benchmark", FathomTool.dataset("phone-accessory"), robot, "--methods", "fix", "--repeat",
      "1", in: Folder())
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.hasPrefix("phone-accessory: note: none of these methods applies to"))
    #expect(outcome.errors.contains("--anchors FILE"))
    #expect(outcome.output.contains("robot-2d: positions"))
  }

  @Test func listsTheMethods() throws {
    let outcome = try FathomTool.run("benchmark", "--list", in: Folder())
    #expect(outcome.exitCode == 0)
    #expect(outcome.lines.contains { $0.hasPrefix("filter ") })
    #expect(outcome.lines.contains { $0.hasPrefix("hampel ") && $0.contains("window 7 ranges") })
  }

  @Test func explainsMisuse() throws {
    let folder = try Folder()
    let unknown = try FathomTool.run("benchmark", robot, "--methods", "philter", in: folder)
    #expect(unknown.exitCode == 64)
    #expect(unknown.errors.contains("there is no method \"philter\"; use one of linear,"))
    #expect(try FathomTool.run("benchmark", in: folder).exitCode == 64)
    #expect(try FathomTool.run("benchmark", robot, "--repeat", "0", in: folder).exitCode == 64)
    #expect(try FathomTool.run("benchmark", robot, robot, in: folder).exitCode == 64)
    let lost = try FathomTool.run("benchmark", robot, "--baseline", "lost.json", in: folder)
    #expect(lost.exitCode == 66)
    try folder.write("odd.json", "[{}]")
    let odd = try FathomTool.run("benchmark", robot, "--baseline", "odd.json", in: folder)
    #expect(odd.exitCode == 65)
    #expect(
      odd.errors == "odd.json: is not the result of fathom benchmark --json:"
        + " the key \"recording\" is missing\n")
  }
}
