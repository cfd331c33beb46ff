import Foundation
import TestSupport
import Testing

/// Hostile places, streams and names, of every command that meets them: the documented exit code and
/// no lost content.
@Suite struct HostileResultsTests {
  private func path(_ folder: Folder, _ name: String) -> String {
    folder.url.appending(path: name).path(percentEncoded: false)
  }

  /// Copies the dataset `robot-2d` to `walk`.
  private func recording() throws -> Folder {
    let folder = try Folder()
    for name in ["ranges.csv", "anchors.csv", "recording.json", "truth.csv"] {
      let source = URL(filePath: FathomTool.dataset("robot-2d")).appending(path: name)
      try folder.write("walk/\(name)", bytes: Array(try Data(contentsOf: source)))
    }
    return folder
  }

  /// Absent, a link would lose the anchors, the height or the attitudes with code 0.
  @Test(arguments: ["anchors.csv", "recording.json", "poses.csv", "truth.csv"])
  func linksIntoNothingAreNotAbsent(_ name: String) throws {
    let folder = try recording()
    try? FileManager.default.removeItem(at: folder.url.appending(path: "walk/\(name)"))
    for target in [name, "nowhere"] {
      unlink(path(folder, "walk/\(name)"))
      #expect(symlink(target, path(folder, "walk/\(name)")) == 0)
      let outcome =
        name == "truth.csv"
        ? try FathomTool.run("evaluate", "walk/truth.csv", "walk", in: folder)
        : try FathomTool.run("process", "walk", "-o", "out", in: folder)
      #expect(outcome.exitCode == 66, "\(name) to \(target): \(outcome.errors)")
      #expect(outcome.errors.hasPrefix("walk/\(name): "))
      #expect(folder.names() == ["walk"])
    }
  }

  /// A pipe in a folder would be waited for without end.
  @Test(arguments: ["truth.csv", "recording.json"])
  func pipesInFoldersAreRefused(_ name: String) throws {
    let folder = try recording()
    try folder.write("truth.csv", try folder.text("walk/truth.csv"))
    try? FileManager.default.removeItem(at: folder.url.appending(path: "walk/\(name)"))
    #expect(mkfifo(path(folder, "walk/\(name)"), 0o600) == 0)
    for arguments in [
      ["evaluate", "truth.csv", "walk"],
      ["benchmark", "walk", "--methods", "fix", "--repeat", "1"],
    ] {
      let outcome = try FathomTool.run(arguments, in: folder)
      #expect(outcome.exitCode == 66, "\(arguments[0]): \(outcome.errors)")
      #expect(outcome.errors == "walk/\(name): not a regular file\n")
    }
  }

  @Test func pipesAmongResultsAreRefused() throws {
    let folder = try recording()
    #expect(try FathomTool.run("process", "walk", "-o", "out", in: folder).exitCode == 0)
    for name in ["walk.positions.csv", "walk.summary.json"] {
      let place = folder.url.appending(path: "out/\(name)")
      let content = try Data(contentsOf: place)
      try FileManager.default.removeItem(at: place)
      #expect(mkfifo(path(folder, "out/\(name)"), 0o600) == 0)
      let report = try FathomTool.run("report", "out", "-o", "r.html", in: folder)
      #expect(report.exitCode == 66 && report.errors == "out/\(name): not a regular file\n")
      let resumed = try FathomTool.run("process", "walk", "-o", "out", "--resume", in: folder)
      #expect(resumed.exitCode == 0, "\(resumed.errors)")
      #expect(try Data(contentsOf: place) == content)
    }
  }

  #if os(Linux)
    /// Lost output is an error, of data and of the help.
    @Test(arguments: [
      ["inspect", "walk/ranges.csv"], ["evaluate", "walk/truth.csv", "walk", "--json"], ["--help"],
      ["locate", "--anchors", "walk/anchors.csv", "--ranges", "walk/ranges.csv", "--json"],
      ["process", "walk", "-o", "out", "--json"], ["report", "b.json", "-o", "-"],
    ])
    func fullStandardOutputIsAnError(_ arguments: [String]) throws {
      let folder = try recording()
      try folder.write("b.json", #"[{"recording":"r","method":"m"}]"#)
      let errors = try folder.create("errors")
      let process = try FathomTool.process(arguments, in: folder)
      process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
      process.standardError = errors
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 74)
      let message = "standard output: No space left on device"
      let printed = try folder.text("errors")
      if arguments.contains("--json") {
        let object = try #require(printed.split(separator: "\n").last)
        #expect(object.hasPrefix(#"{"error""#) && object.contains(#""message":"\#(message)""#))
      } else {
        #expect(printed.hasSuffix("\(message)\n"))
      }
    }
  #endif

