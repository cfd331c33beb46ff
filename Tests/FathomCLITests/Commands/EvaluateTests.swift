import Foundation
import TestSupport
import Testing

/// `fathom evaluate` on files of every format.
@Suite struct EvaluateTests {
  /// Truth moves along x at 1 m/s, ten times a second for four seconds.
  private static let truth =
    "time_s,x,y,z\n"
    + (0...40).map { "\(Double($0) / 10),\(Double($0) / 10),0,1\n" }.joined()
  /// Four positions: errors (0.3, 0.4, 0) and (0, 0, 1.2), one without height, one after truth's
  /// end.
  private static let estimate = """
    time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz
    0.55,T,0.85,0.4,1,0.25,0,0,0.25,0,1
    1.05,T,1.05,0,2.2,0.25,0,0,0.25,0,1
    2,T,2,0,,0.25,0,,0.25,,
    9,T,2,0,1,0.25,0,0,0.25,0,1

    """

  private struct Report: Decodable {
    struct Poses: Decodable {
      var total: Int
      var matched: Int
      var unmatched: Int
      var reasons: [String: Int]
    }
    struct Accuracy: Decodable { var n: Int, rmse_m: Double, max_m: Double }
    struct Relative: Decodable { var distance_m: Double?, time_s: Double?, drift: Accuracy? }
    struct Alignment: Decodable { var rotation: [[Double]], translation_m: [Double], scale: Double }
    var n: Int
    var dimensions: Int
    var rmse_m: Double?
    var coverage: Double
    var nees_per_dof: Double?
    var time_to_first_fix_s: Double?
    var latency_s: Double?
    var horizontal: Accuracy?
    var vertical: Accuracy?
    var spatial: Accuracy?
    var by_tag: [String: Accuracy]
    var relative: [Relative]
    var alignment: Alignment?
    var poses: Poses
    var set_aside: [String: Int]
  }

  private func report(_ outcome: FathomTool.Outcome) throws -> Report {
    try #require(outcome.lines.count == 1, "\(outcome.output)\(outcome.errors)")
    return try outcome.decoded(Report.self)
  }

