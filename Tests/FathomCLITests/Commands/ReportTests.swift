import FathomReports
import Foundation
import TestSupport
import Testing

/// `fathom report` from results of `fathom process` to the page.
@Suite struct ReportTests {
  /// A folder with the results of recordings in `Datasets`.
  private func processed(_ names: String..., method: String = "filter") throws -> Folder {
    let folder = try Folder()
    let outcome = try FathomTool.run(
      ["process"] + names.map(FathomTool.dataset) + ["-o", "out", "--method", method], in: folder)
    try #require(outcome.exitCode == 0, "\(outcome.errors)")
    return folder
  }

  /// Whether gnuplot is installed.
  private static var hasGnuplot: Bool { (try? Gnuplot.found()) != nil }
  private static let skipped: Comment = "gnuplot is missing: apt-get install gnuplot-nox"

  @Test(.enabled(if: hasGnuplot, skipped)) func writesPageFromFolderOfResults() throws {
    let folder = try processed("robot-2d", "phone-accessory")
    try folder.write(
      "bench.json", #"[{"recording":"r","method":"m","rmse_m":0.25,"nees":null,"new":1}]"#)
    let outcome = try FathomTool.run(
      "report", "out", "bench.json", "-o", "pages/r.html", "--figures", "figures", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.lines.first == "pages/r.html")
    let page = try folder.text("pages/r.html")
    for heading in [
      "<h2>robot-2d</h2>", "<h2>phone-accessory</h2>", "<h2>Benchmark: bench.json</h2>",
    ] {
      #expect(page.contains(heading))
    }
    // Truth and anchors were found by the paths in the summaries.
    #expect(page.contains("raw fixes") && page.contains("horizontal error"))
    #expect(page.contains("<th scope=\"row\">horizontal</th>"))
    #expect(!page.contains("was not found"))
    #expect(folder.names("pages") == ["r.html"])
    #expect(
      folder.names("figures") == [
        "robot-2d.plan.svg", "robot-2d.residuals.svg", "robot-2d.range-errors.svg",
        "robot-2d.consistency.svg", "robot-2d.error.svg", "robot-2d.error-distribution.svg",
        "robot-2d.quality.svg", "robot-2d.geometry.svg", "phone-accessory.plan.svg",
        "phone-accessory.distances.svg",
        "phone-accessory.error.svg", "phone-accessory.error-distribution.svg",
        "phone-accessory.quality.svg",
      ])
    // A second run gives the same page, to the byte.
    let again = try FathomTool.run("report", "out", "bench.json", "-o", "r.html", in: folder)
    #expect(again.exitCode == 0)
    #expect(try folder.text("r.html") == page)
  }

  @Test(.enabled(if: hasGnuplot, skipped)) func findsResultsFromOneFile() throws {
    let folder = try processed("robot-2d", method: "fix")
    for ending in ["summary.json", "positions.csv"] {
      let outcome = try FathomTool.run(
        "report", "out/robot-2d.\(ending)", "-o", "r.html", "--force", in: folder)
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }
    let page = try folder.text("r.html")
    #expect(page.contains("<title>Report: robot-2d</title>"))
    #expect(page.contains("Only a filter has innovations"))
  }

  @Test(.enabled(if: hasGnuplot, skipped)) func reportsMissingRecording() throws {
    let folder = try processed("robot-2d")
    // Without the recording, the page shows only the contents of the results.
    let lost = try FathomTool.run(
      "report", "out", "-o", "lost.html", "--recordings", "nowhere", in: folder)
    #expect(lost.exitCode == 0, "\(lost.errors)")
    let page = try folder.text("lost.html")
    #expect(page.contains("anchors.csv was not found") && page.contains("Truth was not looked for"))
    #expect(page.contains("raw fixes are not shown"))
    // With its folder given, the recording is found.
    let found = try FathomTool.run(
      "report", "out", "-o", "found.html", "--recordings", FathomTool.dataset(""), in: folder)
    #expect(found.exitCode == 0, "\(found.errors)")
    let whole = try folder.text("found.html")
    #expect(whole.contains("raw fixes") && !whole.contains("was not found"))
    // Anchors and truth can be given without the recording.
    let robot = FathomTool.dataset("robot-2d")
    let given = try FathomTool.run(
      "report", "out", "-o", "given.html", "--recordings", "nowhere", "--anchors",
      "\(robot)/anchors.csv", "--truth", robot, in: folder)
    #expect(given.exitCode == 0, "\(given.errors)")
    #expect(try folder.text("given.html").contains("Errors of the ranges"))
  }

