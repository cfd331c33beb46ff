import Foundation
import TestSupport
import Testing

/// `fathom process` on trees and lists of recordings.
@Suite struct BatchSelectionTests {
  private func rows(_ count: Int) -> String {
    "time_s,tag,anchor,distance_m\n"
      + (0..<count).map { "\(Double($0) / 10),T,A,\(2 + Double($0 % 7) / 10)\n" }.joined()
  }

  private func tree() throws -> Folder {
    let folder = try Folder()
    try folder.write("tree/a/walk/ranges.csv", rows(20))
    try folder.write("tree/b/walk/ranges.csv", rows(30))
    try folder.write("tree/b/old/ranges.csv", "")
    try folder.write("tree/drive.csv", rows(5))
    return folder
  }

  private func table(_ folder: Folder, _ output: String = "out") throws -> [[String]] {
    try folder.text("\(output)/batch.csv").split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }

  @Test func processesTree() throws {
    let folder = try tree()
    let outcome = try FathomTool.run("process", "--recursive", "tree", "-o", "out", in: folder)
    #expect(outcome.exitCode == 65)
    #expect(
      outcome.errors.hasSuffix(
        "tree/b/old/ranges.csv: the file is empty\nfailed: 1 of 3 recordings\n"))
    #expect(folder.names("out") == FathomTool.batch("tree_a_walk", "tree_b_walk"))
    let table = try table(folder)
    #expect(table.map { $0[0] } == ["name", "tree_a_walk", "tree_b_old", "tree_b_walk"])
    #expect(table.map { $0[2] } == ["status", "done", "failed", "done"])
    #expect(table.map { $0[3] } == ["rows_read", "20", "", "30"])
    #expect(table.map { $0[18] } == ["exit_code", "", "65", ""])
    #expect(table[2].last == "tree/b/old/ranges.csv: the file is empty")

    let some = try FathomTool.run(
      "process", "--recursive", "tree", "--include", "*.csv", "--exclude", "old", "--name-by",
      "{parent}-{name}", "-o", "some", in: folder)
    #expect(some.exitCode == 0)
    #expect(folder.names("some") == FathomTool.batch("a-walk", "b-walk", "tree-drive"))
  }

  /// The results do not depend on the number of jobs.
  @Test func resultsAreTheSameForAnyNumberOfJobs() throws {
    let folder = try tree()
    for (jobs, output) in [("1", "one"), ("5", "five")] {
      _ = try FathomTool.run(
        "process", "--recursive", "tree", "-o", output, "--jobs", jobs, in: folder)
    }
    for name in FathomTool.results("tree_a_walk", "tree_b_walk") {
      #expect(try folder.text("one/\(name)") == folder.text("five/\(name)"))
    }
  }

  @Test func readsListOfRecordings() throws {
    let folder = try tree()
    let list = "# the best\ntree/a/walk\n\ntree/b/walk\r\n"
    try folder.write("list", list)
    let clash = try FathomTool.run("process", "--recordings-from", "list", "-o", "out", in: folder)
    #expect(clash.exitCode == 64)
    #expect(clash.errors.contains("would both write walk.positions.csv; name them differently"))
    for source in ["list", "-"] {
      let outcome = try FathomTool.run(
        [
          "process", "tree/drive.csv", "--recordings-from", source, "--name-by", "path", "-o",
          "of\(source)",
        ],
        in: folder, input: Array(list.utf8))
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      #expect(
        try table(folder, "of\(source)").map { $0[0] } == [
          "name", "tree_drive", "tree_a_walk", "tree_b_walk",
        ])
    }
    let lost = try FathomTool.run(
      "process", "--recordings-from", "nowhere", "-o", "out", in: folder)
    #expect(lost.exitCode == 66 && lost.errors == "nowhere: No such file or directory\n")
  }

  @Test func runsIntoOneFolderKeepTheirEntries() throws {
    let folder = try tree()
    func run(_ path: String, _ options: String...) throws -> Int32 {
      try FathomTool.run(["process", path, "--name-by", "path", "-o", "out"] + options, in: folder)
        .exitCode
    }
    #expect(try run("tree/a/walk") == 0)
    #expect(try run("tree/b/old") == 65)
    #expect(try run("tree/b/walk") == 0)
    #expect(
      try table(folder).map { $0[0] } == ["name", "tree_a_walk", "tree_b_old", "tree_b_walk"])
    try folder.write("tree/b/old/ranges.csv", rows(3))
    #expect(try run("tree/b/old") == 0)
    #expect(try table(folder).map { $0[2] } == ["status", "done", "done", "done"])
    let manifest = try JSONSerialization.jsonObject(with: Data(folder.text("out/batch.json").utf8))
    let object = try #require(manifest as? [String: Any])
    #expect((object["recordings"] as? [Any])?.count == 3)
    #expect((object["totals"] as? [String: Any])?["recordings"] as? Int == 1)
    #expect(folder.names("out").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func keepsForeignTableWithoutForce() throws {
    let folder = try tree()
    try folder.write("out/batch.csv", "mine\n")
    let refused = try FathomTool.run("process", "tree/drive.csv", "-o", "out", in: folder)
    #expect(refused.exitCode == 73 && refused.errors.contains("is not the table of a batch"))
    #expect(try folder.text("out/batch.csv") == "mine\n")
  }

  @Test func writesPositionsToStandardOutput() throws {
    let folder = try Folder()
    let robot = FathomTool.dataset("robot-2d")
    let files = try FathomTool.run("process", robot, "-o", "out", in: folder)
    #expect(files.exitCode == 0)
    let outcome = try FathomTool.run("process", robot, "-o", "-", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(try outcome.output == folder.text("out/robot-2d.positions.csv"))
    #expect(folder.names() == ["out"])
    let lines = try FathomTool.run("process", robot, "-o", "-", "--results", "jsonl", in: folder)
    #expect(lines.output.hasPrefix("{\"time_s\":"))
    try folder.write("bad.csv", "")
    let failed = try FathomTool.run("process", "bad.csv", "-o", "-", in: folder)
    #expect(failed.exitCode == 65 && failed.output.isEmpty)
    #expect(failed.errors == "bad.csv: the file is empty\n")
  }

  @Test(arguments: [
    ["tree/a/walk", "--include", "x"], ["tree/a/walk", "--recursive", "--include", ""],
    ["tree/a/walk", "--name-by", "folders"], ["-", "--recordings-from", "-"],
    ["tree/a/walk", "tree/drive.csv", "-o", "-"], ["tree/a/walk", "-o", "-", "--json"],
    ["tree/a/walk", "-o", "-", "--results", "tum"], ["tree/a/walk", "--with", "velocity"],
  ])
  func refusesWrongUsage(_ arguments: [String]) throws {
    let folder = try tree()
    let output = arguments.contains("-o") ? [] : ["-o", "out"]
    let outcome = try FathomTool.run(["process"] + arguments + output, in: folder)
    #expect(outcome.exitCode == 64 && outcome.output.isEmpty, "\(outcome.errors)")
    #expect(folder.names() == ["tree"])
  }
}
