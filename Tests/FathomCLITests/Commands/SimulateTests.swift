import Foundation
import Testing

@Suite struct SimulateTests {
  private static let files: Set = ["anchors.csv", "ranges.csv", "recording.json", "truth.csv"]

  @Test func reproducesCommittedRecording() throws {
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

  @Test func replacesFilesOnlyWithForce() throws {
    let folder = try Folder()
    let scenario = "\(FathomTool.dataset("robot-2d"))/scenario.yaml"
    try folder.write("out/truth.csv", "old")
    let refused = try FathomTool.run("simulate", scenario, "-o", "out", in: folder)
    #expect(refused.exitCode == 73)
    #expect(refused.errors == "out/truth.csv: already exists (use --force to replace it)\n")
    #expect(folder.names("out") == ["truth.csv"])
    let forced = try FathomTool.run("simulate", scenario, "-o", "out", "--force", in: folder)
    #expect(forced.exitCode == 0)
    #expect(folder.names("out") == Self.files)
  }

  @Test func seedOptionSetsRandomNumbers() throws {
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

  @Test func explainsMisuse() throws {
    let folder = try Folder()
    let lost = try FathomTool.run("simulate", "lost.yaml", "-o", "out", in: folder)
    #expect(lost.exitCode == 66 && lost.errors == "lost.yaml: No such file or directory\n")
    let empty = try FathomTool.run("simulate", "-", "-o", "out", in: folder, input: [])
    #expect(empty.exitCode == 65 && empty.errors.hasPrefix("standard input:"))
    try folder.write("file", "")
    let scenario = "\(FathomTool.dataset("robot-2d"))/scenario.yaml"
    let blocked = try FathomTool.run("simulate", scenario, "-o", "file", in: folder)
    #expect(blocked.exitCode == 73)
    #expect(blocked.errors == "file/ranges.csv: Not a directory\n")
    for output in ["", "-"] {
      for command in [["simulate", scenario], ["convert", FathomTool.dataset("robot-2d")]] {
        let unnamed = try FathomTool.run(command + ["-o", output], in: folder)
        #expect(unnamed.exitCode == 64)
        #expect(unnamed.errors.contains("--output must name a folder: the results are several"))
      }
    }
    #expect(folder.names() == ["file"])
  }

  @Test func writesFolderPerScenario() throws {
    let folder = try Folder()
    let outcome = try FathomTool.run(
      "simulate", "\(FathomTool.dataset("robot-2d"))/scenario.yaml",
      FathomTool.dataset("Scenarios/tdoa-hall.yaml"), "-o", "out", in: folder)
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.errors.isEmpty)
    #expect(folder.names("out") == ["robot-2d", "tdoa-hall"])
    #expect(folder.names("out/robot-2d") == Self.files)
    #expect(
      folder.names("out/tdoa-hall") == ["anchors.csv", "recording.json", "tdoa.csv", "truth.csv"])
    let header = try folder.text("out/tdoa-hall/tdoa.csv").prefix { $0 != "\n" }
    #expect(header == "time_s,tag,anchor_a,anchor_b,difference_m")
  }

  @Test func runsIncrementSeed() throws {
    let folder = try Folder()
    // Shortened from 50 s to 2 s.
    let whole = try String(
      contentsOfFile: FathomTool.dataset("Scenarios/linear-gaussian.yaml"), encoding: .utf8)
    let scenario = "brief.yaml"
    try folder.write(
      scenario, whole.replacingOccurrences(of: "duration_s: 50", with: "duration_s: 2"))
    let outcome = try FathomTool.run(
      "simulate", scenario, "-o", "out", "--seed", "8", "--runs", "3", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    #expect(
      folder.names("out") == [
        "linear-gaussian-0001", "linear-gaussian-0002", "linear-gaussian-0003",
      ])
    let single = try FathomTool.run("simulate", scenario, "-o", "one", "--seed", "9", in: folder)
    #expect(single.exitCode == 0)
    for name in ["ranges.csv", "truth.csv", "recording.json"] {
      #expect(
        try folder.text("one/\(name)") == folder.text("out/linear-gaussian-0002/\(name)"))
      #expect(
        try folder.text("one/\(name)") != folder.text("out/linear-gaussian-0001/\(name)"))
    }
  }

  @Test func writesNothingAfterAnyFault() throws {
    let folder = try Folder()
    let good = "\(FathomTool.dataset("robot-2d"))/scenario.yaml"
    try folder.write("bad.yaml", "name: bad\nseed: x\nduration_s: 1\n")
    let bad = try FathomTool.run("simulate", good, "bad.yaml", "-o", "out", in: folder)
    #expect(bad.exitCode == 65)
    #expect(bad.errors == "bad.yaml:2: seed must be a whole number of 0 or more\n")
    let twice = try FathomTool.run("simulate", good, good, "-o", "out", in: folder)
    #expect(twice.exitCode == 65 && twice.errors.contains("has the same name as"))
    let other = FathomTool.dataset("Scenarios/still-tag.yaml")
    try folder.write("out/still-tag/truth.csv", "old")
    let blocked = try FathomTool.run("simulate", good, other, "-o", "out", in: folder)
    #expect(blocked.exitCode == 73)
    #expect(
      blocked.errors == "out/still-tag/truth.csv: already exists (use --force to replace it)\n")
    #expect(folder.names("out") == ["still-tag"])
    for runs in ["0", "10000", "-1"] {
      let outcome = try FathomTool.run(
        "simulate", good, "-o", "out", "--runs", runs, in: folder)
      #expect(outcome.exitCode == 64, "\(runs)")
    }
  }

  @Test func scenarioPathsAreRelativeToItsFile() throws {
    let folder = try Folder()
    let text = """
      name: filed
      seed: 1
      duration_s: 2
      anchors: {file: plan.csv}
      tags: [{id: cart, still: {x: 1, y: 1, z: 0}}]
      polling: {rate_hz: 5}
      noise: {sigma_m: 0}
      """
    try folder.write("deep/scenario.yaml", text)
    try folder.write("deep/plan.csv", "id,x,y,z\nA,0,0,2\n")
    let beside = try FathomTool.run("simulate", "deep/scenario.yaml", "-o", "a", in: folder)
    #expect(beside.exitCode == 0 && beside.errors.isEmpty)
    #expect(try folder.text("a/anchors.csv") == "id,x,y,z\nA,0.0000,0.0000,2.0000\n")
    // For standard input, paths are relative to the working folder.
    let lost = try FathomTool.run(
      "simulate", "-", "-o", "b", in: folder, input: Array(text.utf8))
    #expect(lost.exitCode == 65)
    #expect(
      lost.errors
        == "standard input:4: anchors.file cannot be read: plan.csv: No such file or directory\n")
    try folder.write("plan.csv", "id,x,y,z\nA,0,0,2\n")
    let found = try FathomTool.run(
      "simulate", "-", "-o", "b", in: folder, input: Array(text.utf8))
    #expect(found.exitCode == 0)
  }
}
