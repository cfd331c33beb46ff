import Foundation
import Testing

@Suite struct SimulateTests {
  private static let files: Set = ["anchors.csv", "ranges.csv", "recording.json", "truth.csv"]

  @Test func aScenarioGivesTheRecordingThatComesWithIt() throws {
    let folder = try Folder()
    let dataset = FathomTool.dataset("robot-2d")
    let outcome = try FathomTool.run(
      "simulate", "\(dataset)/scenario.yaml", "-o", "a/b", in: folder)
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.errors.isEmpty)
    #expect(folder.names("a/b") == Self.files)
    for name in Self.files {
      let committed = try String(contentsOf: URL(filePath: "\(dataset)/\(name)"), encoding: .utf8)
      #expect(try folder.text("a/b/\(name)") == committed, "\(name)")
    }
    #expect(folder.names("a") == ["b"])
  }

  @Test func filesAreReplacedOnlyWhenAskedFor() throws {
    let folder = try Folder()
    let scenario = "\(FathomTool.dataset("robot-2d"))/scenario.yaml"
    try folder.write("out/truth.csv", "old")
    let refused = try FathomTool.run("simulate", scenario, "-o", "out", in: folder)
    #expect(refused.exitCode == 73)
    #expect(refused.errors == "out/truth.csv: is there already (replace: --force)\n")
    #expect(folder.names("out") == ["truth.csv"])
    let forced = try FathomTool.run("simulate", scenario, "-o", "out", "--force", in: folder)
    #expect(forced.exitCode == 0)
    #expect(folder.names("out") == Self.files)
  }

  @Test func theSeedMayBeGiven() throws {
    let folder = try Folder()
    let scenario = "\(FathomTool.dataset("robot-2d"))/scenario.yaml"
    for (seed, output) in [("1", "a"), ("1", "b"), ("2", "c")] {
      let outcome = try FathomTool.run(
        "simulate", scenario, "-o", output, "--seed", seed, in: folder)
      #expect(outcome.exitCode == 0)
    }
    #expect(try folder.text("a/ranges.csv") == folder.text("b/ranges.csv"))
    #expect(try folder.text("a/ranges.csv") != folder.text("c/ranges.csv"))
  }

  @Test func misuseIsExplained() throws {
    let folder = try Folder()
    let lost = try FathomTool.run("simulate", "lost.yaml", "-o", "out", in: folder)
    #expect(lost.exitCode == 66 && lost.errors == "lost.yaml: is not there\n")
    let empty = try FathomTool.run("simulate", "-", "-o", "out", in: folder, input: [])
    #expect(empty.exitCode == 65 && empty.errors.hasPrefix("standard input:"))
    try folder.write("file", "")
    let scenario = "\(FathomTool.dataset("robot-2d"))/scenario.yaml"
    let blocked = try FathomTool.run("simulate", scenario, "-o", "file", in: folder)
    #expect(blocked.exitCode == 73)
    #expect(blocked.errors == "file/ranges.csv: Not a directory\n")
    let unnamed = try FathomTool.run("simulate", scenario, "-o", "", in: folder)
    #expect(unnamed.exitCode == 64)
    #expect(unnamed.errors.contains("--output wants the name of a folder"))
    #expect(folder.names() == ["file"])
  }
}