  /// A damaged truth.csv beside the recording is noted on the page; a damaged file in `--truth` is
  /// an error.
  @Test(.enabled(if: hasGnuplot, skipped)) func damagedTruthFailsOnlyIfRequested() throws {
    let folder = try Folder()
    let robot = FathomTool.dataset("robot-2d")
    for file in ["ranges.csv", "anchors.csv", "recording.json"] {
      let text = try String(contentsOf: URL(filePath: "\(robot)/\(file)"), encoding: .utf8)
      try folder.write("walk/\(file)", text)
    }
    try folder.write("walk/truth.csv", "time_s,x\n")
    _ = try FathomTool.run("process", "walk", "-o", "out", in: folder)
    let outcome = try FathomTool.run("report", "out", "-o", "r.html", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(
      try folder.text("r.html").contains("Truth cannot be read: walk/truth.csv:1: the header"))
    let asked = try FathomTool.run("report", "out", "-o", "s.html", "--truth", "walk", in: folder)
    #expect(asked.exitCode == 65 && asked.errors.hasPrefix("walk/truth.csv:1: the header lacks"))
    let lost = try FathomTool.run("report", "out", "-o", "s.html", "--anchors", "x", in: folder)
    #expect(lost.exitCode == 66 && folder.names() == ["out", "r.html", "walk"])
    // A ranges file changed after processing is noted on the page.
    try folder.write("walk/ranges.csv", try folder.text("walk/ranges.csv") + "110,robot,A,2\n")
    let changed = try FathomTool.run("report", "out", "-o", "r.html", "--force", in: folder)
    #expect(changed.exitCode == 0)
    #expect(
      try folder.text("r.html").contains("size of the ranges file has changed since processing"))
  }

  // MARK: Misuse

  @Test func reportsMissingInput() throws {
    let folder = try Folder()
    try folder.write("empty/readme", "")
    for (path, message) in [
      ("lost", "lost: No such file or directory"), ("empty", "empty: there are no results"),
    ] {
      let outcome = try FathomTool.run("report", path, "-o", "r.html", in: folder)
      #expect(outcome.exitCode == 66 && outcome.output.isEmpty)
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
    try folder.write("half/walk.summary.json", "{}")
    let half = try FathomTool.run("report", "half", "-o", "r.html", in: folder)
    #expect(half.exitCode == 66 && half.errors.contains("half/walk.positions.csv"))
    #expect(folder.names() == ["empty", "half"])
  }

  @Test func rejectsOtherFilesAsBadData() throws {
    let folder = try processed("robot-2d")
    try folder.write("walk.csv", "time_s\n")
    try folder.write("list.json", "[1]")
    try folder.write("bad/robot-2d.summary.json", "{\"recording\":")
    for ending in ["positions.csv", "distances.csv"] {
      try folder.write("bad/robot-2d.\(ending)", try folder.text("out/robot-2d.\(ending)"))
    }
    for (path, message) in [
      ("walk.csv", "walk.csv: is not a result"), ("list.json", "list.json: is not the result of"),
      ("bad", "bad/robot-2d.summary.json: not a summary"),
    ] {
      let outcome = try FathomTool.run("report", path, "-o", "r.html", in: folder)
      #expect(outcome.exitCode == 65, "\(path)")
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
    try folder.write(
      "out/robot-2d.distances.csv",
      try folder.text("out/robot-2d.distances.csv").replacing(",starting\n", with: ",begun\n"))
    let broken = try FathomTool.run("report", "out", "-o", "r.html", in: folder)
    #expect(broken.exitCode == 65)
    #expect(
      broken.errors == "out/robot-2d.distances.csv:2: unknown decision: \"begun\"\n")
    #expect(!folder.names().contains("r.html"))
  }

  @Test func replacesPageOnlyWithForce() throws {
    let folder = try Folder()
    try folder.write("r.html", "mine")
    let outcome = try FathomTool.run("report", "lost", "-o", "r.html", in: folder)
    #expect(outcome.exitCode == 73)
    #expect(outcome.errors == "r.html: already exists (use --force to replace it)\n")
    #expect(try folder.text("r.html") == "mine")
  }

  @Test func namesMissingPackage() throws {
    let folder = try processed("robot-2d")
    let streams = try Folder()
    let process = try FathomTool.process(["report", "out", "-o", "r.html"], in: folder)
    process.environment = ["PATH": "/nowhere"]
    process.standardOutput = try streams.create("output")
    process.standardError = try streams.create("errors")
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 69)
    #expect(try streams.text("errors").contains("not in /nowhere (Debian, Ubuntu: apt-get install"))
    #expect(folder.names() == ["out"])
    // A page of tables needs no gnuplot. `-o -` writes the page to standard output.
    try folder.write("b.json", #"[{"recording":"r","method":"m"}]"#)
    let tables = try FathomTool.process(["report", "b.json", "-o", "b.html"], in: folder)
    tables.environment = ["PATH": "/nowhere"]
    tables.standardOutput = FileHandle.nullDevice
    try tables.run()
    tables.waitUntilExit()
    #expect(tables.terminationStatus == 0 && folder.names().contains("b.html"))
    let piped = try FathomTool.run("report", "b.json", "-o", "-", in: folder)
    #expect(piped.exitCode == 0)
    #expect(try piped.output == folder.text("b.html"))
  }

  @Test(arguments: [
    (["out"], "--output"), (["-o", "r.html"], "<results>"), (["", "-o", "r.html"], "is empty"),
    (["out", "-o", ""], "--output must name a file"),
    (["out", "-o", "r", "--figures", ""], "--figures must name a folder"),
  ])
  func explainsWrongUsage(_ arguments: [String], _ message: String) throws {
    let outcome = try FathomTool.run(["report"] + arguments, in: try Folder())
    #expect(outcome.exitCode == 64 && outcome.errors.contains(message), "\(outcome.errors)")
  }
}
