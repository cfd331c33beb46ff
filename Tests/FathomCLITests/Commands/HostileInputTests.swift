import Foundation
import TestSupport
import Testing

/// Hostile or damaged input: `fathom` ends by itself with the documented exit code and one short
/// message, and writes nothing outside the output folder.
@Suite struct HostileInputTests {
  private static let ranges = "time_s,tag,anchor,distance_m\n1,T,A,2.5\n2,T,B,3.5\n"

  private func path(_ folder: Folder, _ name: String) -> String {
    folder.url.appending(path: name).path(percentEncoded: false)
  }

  private func process(
    _ recording: String, in folder: Folder, input: [UInt8]? = nil, _ more: String...
  ) throws -> FathomTool.Outcome {
    try FathomTool.run(["process", recording, "-o", "out"] + more, in: folder, input: input)
  }

  // MARK: Places

  @Test func rejectsFolderInPlaceOfRanges() throws {
    let folder = try Folder()
    try folder.write("walk/ranges.csv/x", "")
    let outcome = try process("walk", in: folder)
    #expect(outcome.exitCode == 66)
    #expect(outcome.errors == "walk/ranges.csv: Is a directory\n")
    #expect(folder.names("out").isEmpty)
  }

  @Test func rejectsCircularLinks() throws {
    let folder = try Folder()
    #expect(symlink("b.csv", path(folder, "a.csv")) == 0)
    #expect(symlink("a.csv", path(folder, "b.csv")) == 0)
    let outcome = try process("a.csv", in: folder)
    #expect(outcome.exitCode == 66)
    #expect(outcome.errors == "a.csv: Too many levels of symbolic links\n")
    // A folder that contains itself.
    #expect(symlink(".", path(folder, "self")) == 0)
    try folder.write("ranges.csv", Self.ranges)
    #expect(try process("self/self/self", in: folder).exitCode == 0)
    #expect(folder.names("out") == FathomTool.results("self").union(["batch.json", "batch.csv"]))
  }

  /// A pipe found in a folder is refused, because reading it could block without end.
  ///
  /// A pipe named as the recording is read.
  @Test func rejectsPipeInRecordingFolder() throws {
    let folder = try Folder()
    for name in ["ranges.csv", "anchors.csv", "recording.json"] {
      let walk = folder.url.appending(path: "with-\(name)")
      try FileManager.default.createDirectory(at: walk, withIntermediateDirectories: true)
      #expect(mkfifo(walk.appending(path: name).path(percentEncoded: false), 0o600) == 0)
      if name != "ranges.csv" { try folder.write("with-\(name)/ranges.csv", Self.ranges) }
      let outcome = try process("with-\(name)", in: folder)
      #expect(outcome.exitCode == 66)
      #expect(outcome.errors == "with-\(name)/\(name): not a regular file\n")
    }
  }

