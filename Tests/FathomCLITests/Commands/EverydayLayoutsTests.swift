import Foundation
import TestSupport
import Testing

/// Layouts, names and logs as people have them, through the tool; and refusals whose line works.
@Suite struct EverydayLayoutsTests {
  /// Anchors at the corners of a room, and the distances from (2, 1).
  private static let anchors = "id,x,y\nA1,0,0\nA2,4,0\nA3,4,3\nA4,0,3\n"
  private static let distances: [Double] = [2.236068, 2.236068, 2.828427, 2.828427]

  /// Returns rows of `row(time, anchor, distance)` for 20 epochs of 0.2 s.
  private func rows(_ row: (Double, Int, Double) -> String) -> String {
    (0..<20).map { epoch in
      Self.distances.enumerated().map { anchor, distance in
        row(0.2 * Double(epoch), anchor + 1, distance) + "\n"
      }.joined()
    }.joined()
  }

  private func expectPositions(
    _ folder: Folder, _ arguments: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let outcome = try FathomTool.run(
      ["process", "walk", "--method", "fix", "-o", "out", "--force"] + arguments, in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    let text = (try? folder.text("out/walk.positions.csv")) ?? ""
    let last = text.split(separator: "\n").last?.split(separator: ",").map { Double($0) ?? .nan }
    let (x, y) = (last?.dropFirst(2).first ?? .nan, last?.dropFirst(3).first ?? .nan)
    #expect(
      (x - 2).magnitude < 0.05 && (y - 1).magnitude < 0.05, "\(text.suffix(300))",
      sourceLocation: sourceLocation)
    return outcome.errors
  }

  @Test func findsPositionsInEverydayLayouts() throws {
    func clock(_ time: Double) -> String { String(Int((time * 1000).rounded())) }
    let layouts: [String] = [
      "sep=;\r\nts;anchor;distance\r\n"
        + rows { "\(clock($0));A\($1);\($2)".replacing(".", with: ",") + "\r" },
      "%time,field.anchor_id,field.tag_id,field.range\n"
        + rows { "\(1_700_000_000_000_000_000 + Int($0 * 1e9)),A\($1),7,\($2)" },
      "millis,AP MAC Address,Distance (mm),Std Dev (mm)\n"
        + rows { "\(clock($0)),A\($1),\($2 * 1000),50" },
      "t,uwb_range,UWB_ID1,UWB_ID2\n" + rows { "\($0),\($2),T,A\($1)" },
      "time,node,mood,dist\n" + rows { "\($0),A\($1),9,\($2)" },
      "time | tag | anchor | range\n" + rows { "\($0) | T | A\($1) | \($2)" },
    ]
    for text in layouts {
      let folder = try Folder()
      try folder.write("walk/ranges.csv", text)
      try folder.write("walk/anchors.csv", Self.anchors)
      _ = try expectPositions(folder)
    }
  }

  /// Each row is an epoch: lists in cells, with and without brackets, and arrays of equal length in JSON.
  @Test func findsPositionsOfLists() throws {
    let names = Self.distances.indices.map { "A\($0 + 1)" }
    func rows(_ row: (String, [String], [Double]) -> String) -> String {
      (0..<20).map { row(String(0.2 * Double($0)), names, Self.distances) + "\n" }.joined()
    }
    func list(_ values: [some Any], _ separator: String = ", ") -> String {
      values.map { "\($0)" }.joined(separator: separator)
    }
    let layouts: [String] = [
      "time,anchors,ranges\n" + rows { "\($0),\"[\(list($1))]\",\"[\(list($2))]\"" },
      "time;ids;dists_mm;rssi\n"
        + rows { "\($0);\(list($1, " "));\(list($2.map { 1000 * $0 }, " "));-80 -81 -82 -83" },
      rows { time, names, ranges in
        "{\"t\":\(time),\"anchors\":\(names),\"distances\":\(ranges),\"rssi\":[-80,-81,-82,-83]}"
      },
    ]
    for text in layouts {
      let folder = try Folder()
      try folder.write("walk/ranges.csv", text)
      try folder.write("walk/anchors.csv", Self.anchors)
      _ = try expectPositions(folder)
      let inspected = try FathomTool.run("inspect", "walk", in: folder)
      #expect(inspected.output.contains("80 ranges"), "\(inspected)")
    }
  }

  /// Rows that cannot be read stay rows of the file, with their lines.
  @Test func countsRowsOfListsThatDoNotFit() throws {
    let folder = try Folder()
    try folder.write(
      "walk/ranges.csv",
      "time,anchors,ranges\n0,\"[A1, A2]\",\"[1, 2]\"\n1,\"[A1, A2]\",\"[1, 2, 3]\"\n"
        + "2,\"[A1, A2]\",\"[x, 2]\"\n")
    try folder.write("walk/anchors.csv", Self.anchors)
    let outcome = try FathomTool.run(
      ["process", "walk", "--method", "fix", "-o", "out", "--force"], in: folder)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let rejected = try folder.text("out/walk.rejected.csv")
    #expect(rejected.split(separator: "\n").count == 3, "\(rejected)")
    #expect(rejected.contains("3,") && rejected.contains("4,"), "\(rejected)")
  }

  @Test func readsTimesOfArrival() throws {
    let folder = try Folder()
    // A ping a second at (2, 1), received at 1,500 m/s.
    let rows = (0..<20).map { ping in
      let times = Self.distances.map { 100 + Double(ping) + $0 / 1500 }
      return "\(ping),\(times.map { "\($0)" }.joined(separator: ",")),1500\n"
    }
    try folder.write("walk/ranges.csv", "ping,A1,A2,A3,A4,soundspeed\n" + rows.joined())
    try folder.write("walk/anchors.csv", Self.anchors)
    let said = try expectPositions(folder)
    #expect(said.contains("times of arrival"), "\(said)")
  }

