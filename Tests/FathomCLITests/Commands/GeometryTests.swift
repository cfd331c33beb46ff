import FathomReports
import Foundation
import TestSupport
import Testing

/// `fathom geometry` from anchors to tables, maps and pages.
@Suite struct GeometryTests {
  private static let anchors = "id,x,y,z\nA,0,0,1\nB,8,0,1\nC,8,8,1\nD,0,8,1\n"

  private func geometry(
    _ arguments: String..., anchors: String = anchors
  ) throws -> (outcome: FathomTool.Outcome, folder: Folder) {
    let folder = try Folder()
    try folder.write("anchors.csv", anchors)
    return (try FathomTool.run(["geometry"] + arguments, in: folder), folder)
  }

  private func object(_ outcome: FathomTool.Outcome) throws -> [String: Any] {
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    return try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
  }

  @Test func printsTables() throws {
    let (outcome, folder) = try geometry("anchors.csv", "--height", "1", "--step", "0.5")
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.lines[0] == "anchors: 4 anchors, ranges with errors of 0.1 m")
    for text in [
      "x -1.00 to 9.00, y -1.00 to 9.00 m, in 20 x 20 cells", "1.00 m, known", "expected error, m",
      "worst places", "without", "new anchor", "on the border",
    ] {
      #expect(outcome.output.contains(text), "\(text)")
    }
    #expect(folder.names() == ["anchors.csv"])
    #expect(outcome.lines.allSatisfy { $0.count <= 100 })
    #expect(!outcome.output.contains("mirrored"))
    let solved = try FathomTool.run("geometry", "anchors.csv", "--step", "1", in: folder)
    #expect(solved.output.contains("mirrored     the anchors lie in a plane"))
  }

  /// The bound in the centre of a square, by hand: JᵀJ = diag(2, 2), so √(2 σ² / 2) = σ.
  @Test func centreOfSquareAgreesWithFormula() throws {
    let (outcome, folder) = try geometry(
      "anchors.csv", "--height", "1", "--area", "3.5,3.5,4.5,4.5", "--step", "1", "--noise", "0.2",
      "-o", "map.csv", "--json")
    let survey = try object(outcome)
    let horizontal = try #require(survey["horizontal"] as? [String: Any])
    #expect(isClose(try #require(horizontal["median_m"] as? Double), 0.2, within: 1e-12))
    #expect(survey["vertical"] is NSNull && survey["max_range_m"] is NSNull)
    #expect(survey["height_known"] as? Bool == true && survey["cells"] as? [Int] == [1, 1])
    #expect(survey["anchors"] as? [String] == ["A", "B", "C", "D"])
    #expect((survey["losses"] as? [[String: Any]])?.map { $0["anchor"] as? String }.count == 4)
    // Half within σ/√2 · √(2 ln 2) = 0.1665, 95 % within σ/√2 · √(2 ln 20) = 0.3462.
    #expect(
      try folder.text("map.csv") == """
        x_m,y_m,horizontal_m,vertical_m,cep_m,radius_95_m,measurements
        4.0000,4.0000,0.2000,,0.1665,0.3462,4

        """)
  }

  @Test func usesHeightOfRecording() throws {
    let robot = FathomTool.dataset("robot-2d")
    let folder = try Folder()
    let known = try FathomTool.run("geometry", robot, "--step", "1", "--json", in: folder)
    let survey = try object(known)
    #expect(survey["name"] as? String == "robot-2d" && survey["height_known"] as? Bool == true)
    let solved = try FathomTool.run(
      "geometry", robot, "--step", "1", "--json", "--solve-height", in: folder)
    let both = try object(solved)
    #expect(both["height_known"] as? Bool == false)
    #expect(both["height_m"] as? Double == survey["height_m"] as? Double)
    // For the file alone, the recording.json beside it is not read, and a note says so.
    let file = try FathomTool.run("geometry", "\(robot)/anchors.csv", "--step", "1", in: folder)
    #expect(file.exitCode == 0 && file.errors.contains("recording.json beside it is not read"))
    #expect(file.output.contains("estimated as well"))
  }

  @Test func sideEndsTheMirrorWarning() throws {
    let (open, folder) = try geometry("anchors.csv", "--step", "1")
    #expect(
      open.output.contains("mirrored") && open.output.contains("give --side below or a height"))
    #expect(open.lines.allSatisfy { $0.count <= 100 })
    let told = try FathomTool.run(
      "geometry", "anchors.csv", "--step", "1", "--side", "above", in: folder)
    #expect(told.exitCode == 0 && !told.output.contains("mirrored"), "\(told.errors)")
    #expect(try object(open: folder, []).side == nil)
    // The side of the recording, and that of the option, which overrides it.
    try folder.write("recording.json", "{\"side\": \"below\"}")
    #expect(try object(open: folder, []).side == "below")
    #expect(try object(open: folder, ["--side", "above"]).side == "above")
    #expect(try !object(open: folder, []).isMirrored)
    let wrong = try FathomTool.run("geometry", ".", "--side", "left", in: folder)
    #expect(wrong.exitCode == 64 && wrong.errors.contains("'above' and 'below'"))
    try folder.write("recording.json", "{\"side\": \"left\"}")
    let file = try FathomTool.run("geometry", ".", in: folder)
    #expect(file.exitCode == 65)
    #expect(file.errors.contains("recording.json: side must be above or below, not \"left\""))
  }

  /// Returns the side and the mirror images in the survey of the recording in `folder`.
  private func object(
    open folder: Folder, _ options: [String]
  ) throws -> (side: String?, isMirrored: Bool) {
    let survey = try object(
      try FathomTool.run(["geometry", ".", "--step", "1", "--json"] + options, in: folder))
    return (survey["side"] as? String, try #require(survey["mirrored"] as? Bool))
  }

  @Test(arguments: ["differences", "azimuths", "angles", "ranges+azimuths", "ranges+angles"])
  func surveysOtherMeasurements(_ measure: String) throws {
    let (outcome, _) = try geometry(
      "anchors.csv", "--height", "1", "--step", "1", "--measure", measure, "--json")
    let survey = try object(outcome)
    #expect(survey["measure"] as? String == measure)
    let horizontal = try #require(survey["horizontal"] as? [String: Any])
    #expect(try #require(horizontal["median_m"] as? Double) > 0)
  }

  @Test func reportsUndeterminedPlaces() throws {
    let (outcome, _) = try geometry(
      "anchors.csv", "--height", "1", "--step", "0.5", "--max-range", "5", "--noise-per-metre",
      "0.01")
    #expect(outcome.exitCode == 0)
    #expect(outcome.lines[0].contains("0.1 m and 0.01 m per metre, received within 5 m"))
    #expect(outcome.output.contains("undetermined") && outcome.output.contains("unchecked"))
  }

  // MARK: Pages

  private static var hasGnuplot: Bool { (try? Gnuplot.found()) != nil }
  private static let skipped: Comment = "gnuplot is missing: apt-get install gnuplot-nox"

  @Test(.enabled(if: hasGnuplot, skipped)) func writesPage() throws {
    let (outcome, folder) = try geometry(
      "anchors.csv", "--step", "0.5", "-o", "pages/hall.html")
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    let page = try folder.text("pages/hall.html")
    #expect(page.contains("<title>Geometry: anchors</title>") && page.contains("<svg"))
    #expect(page.contains("Expected error of the height"))
    #expect(folder.names("pages") == ["hall.html"])
  }

  @Test func namesMissingPackage() throws {
    let folder = try Folder()
    try folder.write("anchors.csv", Self.anchors)
    let streams = try Folder()
    let process = try FathomTool.process(
      ["geometry", "anchors.csv", "--step", "2", "-o", "m.html"], in: folder)
    process.environment = ["PATH": "/nowhere"]
    process.standardOutput = try streams.create("output")
    process.standardError = try streams.create("errors")
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 69 && folder.names() == ["anchors.csv"])
    #expect(try streams.text("errors").contains("apt-get install gnuplot-nox"))
    #expect(try streams.text("output").isEmpty)
  }

  // MARK: Misuse

  @Test func replacesMapOnlyWithForce() throws {
    let (first, folder) = try geometry("anchors.csv", "--step", "2", "-o", "m.csv")
    #expect(first.exitCode == 0)
    let again = try FathomTool.run("geometry", "anchors.csv", "-o", "m.csv", in: folder)
    #expect(again.exitCode == 73 && again.output.isEmpty)
    #expect(again.errors == "m.csv: already exists (use --force to replace it)\n")
    let forced = try FathomTool.run(
      "geometry", "anchors.csv", "--step", "2", "-o", "m.csv", "--force", in: folder)
    #expect(forced.exitCode == 0)
  }

  @Test(arguments: [
    ["--area", "0,0,1"], ["--area", "0,0,0,1"], ["--area", "0,0,x,1"], ["--noise", "0"],
    ["--noise", "nan"], ["--noise-per-metre", "-1"], ["--max-range", "0"], ["--step", "-1"],
    ["--step", "0.0001"], ["--measure", "times"], ["--angle-noise", "0"], ["-o", "map.png"],
    ["--height", "high"], ["-o", ""],
  ])
  func rejectsBadOptionsAsUsage(_ options: [String]) throws {
    let folder = try Folder()
    try folder.write("anchors.csv", Self.anchors)
    let outcome = try FathomTool.run(["geometry", "anchors.csv"] + options, in: folder)
    #expect(outcome.exitCode == 64 && outcome.output.isEmpty, "\(options): \(outcome.errors)")
    #expect(folder.names() == ["anchors.csv"])
  }

  @Test func rejectsMissingOrUnusableAnchors() throws {
    let folder = try Folder()
    try folder.write("empty/readme", "")
    try folder.write("none.csv", "id,x,y,z\n")
    try folder.write("bad.csv", "id,x,y,z\nA,0,0,up\n")
    for (path, code, message) in [
      ("lost.csv", 66, "lost.csv: "), ("empty", 66, "empty: there is no anchors.csv"),
      ("none.csv", 65, "none.csv: cannot be surveyed: there are no anchors"),
      ("bad.csv", 65, "bad.csv:2: "),
    ] as [(String, Int32, String)] {
      let outcome = try FathomTool.run("geometry", path, in: folder)
      #expect(outcome.exitCode == code && outcome.output.isEmpty, "\(path): \(outcome.errors)")
      #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
    }
  }
}
