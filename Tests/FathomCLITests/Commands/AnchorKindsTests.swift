import Foundation
import TestSupport
import Testing

/// Anchors without heights, by latitude and longitude, and ranges to anchors that are not declared.
@Suite struct AnchorKindsTests {
  /// Anchors at (0, 0), (10, 0) and (0, 8); the tag is at (3, 4).
  private static let ranges =
    "time_s,anchor,distance_m\n"
    + (0..<40).map { index in
      let distance = ["5.0000", "8.0623", "5.0000"][index % 3]
      return "\(Double(index) / 10),\(["A", "B", "C"][index % 3]),\(distance)\n"
    }.joined()

  private func fields(_ line: String) -> [String] {
    line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func locatesInThePlane() throws {
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y\nA,0,0\nB,10,0\nC,0,8\n")
    for anchors in ["anchors.csv", "."] {
      let outcome = try FathomTool.run(
        "locate", "--anchors", anchors, "--range", "A=5", "--range", "B=8.0623", "--range", "C=5",
        in: folder)
      #expect(outcome.exitCode == 0)
      #expect(outcome.output.contains("position     3.000  4.000  0.000 m"), "\(outcome.output)")
      #expect(outcome.output.contains("verdict      unique"))
    }
    let near = try FathomTool.run("locate", "--anchors", ".", "--range", "a=5", in: folder)
    #expect(near.errors.contains("there is no anchor \"a\" (there are: A, B, C); is it \"A\"?"))
  }

  @Test(arguments: ["fix", "filter", "smooth"])
  func processesInThePlane(_ method: String) throws {
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y\nA,0,0\nB,10,0\nC,0,8\n")
    try folder.write("walk.csv", Self.ranges)
    let outcome = try FathomTool.run(
      "process", "walk.csv", "-o", "out", "--method", method, in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("the anchors have no heights"))
    // The last range repeats an earlier one, for which `smooth` has no position.
    let rows = try folder.text("out/walk.positions.csv").split(separator: "\n").map(String.init)
    let last = try #require(rows.map(fields).last { !$0[2].isEmpty })
    #expect(abs((Double(last[2]) ?? .nan) - 3) < 0.1 && abs((Double(last[3]) ?? .nan) - 4) < 0.1)
    #expect(last[4] == "0.0000")
    // Truth without heights.
    try folder.write("truth.csv", "time_s,x,y\n0,3,4\n4,3,4\n")
    let evaluated = try FathomTool.run(
      "evaluate", "out/walk.positions.csv", "truth.csv", "--max-gap", "10", "--max-rmse", "0.1",
      in: folder)
    #expect(evaluated.exitCode == 0, "\(evaluated.errors)")
    #expect(evaluated.output.contains("\nhorizontal"))
  }

  /// At 60° north, 10 m are 0.000179 3 ° of longitude, 8 m are 0.000071 8 ° of latitude.
  @Test func positionsReturnToDegrees() throws {
    let folder = try Folder()
    try folder.write(
      "walk/anchors.csv",
      "id,latitude,longitude\nA,60,25\nB,60,25.000179329\nC,60.000071803,25\n")
    try folder.write("walk/ranges.csv", Self.ranges)
    let outcome = try FathomTool.run(
      "process", "walk", "-o", "out", "--with", "geodetic", "--results", "csv,jsonl", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let lines = try folder.text("out/walk.positions.csv").split(separator: "\n").map(String.init)
    #expect(lines[0].hasSuffix(",status,latitude_deg,longitude_deg,altitude_m"))
    let last = fields(lines[lines.count - 1])
    #expect(last.count == 17 && last[16].isEmpty)
    // 4 m to the north and 3 m to the east.
    #expect(abs((Double(last[14]) ?? .nan) - 60.0000359) < 1e-6)
    #expect(abs((Double(last[15]) ?? .nan) - 25.0000538) < 2e-6)
    #expect(try folder.text("out/walk.positions.jsonl").contains("\"altitude_m\":null}"))
    let summary = try JSONSerialization.jsonObject(
      with: Data(folder.text("out/walk.summary.json").utf8))
    let origin = (summary as? [String: Any])?["origin"] as? [String: Double]
    #expect(origin == ["latitude_deg": 60, "longitude_deg": 25])
    // The columns are read back.
    let report = try FathomTool.run(
      "process", "walk", "-o", "out", "--with", "geodetic", "--results", "csv,jsonl", "--resume",
      in: folder)
    #expect(
      report.errors == "skipped: 1 of 1 recording, already complete\n"
        || report.errors.contains("skipped: 1"))
    let evaluated = try FathomTool.run(
      "evaluate", "out/walk.positions.csv", "out/walk.positions.csv", "--max-rmse", "0.001",
      in: folder)
    #expect(evaluated.exitCode == 0)
  }

  /// Under a ceiling of anchors both heights explain the ranges.
  @Test(arguments: ["fix", "filter", "smooth"])
  func theOtherPositionIsAColumn(_ method: String) throws {
    let folder = try Folder()
    try folder.write("walk/anchors.csv", "id,x,y,z\nA,0,0,3\nB,8,0,3\nC,8,6,3\nD,0,6,3\n")
    let rows = (0..<40).map { index -> String in
      let anchor = [(0.0, 0.0), (8, 0), (8, 6), (0, 6)][index % 4]
      let (x, y, z) = (3 - anchor.0, 2 - anchor.1, -2.0)
      let range = (x * x + y * y + z * z).squareRoot() + (index % 8 < 4 ? 0.01 : -0.01)
      return "\(Double(index / 4) * 0.4),\(["A", "B", "C", "D"][index % 4]),\(range)"
    }
    try folder.write(
      "walk/ranges.csv", "time_s,anchor,distance_m\n" + rows.joined(separator: "\n") + "\n")
    let outcome = try FathomTool.run(
      "process", "walk", "-o", "out", "--method", method, "--with", "alternative", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let lines = try folder.text("out/walk.positions.csv").split(separator: "\n").map(String.init)
    #expect(lines[0].hasSuffix(",status,alt_x_m,alt_y_m,alt_z_m"))
    let last = fields(lines[lines.count - 1])
    try #require(last.count == 17 && last[13] == "ambiguous", "\(last)")
    #expect(abs((Double(last[4]) ?? .nan) - 1) < 0.3 && abs((Double(last[16]) ?? .nan) - 5) < 0.3)
  }

  @Test func undeclaredAnchorsAreRejectedAndCounted() throws {
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y,z\nA,0,0,0\nB,10,0,0\nC,0,8,0\n")
    try folder.write("walk.csv", Self.ranges + "5,a,2\n6,D,2\n")
    let outcome = try FathomTool.run(
      "process", "walk.csv", "-o", "out", "--height", "0", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.errors.contains(
        "warning: 2 rows name anchors that are not declared: \"a\" (is it \"A\"?), \"D\"; declared:"
          + " \"A\", \"B\", \"C\""))
    #expect(
      try folder.text("out/walk.rejected.csv").contains(
        "42,anchor,\"the anchor is not declared: \"\"a\"\" (is it \"\"A\"\"?)\",\"5,a,2\""))
    try folder.write("pandas.csv", "time_s,anchor,distance_m\n0,1.0,2.3\n0,2.0,3\n")
    try folder.write("numbers.csv", "id,x,y,z\n1,0,0,1\n2,4,0,1\n")
    let none = try FathomTool.run(
      "process", "pandas.csv", "--anchors", "numbers.csv", "-o", "out", in: folder)
    #expect(none.exitCode == 65)
    #expect(
      none.errors == "pandas.csv:2: no range is left: 2 rows name anchors that are not declared:"
        + " \"1.0\" (is it \"1\"?), \"2.0\" (is it \"2\"?); declared: \"1\", \"2\"\n")
  }

  @Test func missingAnchorsAreAWarning() throws {
    let folder = try Folder()
    try folder.write("walk.csv", Self.ranges)
    let outcome = try FathomTool.run("process", "walk.csv", "-o", "out", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.errors.contains("warning: there are no positions, because there are no anchors"))
  }

  /// Bias and scale correct the ranges before anything else.
  @Test func biasAndScaleOfAnchorsCorrectRanges() throws {
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y,bias_m,scale\nA,0,0,1,1\nB,10,0,0,1.1\nC,0,8,0,1\n")
    let outcome = try FathomTool.run(
      "locate", "--anchors", "anchors.csv", "--range", "A=6", "--range", "B=8.8685", "--range",
      "C=5",
      in: folder)
    #expect(outcome.output.contains("position     3.000  4.000  0.000 m"), "\(outcome.output)")
  }
}