  @Test func rejectsEndlessDevices() throws {
    let folder = try Folder()
    let outcome = try process("/dev/zero", in: folder)
    #expect(outcome.exitCode == 65)
    #expect(outcome.errors.hasPrefix("/dev/zero: not a text file: "))
    #expect(try FathomTool.run("simulate", "/dev/zero", "-o", "out", in: folder).exitCode == 65)
    // A device in place of settings is refused as well.
    try folder.write("walk/ranges.csv", Self.ranges)
    #expect(symlink("/dev/zero", path(folder, "walk/recording.json")) == 0)
    #expect(try process("walk", in: folder).errors == "walk/recording.json: not a regular file\n")
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
  func rejectsUnreadableFile() throws {
    let folder = try Folder()
    try folder.write("secret.csv", Self.ranges)
    #expect(chmod(path(folder, "secret.csv"), 0) == 0)
    let outcome = try process("secret.csv", in: folder)
    #expect(outcome.exitCode == 66)
    #expect(outcome.errors == "secret.csv: Permission denied\n")
  }

  /// Recordings that cannot be read do not affect the others.
  @Test func batchContinuesAfterBadRecording() throws {
    let folder = try Folder()
    for name in ["a", "b", "c"] { try folder.write("\(name).csv", Self.ranges) }
    try folder.write("zip.csv", bytes: [0x50, 0x4B, 3, 4, 0, 0, 0, 0])
    let outcome = try process("a.csv", in: folder, "zip.csv", "b.csv", "lost.csv", "c.csv")
    #expect([65, 66].contains(outcome.exitCode))
    #expect(outcome.errors.contains("zip.csv: ") && outcome.errors.contains("lost.csv: "))
    #expect(folder.names("out").isSuperset(of: FathomTool.results("a", "b", "c")))
  }

  // MARK: Names

  /// Results are written to the output folder, whatever the name of the input.
  @Test(arguments: [
    ("..csv", "."), ("...csv", ".."), (".gz", "recording"), (".csv", ".csv"), ("a\nb.csv", "a\nb"),
    ("=cmd().csv", "=cmd()"), ("-x.csv", "-x"), ("\u{1B}[31m.csv", "\u{1B}[31m"),
  ])
  func resultsStayInTheOutputFolder(_ file: String, _ name: String) throws {
    let folder = try Folder()
    try folder.write(file, Self.ranges)
    let outcome = try process("./\(file)", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(folder.names() == [file, "out"])
    #expect(folder.names("out").isSuperset(of: FathomTool.results(name)))
  }

  @Test func namesRelativePathsByTheirFolder() throws {
    let folder = try Folder()
    try folder.write("walk/ranges.csv", Self.ranges)
    try folder.write("walk/deep/x", "")
    for recording in ["walk/deep/..", "walk/.", "walk//", "./walk/deep/../../walk"] {
      #expect(try process(recording, in: folder, "--force").exitCode == 0)
    }
    #expect(folder.names("out").isSuperset(of: FathomTool.results("walk")))
    #expect(folder.names() == ["walk", "out"])
  }

  @Test func reportsNameTooLongForFileSystem() throws {
    let folder = try Folder()
    let name = String(repeating: "n", count: 250)
    try folder.write("\(name).csv", Self.ranges)
    let outcome = try process("\(name).csv", in: folder)
    #expect(outcome.exitCode == 73)
    #expect(outcome.errors.contains("File name too long"))
    #expect(folder.names("out").allSatisfy { !$0.hasPrefix("nnn") })
  }

  /// Names of tags and anchors are kept to the byte in the results, and escaped on the terminal.
  @Test func keepsRadioNamesAndEscapesThemOnTerminal() throws {
    let folder = try Folder()
    let names = ["=cmd()", "../x", "/etc/passwd", "\u{1B}[2J", "a\tb", "-1+2", "@x", "\u{202E}x"]
    let rows = names.enumerated().map { "\($0),\($1),\"\($1)\",2.5" }
    try folder.write(
      "walk.csv", "time_s,tag,anchor,distance_m\n" + rows.joined(separator: "\n") + "\n")
    let outcome = try process("walk.csv", in: folder)
    #expect(outcome.exitCode == 0)
    let distances = try folder.text("out/walk.distances.csv").split(separator: "\n").dropFirst()
    #expect(distances.map { String($0.split(separator: ",")[1]) } == names)
    #expect(folder.names() == ["walk.csv", "out"])
    // FathomTool.run checks that no escape character is printed.
    let inspected = try FathomTool.run("inspect", "walk.csv", in: folder)
    #expect(inspected.output.contains("\\u001b[2J"))
    let json = try FathomTool.run("inspect", "walk.csv", "--json", in: folder)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["tags"] as? [String] == names)
  }

  // MARK: Contents

  @Test(arguments: [
    ("header", "time_s,distance_m" + String(repeating: ",", count: 1_000_000) + "\n"),
    ("wide", "t\u{0}i\u{0}m\u{0}e\u{0},\u{0}d\u{0}\n\u{0}"), ("html", "<!doctype html>\n<html>"),
  ])
  func rejectsOtherFilesAsBadData(_ name: String, _ text: String) throws {
    let folder = try Folder()
    try folder.write("\(name).csv", text)
    for command in [["process", "-o", "out"], ["inspect"]] {
      let outcome = try FathomTool.run(command + ["\(name).csv"], in: folder)
      #expect(outcome.exitCode == 65)
      #expect(outcome.errors.hasPrefix("\(name).csv:") && outcome.errors.utf8.count < 500)
    }
  }

  /// Thousands of rejected rows give short messages, not one line each.
  @Test func summarisesManyRejectedRows() throws {
    let folder = try Folder()
    let rows = (0..<5000).map { "\($0),T,A,bad\($0)\n" }.joined()
    try folder.write("walk.csv", Self.ranges + rows)
    let outcome = try process("walk.csv", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.utf8.count < 1000 && outcome.output.utf8.count < 1000)
    #expect(try folder.text("out/walk.rejected.csv").count { $0 == "\n" } == 5001)
  }

  @Test func rejectsDeeplyNestedSettings() throws {
    let folder = try Folder()
    try folder.write("walk/ranges.csv", Self.ranges)
    try folder.write(
      "walk/recording.json",
      String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000))
    let outcome = try process("walk", in: folder)
    #expect(outcome.exitCode == 65)
    #expect(outcome.errors.hasPrefix("walk/recording.json: the file is not"))
  }