  @Test func findsPositionsWithEverydayAnchors() throws {
    let ranges = "time,anchor,distance\n" + rows { "\($0),A\($1),\($2)" }
    for (name, anchors) in [
      ("anchors.csv", "id;x;y\nA1;0,0;0,0\nA2;4,0;0,0\nA3;4,0;3,0\nA4;0,0;3,0\n"),
      ("anchors.csv", "A1,0,0\nA2,4,0\nA3,4,3\nA4,0,3\n"),
      ("anchors.csv", "point_id,X_LOCAL,Y_LOCAL\nA1,0,0\nA2,4,0\nA3,4,3\nA4,0,3\n"),
      ("anchors.yaml", "anchors:\n  A1: [0, 0]\n  A2: [4, 0]\n  A3: [4, 3]\n  A4: [0, 3]\n"),
      ("anchors.json", "{\"A1\":[0,0],\"A2\":[4,0],\"A3\":[4,3],\"A4\":[0,3]}"),
    ] {
      let folder = try Folder()
      try folder.write("walk/ranges.csv", ranges)
      try folder.write("walk/\(name)", anchors)
      _ = try expectPositions(folder)
    }
  }

  /// The line behind `try` works when it is pasted.
  @Test func refusalWorksWhenPasted() throws {
    let folder = try Folder()
    try folder.write(
      "walk/ranges.csv", "when,what sensor,how far,level\n" + rows { "\($0),A\($1),\($2),80" })
    try folder.write("walk/anchors.csv", "Nr,Ost,Nord\nA1,0,0\nA2,4,0\nA3,4,3\nA4,0,3\n")
    var columns: [String] = []
    for _ in 0..<2 {
      let given = columns.isEmpty ? [] : ["--columns", columns.joined(separator: ",")]
      let refused = try FathomTool.run(
        ["process", "walk", "--method", "fix", "-o", "out"] + given, in: folder)
      #expect(refused.exitCode == 65)
      let line = refused.errors.components(separatedBy: "try --columns ").last ?? ""
      columns.append(line.trimmingCharacters(in: CharacterSet(charactersIn: "'\n")))
    }
    _ = try expectPositions(folder, ["--columns", columns.joined(separator: ",")])
  }

  @Test func evaluateWarnsOfUnitsAndAxes() throws {
    let folder = try Folder()
    func track(_ row: (Double) -> String) -> String {
      (0..<50).map { row(Double($0) / 10) + "\n" }.joined()
    }
    try folder.write("est.csv", "time_s,x,y,z\n" + track { "\($0),\(1 + $0),\(2 + $0 * $0),1" })
    try folder.write(
      "mm.csv", "time_s,x,y,z\n" + track { "\($0),\(1000 * (1 + $0)),\(1000 * (2 + $0 * $0)),1000" }
    )
    try folder.write("axes.csv", "time_s,x,y,z\n" + track { "\($0),\(1 + $0),1,\(2 + $0 * $0)" })
    let units = try FathomTool.run("evaluate", "est.csv", "mm.csv", in: folder)
    #expect(units.errors.contains("about 1000 times as large as the estimate"), "\(units.errors)")
    let axes = try FathomTool.run("evaluate", "est.csv", "axes.csv", in: folder)
    #expect(axes.errors.contains("truth fits with its x, z, y as x, y, z"), "\(axes.errors)")
    let same = try FathomTool.run("evaluate", "est.csv", "est.csv", in: folder)
    #expect(same.errors.isEmpty, "\(same.errors)")
  }

  // MARK: Cases of users

  @Test(
    .needsReference("cases"),
    arguments: [
      ("excel_sep_line", ""), ("anchors_decimal_comma", ""), ("time_millis_column", ""),
      ("android_rtt_csv", ""), ("wide_anchor1_distance", ""), ("log_dw1000_comma", "serial.log"),
    ])
  func casesGivePositions(_ name: String, _ input: String) throws {
    let folder = try Folder()
    let path = Reference.url("cases/\(name)/\(input)").path(percentEncoded: false)
    let outcome = try FathomTool.run(
      "process", path, "--method", "filter", "-o", "out", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let file = folder.names("out").first { $0.hasSuffix(".positions.csv") }
    let rows = try file.map { try folder.text("out/\($0)").split(separator: "\n").count }
    #expect(rows ?? 0 > 5, "\(outcome.errors) \(folder.names("out"))")
  }

  @Test(
    .needsReference("cases"),
    arguments: [
      ("columns_range_raw/ranges.csv", "3 ranges"), ("ros_topic_generic/walk.csv", "8 ranges"),
      ("log_trek_pc/log.txt", "12 ranges"),
    ])
  func casesAreInspected(_ file: String, _ ranges: String) throws {
    let outcome = try FathomTool.run(
      "inspect", Reference.url("cases/\(file)").path(percentEncoded: false), in: Folder())
    #expect(outcome.exitCode == 0 && outcome.output.contains(ranges), "\(outcome)")
  }

  @Test(.needsReference("cases"))
  func arrivalsAreExplained() throws {
    let outcome = try FathomTool.run(
      "inspect", Reference.url("cases/toa_matrix/toa.csv").path(percentEncoded: false), in: Folder()
    )
    #expect(outcome.exitCode == 65 && outcome.errors.contains("times of arrival"), "\(outcome)")
  }
}