  /// As in `fathom process walk -o out --json | true`: everything is complete.
  @Test func closedPipeDoesNotEndTheBatch() throws {
    let folder = try recording()
    let pipe = Pipe()
    let process = try FathomTool.process(["process", "walk", "-o", "out", "--json"], in: folder)
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try pipe.fileHandleForReading.close()
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 74)
    #expect(folder.names("out") == FathomTool.batch("walk"))
  }

  /// Closed streams: nothing for the user is written into a result.
  @Test func closedStreamsAreErrors() throws {
    let folder = try recording()
    let tool = try FathomTool.executable().path(percentEncoded: false)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "'\(tool)' process walk -o out >&- 2>&- <&-"]
    process.currentDirectoryURL = folder.url
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 74)
    #expect(folder.names("out") == FathomTool.batch("walk"))
    let header = try folder.text("out/walk.positions.csv").prefix(10)
    #expect(header == "time_s,tag")
  }

  @Test func threadsAreLimited() throws {
    let folder = try recording()
    for jobs in ["1000000000000000", "1000000000000", "1025", "0"] {
      let outcome = try FathomTool.run(
        "process", "walk", "-o", "out", "--jobs", jobs, in: folder)
      #expect(outcome.exitCode == 64)
      #expect(outcome.errors.contains("--jobs must be from 1 to 1024"))
    }
    #expect(
      try FathomTool.run("process", "walk", "-o", "out", "--jobs", "1024", in: folder).exitCode
        == 0)
  }

  /// In gnuplot, an apostrophe ends a text.
  @Test(.enabled(if: FathomTool.hasGnuplot, "needs gnuplot"))
  func namesWithApostrophesAreDrawn() throws {
    let folder = try Folder()
    let names = ["'B", "''", "'", "B'", "it's", "'`x`", "'@x \"y\" \\\\", "%d'"]
    try folder.write(
      "walk/anchors.csv",
      "id,x,y,z\n"
        + names.enumerated().map { place, name in
          "\"\(name.replacing("\"", with: "\"\""))\",\(place % 3 * 4),\(place / 3 * 4),2\n"
        }.joined())
    try folder.write(
      "walk/ranges.csv",
      "time_s,tag,anchor,distance_m\n"
        + (0..<80).map { step in
          "\(Double(step) * 0.1),'T,\"\(names[step % 8].replacing("\"", with: "\"\""))\",5\n"
        }.joined())
    let map = try FathomTool.run("geometry", "walk", "-o", "map.html", in: folder)
    #expect(map.exitCode == 0, "\(map.errors)")
    #expect(try FathomTool.run("process", "walk", "-o", "out", in: folder).exitCode == 0)
    let report = try FathomTool.run("report", "out", "-o", "r.html", in: folder)
    #expect(report.exitCode == 0, "\(report.errors)")
  }

  @Test func hugeTruthIsRejectedRowByRow() throws {
    let folder = try recording()
    let rows = try folder.text("walk/truth.csv").split(separator: "\n")
    var hostile = rows.map(String.init)
    hostile[5] =
      "\(rows[5].prefix { $0 != "," }),1e308,1,1"
      + String(repeating: ",", count: max(0, rows[0].count { $0 == "," } - 3))
    try folder.write("walk/truth.csv", hostile.joined(separator: "\n") + "\n")
    let outcome = try FathomTool.run("evaluate", "walk/truth.csv", "walk", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.contains("1 row rejected"), "\(outcome.errors)")
    #expect(outcome.errors.contains("is out of range"))
  }

  /// Results of different options must not be mixed.
  @Test func runsThatReplaceResultsAreAlone() throws {
    let folder = try recording()
    try folder.write("out/x", "")
    let lock = open(path(folder, "out"), O_RDONLY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_SH | LOCK_NB) == 0)
    for option in ["--force", "--resume"] {
      let outcome = try FathomTool.run("process", "walk", "-o", "out", option, in: folder)
      #expect(outcome.exitCode == 73)
      #expect(outcome.errors.hasPrefix("out: another run is writing results"))
    }
    #expect(folder.names("out") == ["x"])
    #expect(try FathomTool.run("process", "walk", "-o", "out", in: folder).exitCode == 0)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect(try FathomTool.run("process", "walk", "-o", "out", in: folder).exitCode == 73)
  }
}
