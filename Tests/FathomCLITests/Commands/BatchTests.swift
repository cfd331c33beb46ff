import Foundation
import TestSupport
import Testing

/// `fathom process` on batches that are resumed, killed or out of disk space.
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

  /// Returns messages without the warning that there are no anchors.
  private func errors(_ outcome: FathomTool.Outcome) -> String {
    outcome.errors.split(separator: "\n").filter { !$0.contains("there are no anchors") }
      .map { $0 + "\n" }.joined()
  }

  @Test func resumeSkipsCompleteRecordings() throws {
    let folder = try Folder()
    for name in ["a", "b", "c"] { try folder.write("\(name).csv", rows(20)) }
    let batch = ["process", "a.csv", "b.csv", "c.csv", "-o", "out"]
    let first = try FathomTool.run(batch + ["--resume"], in: folder)
    #expect(first.exitCode == 0 && first.lines.count == 4)
    #expect(errors(first).isEmpty)
    #expect(try manifest(folder).recordings.map(\.status) == ["done", "done", "done"])

    let again = try FathomTool.run(batch + ["--resume"], in: folder)
    #expect(again.exitCode == 0)
    #expect(errors(again) == "skipped: 3 of 3 recordings, already complete\n")
    #expect(again.lines.count == 4 && again.lines[1].contains(" - "))
    #expect(try manifest(folder).recordings.map(\.status) == Array(repeating: "skipped", count: 3))

    try folder.write("b.csv", rows(21))
    try folder.write("d.csv", rows(5))
    let changed = try FathomTool.run(
      ["process", "a.csv", "b.csv", "c.csv", "d.csv", "-o", "out", "--resume"], in: folder)
    #expect(changed.exitCode == 0)
    #expect(
      errors(changed) == """
        b: processed again: b.csv has changed
        skipped: 2 of 4 recordings, already complete

        """)
    let batchManifest = try manifest(folder)
    #expect(batchManifest.recordings.map(\.status) == ["skipped", "done", "skipped", "done"])
    #expect(batchManifest.recordings.map(\.reason) == [nil, "b.csv has changed", nil, nil])

    let other = try FathomTool.run(batch + ["--resume", "--range-sigma", "0.2"], in: folder)
    #expect(
      errors(other) == "a, b, c: processed again: its results were made with other settings\n")
    // Nothing is replaced without --force or --resume.
    let refused = try FathomTool.run(batch, in: folder)
    #expect(refused.exitCode == 73)
    #expect(refused.errors.contains("a.positions.csv: already exists"))
    #expect(refused.errors.hasSuffix("failed: 3 of 3 recordings\n"))
  }

  /// Whether this program, and therefore the tool, was built with the thread sanitizer.
  private static let isThreadSanitized = dlsym(dlopen(nil, RTLD_LAZY), "__tsan_init") != nil

  /// A limit on file sizes stands in for a full disk: both fail a write in the middle.
  @Test(.disabled(if: isThreadSanitized, "the thread sanitizer writes large files itself"))
  func fullDiskFailsOnlyItsRecording() throws {
    let folder = try Folder()
    try folder.write("large.csv", rows(3000))
    try folder.write("small.csv", rows(20))
    let tool = try FathomTool.executable().path(percentEncoded: false)
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    // The limit is in blocks of 512 bytes; the summary of the small recording takes about four.
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
      try folder.text("errors").hasSuffix(
        "\nout/large.distances.csv: File too large\nfailed: 1 of 2 recordings\n"))
    #expect(folder.names("out") == FathomTool.batch("small"))
    let batchManifest = try manifest(folder)
    #expect(batchManifest.recordings.map(\.failure?.exit_code) == [74, nil])
    #expect(
      batchManifest.recordings.first?.failure?.message == "out/large.distances.csv: File too large")

    // With enough space the failed recording is processed.
    let outcome = try FathomTool.run(
      "process", "large.csv", "small.csv", "-o", "out", "--resume", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(folder.names("out") == FathomTool.batch("small", "large"))
    #expect(try manifest(folder).recordings.map(\.status) == ["done", "skipped"])
  }

  /// The exit code is that of the first failure in the order of the arguments, not in time.
  @Test func firstFailureInOrderSetsExitCode() throws {
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
      let batchManifest = try manifest(folder)
      #expect(batchManifest.exit_code == Int(code) && batchManifest.end == "failed")
      #expect(batchManifest.recordings.map(\.name) == order.map { String($0.dropLast(4)) })
    }
  }

  @Test func keepsForeignManifestWithoutForce() throws {
    let folder = try Folder()
    try folder.write("a.csv", rows(5))
    try folder.write("out/batch.json", "[1, 2, 3]")
    let refused = try FathomTool.run("process", "a.csv", "-o", "out", in: folder)
    #expect(refused.exitCode == 73)
    #expect(
      refused.errors
        == "out/batch.json: already exists and is not the manifest of a batch"
        + " (use --force to replace it)\n")
    #expect(folder.names("out") == ["batch.json"])
    #expect(try folder.text("out/batch.json") == "[1, 2, 3]")
    let forced = try FathomTool.run("process", "a.csv", "-o", "out", "--force", in: folder)
    #expect(forced.exitCode == 0)
    // The file is a manifest now, to which the next run adds its recordings.
    try folder.write("b.csv", rows(5))
    let next = try FathomTool.run("process", "b.csv", "-o", "out", in: folder)
    #expect(next.exitCode == 0)
    #expect(try manifest(folder).recordings.map(\.name) == ["a", "b"])
  }

  /// A short run of `Tests/kill-and-resume`.
  @Test func resumesKilledBatch() throws {
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