  private func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write("estimate.csv", Self.estimate)
    try folder.write("truth.csv", Self.truth)
    return folder
  }

  @Test func agreesWithFiguresByHand() throws {
    let folder = try folder()
    let outcome = try FathomTool.run("evaluate", "estimate.csv", "truth.csv", "--json", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    let report = try report(outcome)
    #expect(report.n == 2 && report.dimensions == 3)
    #expect(report.poses.total == 4 && report.poses.matched == 2 && report.poses.unmatched == 2)
    #expect(report.poses.reasons["after_truth"] == 1 && report.poses.reasons["undetermined"] == 1)
    // Squares 0.25 and 1.44, mean 0.845.
    #expect(isClose(try #require(report.rmse_m), 0.845.squareRoot(), within: 1e-12))
    #expect(isClose(report.horizontal?.max_m ?? .nan, 0.5, within: 1e-12))
    #expect(isClose(report.vertical?.max_m ?? .nan, 1.2, within: 1e-12))
    // (0.25 / 0.25 + 1.44 / 1) / 2 poses / 3 degrees of freedom.
    #expect(isClose(report.nees_per_dof ?? .nan, 2.44 / 6, within: 1e-12))
    #expect(report.time_to_first_fix_s == 0.55 && report.latency_s == nil)
    #expect(report.by_tag["T"]?.n == 2 && report.alignment == nil)
    // Undetermined values are present as null.
    #expect(outcome.output.contains(#""latency_s":null"#))
  }

  @Test func printsReadableTable() throws {
    let folder = try folder()
    let outcome = try FathomTool.run(
      "evaluate", "estimate.csv", "truth.csv", "--horizontal", "--relative-time", "1", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    let lines = outcome.lines
    #expect(lines.contains("estimate   estimate.csv: csv, 1 tag"))
    #expect(lines.contains("matched    3 of 4 poses: 1 after truth ends"))
    let row = try #require(lines.first { $0.hasPrefix("horizontal") })
    #expect(row.split(separator: " ").prefix(2) == ["horizontal", "3"])
    // The root of 0.25 / 3.
    #expect(row.contains("0.2887"))
    #expect(!outcome.output.contains("vertical") && outcome.output.contains("over 1 s"))
  }

  @Test func maxRMSESetsExitCode() throws {
    let folder = try folder()
    func code(_ limit: String) throws -> FathomTool.Outcome {
      try FathomTool.run("evaluate", "estimate.csv", "truth.csv", "--max-rmse", limit, in: folder)
    }
    #expect(try code("0.92").exitCode == 0)
    let exceeded = try code("0.91")
    #expect(exceeded.exitCode == 1 && !exceeded.output.isEmpty)
    #expect(exceeded.errors == "estimate.csv: RMSE 0.9192 m exceeds --max-rmse 0.91\n")
    try folder.write("late.csv", "time_s,x,y,z\n100,0,0,0\n")
    let late = try FathomTool.run(
      "evaluate", "late.csv", "truth.csv", "--max-rmse", "1", in: folder)
    #expect(late.exitCode == 1)
    #expect(
      late.errors
        == "late.csv: nothing can be compared with truth.csv: 1 after truth ends; the estimate is from"
        + " 100.0 to 100.0 s, truth from 0.0 to 4.0 s (--time-offset is added to truth)\n")
    // Without --max-rmse no check fails, but the files have no common instant: bad data.
    #expect(try FathomTool.run("evaluate", "late.csv", "truth.csv", in: folder).exitCode == 65)
  }

  /// An estimate in TUM and truth in EuRoC, which differ by a rotation of 90° about z and a
  /// translation.
  @Test func alignsTUMWithEuRoC() throws {
    let folder = try Folder()
    var tum = "# timestamp tx ty tz qx qy qz qw\n"
    var euroc = "#timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m]\n"
    for step in 0...50 {
      let (x, y, z) = (Double(step), Double(step * step) / 50, Double(step % 7))
      tum += "\(1_000 + step) \(-y + 5) \(x - 3) \(z + 1) 0 0 0 1\n"
      euroc += "\(1_000 + step)000000000,\(x),\(y),\(z),1,0,0,0\n"
    }
    try folder.write("estimate.txt", tum)
    try folder.write("data.csv", euroc)
    let plain = try report(
      FathomTool.run("evaluate", "estimate.txt", "data.csv", "--json", in: folder))
    #expect(plain.n == 51 && (plain.rmse_m ?? 0) > 10)
    let outcome = try FathomTool.run(
      "evaluate", "estimate.txt", "data.csv", "--align", "--relative-distance", "20", "--json",
      in: folder)
    let aligned = try report(outcome)
    #expect((aligned.rmse_m ?? .nan) < 1e-12 && aligned.alignment?.scale == 1)
    // Truth is (y', -x', z') of the estimate, moved: (x, y) = (y' + 3, -x' + 5).
    let translation = try #require(aligned.alignment?.translation_m)
    #expect(zip(translation, [3.0, 5, -1]).allSatisfy { isClose($0, $1, within: 1e-11) })
    #expect((aligned.relative.first?.drift?.n ?? 0) > 20)
    #expect((aligned.relative.first?.drift?.max_m ?? .nan) < 1e-11)
    let scaled = try report(
      FathomTool.run("evaluate", "estimate.txt", "data.csv", "--align-scale", "--json", in: folder))
    #expect(isClose(scaled.alignment?.scale ?? .nan, 1, within: 1e-12))
  }

  @Test func appliesHeightAndOffsetsOfRecording() throws {
    let folder = try folder()
    try folder.write("walk/truth.csv", Self.truth)
    try folder.write("walk/ranges.csv", "time_s,tag,anchor,distance_m\n-1,T,A,2\n0,T,A,2\n")
    try folder.write(
      "walk/recording.json",
      #"{"height_m": 1, "truth_time_offset_s": 0.5, "truth_offset_m": [0, 0.4, 0]}"#)
    let report = try report(
      FathomTool.run("evaluate", "estimate.csv", "walk", "--json", in: folder))
    #expect(report.dimensions == 2 && report.n == 3 && report.spatial == nil)
    // Truth at 0.55 is (0.05, 0.4): error (0.8, 0); at 1.05 and 2 it is (0.5, -0.4).
    #expect(isClose(report.rmse_m ?? .nan, ((0.64 + 2 * 0.41) / 3).squareRoot(), within: 1e-12))
    // From the first range, at -1.
    #expect(isClose(report.time_to_first_fix_s ?? .nan, 1.55, within: 1e-12))
    // For the file alone, the recording.json beside it is not read, and a note says so.
    let file = try FathomTool.run("evaluate", "estimate.csv", "walk/truth.csv", in: folder)
    #expect(file.exitCode == 0)
    #expect(file.errors.contains("recording.json beside it is not read"))
    // The option adds to the offset in recording.json.
    let shifted = try self.report(
      FathomTool.run(
        "evaluate", "estimate.csv", "walk", "--time-offset", "-0.5", "--json", in: folder))
    #expect(isClose(shifted.rmse_m ?? .nan, ((0.09 + 2 * 0.16) / 3).squareRoot(), within: 1e-12))
  }

  @Test func reportsRejectedRowsWithLine() throws {
    let folder = try folder()
    try folder.write("estimate.csv", Self.estimate + "3,T,oops,0,1,,,,,,\n3.1,T,1\n")
    let outcome = try FathomTool.run("evaluate", "estimate.csv", "truth.csv", "--json", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.errors
        == "estimate.csv:6: 2 rows rejected, the first: x_m is not a number: \"oops\"\n")
    let report = try report(outcome)
    #expect(report.set_aside == ["estimate": 2, "truth": 0] && report.poses.total == 4)
  }

  /// The same estimate as JSON Lines gives the same figures; rejected lines are reported by number.
  @Test func evaluatesJSONLinesLikeCSV() throws {
    let folder = try folder()
    try folder.write(
      "estimate.jsonl",
      """
      {"time_s":0.55,"tag":"T","x_m":0.85,"y_m":0.4,"z_m":1,"sxx":0.25,"sxy":0,"sxz":0,"syy":0.25,"syz":0,"szz":1}
      {"time_s":1.05,"tag":"T","x_m":1.05,"y_m":0,"z_m":2.2,"sxx":0.25,"sxy":0,"sxz":0,"syy":0.25,"syz":0,"szz":1}
      {"time_s":"later","tag":"T","x_m":2,"y_m":0,"z_m":null}
      {"time_s":2,"tag":"T","x_m":2,"y_m":0,"z_m":null,"sxx":0.25,"sxy":0,"sxz":null,"syy":0.25,"syz":null,"szz":null}
      {"time_s":9,"tag":"T","x_m":2,"y_m":0,"z_m":1,"sxx":0.25,"sxy":0,"sxz":0,"syy":0.25,"syz":0,"szz":1}

      """)
    let rows = try report(
      FathomTool.run("evaluate", "estimate.csv", "truth.csv", "--json", in: folder))
    let outcome = try FathomTool.run(
      "evaluate", "estimate.jsonl", "truth.csv", "--json", in: folder)
    #expect(
      outcome.errors
        == "estimate.jsonl:3: 1 row rejected, the first: time_s is not a number\n")
    let lines = try report(outcome)
    #expect(lines.rmse_m == rows.rmse_m && lines.nees_per_dof == rows.nees_per_dof)
    #expect(lines.n == 2 && lines.poses.total == 4)
    #expect(lines.set_aside == ["estimate": 1, "truth": 0])
  }

  @Test func recognisesExchangedArguments() throws {
    let folder = try folder()
    try folder.write("walk/truth.csv", Self.truth)
    try folder.write("out/walk.positions.csv", Self.estimate)
    let line = "fathom evaluate out/walk.positions.csv walk"
    let files = try FathomTool.run(
      "evaluate", "walk/truth.csv", "out/walk.positions.csv", in: folder)
    #expect(files.errors.contains("are the arguments exchanged? \(line)\n"), "\(files.errors)")
    for (estimate, truth, advice) in [
      ("walk", "out/walk.positions.csv", "the arguments are exchanged: \(line)\n"),
      ("walk", "out", "the arguments are exchanged: \(line)\n"),
      ("out", "walk", "name the file of the positions: \(line)\n"),
      (
        "walk", "walk",
        "first fathom process walk, then fathom evaluate results/walk.positions.csv walk\n"
      ),
      ("out/walk.positions.csv", "out", "these are results, not truth"),
    ] {
      let outcome = try FathomTool.run("evaluate", estimate, truth, in: folder)
      #expect(outcome.exitCode == 66 && outcome.output.isEmpty, "\(outcome.errors)")
      #expect(outcome.errors.contains(advice), "\(estimate) \(truth): \(outcome.errors)")
    }
    let right = try FathomTool.run("evaluate", "out/walk.positions.csv", "walk", in: folder)
    #expect(right.errors.isEmpty, "\(right.errors)")
  }

  @Test func readsStandardInput() throws {
    let folder = try folder()
    let outcome = try FathomTool.run(
      "evaluate", "-", "truth.csv", "--json", in: folder, input: Array(Self.estimate.utf8))
    #expect(try report(outcome).n == 2)
  }

  @Test(
    arguments: [
      (["nowhere.csv", "truth.csv"], 66, "nowhere.csv: No such file or directory"),
      (["estimate.csv", "nowhere.csv"], 66, "nowhere.csv: No such file or directory"),
      (["estimate.csv", "empty"], 66, "empty: there is no truth.csv in this folder"),
      (["words.txt", "truth.csv"], 65, "words.txt:1: the header lacks time_s, x_m, y_m"),
      (["estimate.csv", "truth.csv", "--format", "tum"], 65, "estimate.csv:1: no row is usable"),
      (["estimate.csv", "truth.csv", "--tag", "X"], 65, "there is no tag \"X\" (there are: T)"),
      (["estimate.csv", "truth.csv", "--align"], 65, "alignment needs at least 3 matched poses"),
      (["estimate.csv", "truth.csv", "--max-gap", "nan"], 64, "--max-gap must be from"),
      (
        ["estimate.csv", "truth.csv", "--relative-distance", "0"], 64,
        "--relative-distance must be from"
      ),
      (["estimate.csv", "truth.csv", "--max-rmse", "nan"], 64, "--max-rmse must be from"),
      (["estimate.csv", "truth.csv", "--max-rmse", "-1"], 64, "--max-rmse must be from"),
      (["", "truth.csv"], 64, "the name of the estimate is empty"),
      (["estimate.csv"], 64, "truth"), (["-", "-"], 64, "cannot both be standard input"),
    ] as [([String], Int32, String)])
  func explainsMistakes(_ arguments: [String], _ code: Int32, _ message: String) throws {
    let folder = try folder()
    try folder.write("words.txt", "once,upon\na,time\n")
    try folder.write("empty/README.md", "nothing")
    let outcome = try FathomTool.run(["evaluate"] + arguments, in: folder)
    #expect(outcome.exitCode == code && outcome.output.isEmpty, "\(outcome.errors)")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  /// `evaluate` reads the results of `process`, and agrees with an independent score.
  @Test func evaluatesResultsOfProcess() throws {
    let folder = try Folder()
    let recording = FathomTool.dataset("robot-2d")
    let processed = try FathomTool.run("process", recording, "-o", "out", in: folder)
    #expect(processed.exitCode == 0)
    let outcome = try FathomTool.run(
      "evaluate", "out/robot-2d.positions.csv", recording, "--json", in: folder)
    let report = try report(outcome)
    let table = try Table(try folder.text("out/robot-2d.positions.csv"))
    let score = try Score(table, recording: recording, axes: 2)
    #expect(report.n == score.count)
    #expect(isClose(report.rmse_m ?? .nan, score.rootMeanSquare, within: 1e-9))
    #expect(isClose(report.coverage, score.coverage, within: 1e-12))
  }
}