  // MARK: Scenarios

  /// Thirty lines that expand to 2^31 values.
  @Test func rejectsAliasBomb() throws {
    let folder = try Folder()
    var bomb = "name: x\na0: &a0 [1, 1]\n"
    for level in 1...30 { bomb += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    bomb += "? *a30\n: 1\n"
    try folder.write("bomb.yaml", bomb)
    let outcome = try FathomTool.run("simulate", "bomb.yaml", "-o", "out", in: folder)
    #expect(outcome.exitCode == 65)
    #expect(
      outcome.errors == "bomb.yaml:1: not YAML: there are more than 32 aliases (asterisks)\n")
  }

  @Test(arguments: [(32, Int32(0)), (33, 65)])
  func limitsAliases(_ count: Int, _ code: Int32) throws {
    let folder = try Folder()
    let text = try String(
      contentsOfFile: FathomTool.dataset("robot-2d/scenario.yaml"), encoding: .utf8
    ).replacing("duration_s: 110", with: "duration_s: 1")
    // Asterisks in a comment count as well.
    let stars = String(repeating: "*", count: count - text.count { $0 == "*" })
    try folder.write("walk.yaml", text + "# \(stars)\n")
    let outcome = try FathomTool.run("simulate", "walk.yaml", "-o", "out", in: folder)
    #expect(outcome.exitCode == code, "\(outcome.errors)")
  }

  @Test(arguments: [
    (String(repeating: "[", count: 100_000), "not YAML"),
    (String(repeating: "a: {", count: 50_000), "not YAML"),
    (String(repeating: "- ", count: 100_000), "not YAML"),
    ("name: \(String(repeating: "n", count: 2_000_000))\n", "1048576"),
    ("name: ../x\nseed: 1\nduration_s: 1\n", "missing"), ("\u{0}", "NUL"),
    ("--- !!binary x", "mapping"),
  ])
  func rejectsMalformedScenarios(_ text: String, _ expected: String) throws {
    let folder = try Folder()
    try folder.write("odd.yaml", text)
    let outcome = try FathomTool.run("simulate", "odd.yaml", "-o", "out", in: folder)
    #expect(outcome.exitCode == 65)
    #expect(outcome.errors.contains(expected) && outcome.errors.utf8.count < 500)
    #expect(folder.names() == ["odd.yaml"])
  }

  /// The name of a scenario cannot lead out of the output folder.
  @Test(arguments: [
    "../x", "/tmp/x", ".x", "a/b", "", "n\u{7F}", String(repeating: "n", count: 201),
  ])
  func rejectsScenarioNamesOutsideFolder(_ name: String) throws {
    let folder = try Folder()
    let text = try String(
      contentsOfFile: FathomTool.dataset("robot-2d/scenario.yaml"), encoding: .utf8
    ).replacing("name: robot-2d", with: "name: \"\(name)\"")
    try folder.write("odd.yaml", text)
    let outcome = try FathomTool.run(
      "simulate", "odd.yaml", "--runs", "2", "-o", "out", in: folder)
    #expect(outcome.exitCode == 65)
    #expect(outcome.errors.hasPrefix("odd.yaml:2: "), "\(outcome.errors)")
    #expect(folder.names() == ["odd.yaml"])
  }

  // MARK: Output

  /// A link in the place of a result is replaced; its target stays unchanged.
  @Test func replacesLinkWithoutFollowingIt() throws {
    let folder = try Folder()
    try folder.write("walk.csv", Self.ranges)
    try folder.write("precious", "precious")
    try folder.write("out/x", "")
    #expect(symlink("../precious", path(folder, "out/walk.positions.csv")) == 0)
    #expect(try process("walk.csv", in: folder).exitCode == 73)
    #expect(try process("walk.csv", in: folder, "--force").exitCode == 0)
    #expect(try folder.text("precious") == "precious")
    #expect(try folder.text("out/walk.positions.csv").hasPrefix("time_s,"))
  }

  /// A link without a target counts as an existing file.
  @Test func treatsDanglingLinkAsExistingFile() throws {
    let folder = try Folder()
    try folder.write("walk.csv", Self.ranges)
    try folder.write("out/x", "")
    #expect(symlink("nowhere", path(folder, "out/walk.positions.csv")) == 0)
    let outcome = try process("walk.csv", in: folder)
    #expect(outcome.exitCode == 73)
    #expect(outcome.errors.contains("already exists"))
    #expect(folder.names("out") == ["x", "walk.positions.csv", "batch.json", "batch.csv"])
  }
}
