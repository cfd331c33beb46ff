import Foundation
import TestSupport
import Testing

/// `fathom process` as a job that survives: resumed, cut short, out of space.
@Suite struct BatchTests {
  private func rows(_ count: Int) -> String {
    "time_s,tag,anchor,distance_m\n"
      + (0..<count).map { "\(Double($0) / 10),T,A,\(2 + Double($0 % 7) / 10)\n" }.joined()
  }

  private struct Manifest: Decodable {
    struct Entry: Decodable {
      struct Failure: Decodable {
        var message: String
        var exit_code: Int
      }
      var name: String
      var status: String
      var reason: String?
      var failure: Failure?
    }
    var end: String
    var exit_code: Int
    var recordings: [Entry]
  }

  private func manifest(_ folder: Folder) throws -> Manifest {
    try JSONDecoder().decode(Manifest.self, from: Data(try folder.text("out/batch.json").utf8))
  }

  @Test func aResumedBatchSkipsWhatIsComplete() throws {
    let folder = try Folder()
    for name in ["a", "b", "c"] { try folder.write("\(name).csv", rows(20)) }
    let batch = ["process", "a.csv", "b.csv", "c.csv", "-o", "out"]
    let first = try FathomTool.run(batch + ["--resume"], in: folder)
    #expect(first.exitCode == 0 && first.lines.count == 4)
    #expect(first.errors.isEmpty)
    #expect(try manifest(folder).recordings.map(\.status) == ["done", "done", "done"])

    let again = try FathomTool.run(batch + ["--resume"], in: folder)
    #expect(again.exitCode == 0)
    #expect(again.errors == "skipped: 3 of 3 recordings, complete already\n")
    #expect(again.lines.count == 4 && again.lines[1].contains(" - "))
    #expect(try manifest(folder).recordings.map(\.status) == Array(repeating: "skipped", count: 3))

    try folder.write("b.csv", rows(21))
    try folder.write("d.csv", rows(5))
    let changed = try FathomTool.run(
      ["process", "a.csv", "b.csv", "c.csv", "d.csv", "-o", "out", "--resume"], in: folder)
    #expect(changed.exitCode == 0)
    #expect(
      changed.errors == """
        b: done again: b.csv has changed
        skipped: 2 of 4 recordings, complete already

        """)
    let account = try manifest(folder)
    #expect(account.recordings.map(\.status) == ["skipped", "done", "skipped", "done"])
    #expect(account.recordings.map(\.reason) == [nil, "b.csv has changed", nil, nil])

    let other = try FathomTool.run(batch + ["--resume", "--range-sigma", "0.2"], in: folder)
    #expect(
      other.errors == "a, b, c: done again: its results were made with other settings\n")
    // Without being asked nothing is replaced.
    let refused = try FathomTool.run(batch, in: folder)
    #expect(refused.exitCode == 73)
    #expect(refused.errors.contains("a.positions.csv: is there already"))
    #expect(refused.errors.hasSuffix("failed: 3 of 3 recordings\n"))
  }

  /// Whether the thread sanitizer is part of this program, and so of the tool.
  private static let isThreadSanitized = dlsym(dlopen(nil, RTLD_LAZY), "__tsan_init") != nil

  /// The limit on the size of files stands for a full disk: both end a write in its middle.
  @Test(.disabled(if: isThreadSanitized, "the thread sanitizer needs large files of its own"))
  func whatHasNoRoomFailsByItself() throws {
    let folder = try Folder()
    try folder.write("large.csv", rows(3000))
    try folder.write("small.csv", rows(20))
    let tool = try FathomTool.executable().path(percentEncoded: false)
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    // In blocks of 512 bytes; the summary of the small one needs four or so.
    shell.arguments = [
      "-c", "ulimit -f 100; exec \"$0\" process large.csv small.csv -o out --jobs 1", tool,
    ]
    shell.currentDirectoryURL = folder.url
    let errors = try folder.create("errors")
    shell.standardError = errors
    shell.standardOutput = FileHandle.nullDevice
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationReason == .exit && shell.terminationStatus == 74)
    #expect(
      try folder.text("errors") == """
        out/large.distances.csv: File too large
        failed: 1 of 2 recordings

        """)
    #expect(folder.names("out") == FathomTool.batch("small"))
    let account = try manifest(folder)
    #expect(account.recordings.map(\.failure?.exit_code) == [74, nil])
    #expect(account.recordings.first?.failure?.message == "out/large.distances.csv: File too large")

    // With room enough the rest is done.
    let outcome = try FathomTool.run(
      "process", "large.csv", "small.csv", "-o", "out", "--resume", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(folder.names("out") == FathomTool.batch("small", "large"))
    #expect(try manifest(folder).recordings.map(\.status) == ["done", "skipped"])
  }

  /// Whatever fails first in time, the first in the order given decides.
  @Test func theFirstFailureDecides() throws {
    let folder = try Folder()
    try folder.write("good.csv", rows(5))
    try folder.write("bad.csv", "nothing\n")
    try folder.write("there.csv", rows(5))
    try folder.write("out/there.rejected.csv", "old")
    for (order, code) in [
      (["bad.csv", "nowhere.csv", "there.csv", "good.csv"], 65),
      (["good.csv", "nowhere.csv", "bad.csv", "there.csv"], 66),
      (["there.csv", "good.csv", "bad.csv", "nowhere.csv"], 73),
    ] as [([String], Int32)] {
      for name in FathomTool.results("good") {
        try? FileManager.default.removeItem(at: folder.url.appending(path: "out/\(name)"))
      }
      let outcome = try FathomTool.run(["process"] + order + ["-o", "out"], in: folder)
      #expect(outcome.exitCode == code)
      #expect(outcome.errors.hasSuffix("failed: 3 of 4 recordings\n"))
      #expect(folder.names("out").isSuperset(of: FathomTool.batch("good")))
      let account = try manifest(folder)
      #expect(account.exit_code == Int(code) && account.end == "failed")
      #expect(account.recordings.map(\.name) == order.map { String($0.dropLast(4)) })
    }
  }

  @Test func aFileThatIsNoManifestIsNotReplacedUnasked() throws {
    let folder = try Folder()
    try folder.write("a.csv", rows(5))
    try folder.write("out/batch.json", "[1, 2, 3]")
    let refused = try FathomTool.run("process", "a.csv", "-o", "out", in: folder)
    #expect(refused.exitCode == 73)
    #expect(
      refused.errors
        == "out/batch.json: is there already, and is no manifest of a batch (replace: --force)\n")
    #expect(folder.names("out") == ["batch.json"])
    #expect(try folder.text("out/batch.json") == "[1, 2, 3]")
    let forced = try FathomTool.run("process", "a.csv", "-o", "out", "--force", in: folder)
    #expect(forced.exitCode == 0)
    // The next time it is one.
    try folder.write("b.csv", rows(5))
    let next = try FathomTool.run("process", "b.csv", "-o", "out", in: folder)
    #expect(next.exitCode == 0)
    #expect(try manifest(folder).recordings.map(\.name) == ["b"])
  }

  /// In full: `Tests/kill-and-resume`.
  @Test func aBatchThatIsKilledCanBeResumed() throws {
    let folder = try Folder()
    let script = Reference.packageRoot.appending(path: "Tests/kill-and-resume")
    let process = Process()
    process.executableURL = script
    process.arguments = [
      "--tool", try FathomTool.executable().path(percentEncoded: false), "--recordings", "20",
      "--moments", "3",
    ]
    let output = try folder.create("output")
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    let text = try folder.text("output")
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("3 moments: "), "\(text)")
  }
}
