import Foundation
import TestSupport
import Testing

@Suite struct ConvertTests {
  private static let log = (0..<60).map { block in
    let y = Double(block) / 20
    let ranges = [
      ("0x0001", 0.0, 0.0), ("0x0002", 4.0, 0.0), ("0x0003", 4.0, 5.0), ("0x0004", 0.0, 5.0),
    ]
    let measurements = ranges.map { name, ax, ay in
      let distance = ((2 - ax) * (2 - ax) + (y - ay) * (y - ay)).squareRoot()
      return " [mac_address=\(name), status=\"SUCCESS\", distance[cm]=\(Int(100 * distance + 0.5))]"
    }
    return
      "SESSION_INFO_NTF: {session_handle=1, sequence_number=\(block), block_index=\(block), n_measurements=4\n"
      + measurements.joined(separator: ";\n") + "}\n"
  }.joined()

  private static let anchors =
    "id,x,y,z\n0x0001,0,0,0\n0x0002,4,0,0\n0x0003,4,5,0\n0x0004,0,5,0\n"

  @Test func recordingGivesTheResultsOfTheLog() throws {
    let folder = try Folder()
    try folder.write("log.txt", Self.log)
    try folder.write("anchors.csv", Self.anchors)
    let convert = try FathomTool.run(
      "convert", "log.txt", "--anchors", "anchors.csv", "-o", "walk", in: folder)
    #expect(convert.exitCode == 0, "\(convert.errors)")
    #expect(convert.lines == ["walk/ranges.csv", "walk/anchors.csv"])
    #expect(convert.errors.contains("times: block index times 0.2 s"))
    for (input, output) in [("log.txt", "a"), ("walk", "b")] {
      let process = try FathomTool.run(
        "process", input, "--anchors", "anchors.csv", "--height", "0", "-o", output, in: folder)
      #expect(process.exitCode == 0, "\(process.errors)")
    }
    let log = try String(
      contentsOf: folder.url.appending(path: "a/log.positions.csv"), encoding: .utf8)
    let walk = try String(
      contentsOf: folder.url.appending(path: "b/walk.positions.csv"), encoding: .utf8)
    #expect(log == walk)
    #expect(log.split(separator: "\n").count > 50)
    let again = try FathomTool.run(
      "convert", "log.txt", "--anchors", "anchors.csv", "-o", "walk", in: folder)
    #expect(again.exitCode == 73)
  }

  /// An anchors file without rows declares no anchors: the names are those of the time differences.
  @Test func convertsTimeDifferencesWithoutAnchors() throws {
    let folder = try Folder()
    try folder.write("walk/anchors.csv", "id,x,y,z\n")
    let rows = "time_s,tag,anchor_a,anchor_b,difference_m\n0.0,T,A0,A1,3.924\n0.1,T,A0,A2,3.651\n"
    try folder.write("walk/tdoa.csv", rows)
    let convert = try FathomTool.run("convert", "walk", "-o", "copy", in: folder)
    #expect(convert.exitCode == 0, "\(convert.errors)")
    let copy = try String(contentsOf: folder.url.appending(path: "copy/tdoa.csv"), encoding: .utf8)
    #expect(copy == rows)
  }

  @Test func locatesFromALogWithItsAnchors() throws {
    let folder = try Folder()
    try folder.write(
      "lec.txt",
      "DIST,4,AN0,0001,0.00,0.00,0.00,2.50,AN1,0002,4.00,0.00,0.00,2.50,AN2,0003,4.00,3.00,0.00,2.50,AN3,0004,0.00,3.00,0.00,2.50\n"
    )
    let located = try FathomTool.run(
      "locate", "--ranges", "lec.txt", "--height", "0", in: folder)
    #expect(located.exitCode == 0, "\(located.errors)")
    #expect(located.output.contains("2.000"), "\(located.output)")
  }

  @Test func convertsTrajectories() throws {
    let folder = try Folder()
    try folder.write("est.csv", "time_s,x,y,z\n1.5,1,2,3\n2.5,1,2,4\n")
    for (format, name) in [("tum", "est.tum"), ("euroc", "est.euroc.csv"), ("csv", "truth.csv")] {
      let outcome = try FathomTool.run(
        "convert", "est.csv", "--to", format, "-o", "out", in: folder)
      #expect(outcome.exitCode == 0 && outcome.lines == ["out/\(name)"], "\(outcome.errors)")
    }
    let kitti = try FathomTool.run("convert", "est.csv", "--to", "kitti", "-o", "out", in: folder)
    #expect(kitti.lines == ["out/est.kitti.txt", "out/est.times.txt"])
    let back = try FathomTool.run(
      "convert", "out/est.kitti.txt", "--times", "out/est.times.txt", "--to", "tum", "-o", "back",
      in: folder)
    #expect(back.exitCode == 0, "\(back.errors)")
    for (file, other) in [("out/est.tum", "back/est.kitti.tum"), ("out/truth.csv", "est.csv")] {
      let bytes = try Data(contentsOf: folder.url.appending(path: other))
      let outcome = try FathomTool.run("evaluate", file, "est.csv", in: folder)
      #expect(
        outcome.exitCode == 0 && outcome.output.contains("matched    2 of 2"), "\(bytes.count)")
    }
    let without = try FathomTool.run(
      "convert", "out/est.kitti.txt", "--to", "tum", "-o", "no", in: folder)
    #expect(without.exitCode == 65 && without.errors.contains("--times"))
  }

  @Test func nothingUsableIsBadData() throws {
    let folder = try Folder()
    try folder.write("ranges.csv", "time_s,anchor,distance_m\n0,A,0\n1,A,0\n2,A,x\n")
    for command in [
      ["convert", "ranges.csv", "-o", "out"], ["process", "ranges.csv", "-o", "out"],
    ] {
      let outcome = try FathomTool.run(command, in: folder)
      #expect(outcome.exitCode == 65)
      #expect(
        outcome.errors.contains("no row can be used; 2 of 3: distance_m is zero"),
        "\(outcome.errors)")
    }
  }

  @Test func evaluateNamesPositionsThatAreZero() throws {
    let folder = try Folder()
    let rows = (0..<40).map { "\($0),\($0 < 10 ? "0,0,0" : "1,2,3")" }.joined(separator: "\n")
    try folder.write("est.csv", "Zeit;E;N;H\n" + rows.replacing(",", with: ";"))
    try folder.write("truth.csv", "time_s,x,y,z\n0,1,2,3\n1,1,2,3\n39,1,2,3\n")
    let outcome = try FathomTool.run(
      "evaluate", "est.csv", "truth.csv", "--max-gap", "100", "--columns", "time=Zeit,x=E,y=N,z=H",
      in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("10 of 40 positions (25 %) are exactly 0,0,0"))
  }

  @Test func inspectShowsDistancesBesideThoseOfAnchors() throws {
    let folder = try Folder()
    try folder.write("log.txt", Self.log)
    try folder.write("anchors.csv", Self.anchors)
    let outcome = try FathomTool.run(
      "inspect", "log.txt", "--anchors", "anchors.csv", "--json", in: folder)
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let object = try #require(json as? [String: Any])
    #expect(object["format"] as? String == "session-info")
    #expect((object["anchor_distances_m"] as? [Double])?.first == 4)
    let link = try #require((object["links"] as? [[String: Any]])?.first)
    #expect(link["least_distance_m"] as? Double == 2)
    #expect((link["median_distance_m"] as? Double ?? 0) > 2)
  }
}

/// Inputs that users had trouble with, and what is right.
@Suite struct ReadingCaseTests {
  private static func path(_ name: String) -> String {
    Reference.url("cases/\(name)").path(percentEncoded: false)
  }

  @Test(.needsReference("cases/ranges_wide"))
  func readsRowsOfEpochs() throws {
    let path = Self.path("ranges_wide")
    let outcome = try FathomTool.run("inspect", path, "--json", in: try Folder())
    #expect(outcome.exitCode == 0 && outcome.output.contains("\"ranges\" : 7"), "\(outcome.output)")
  }

  @Test(.needsReference("cases/ranges_without_time"))
  func readsRoundsWithoutTimes() throws {
    let path = Self.path("ranges_without_time")
    let outcome = try FathomTool.run(
      "locate", "--ranges", "\(path)/ranges.csv", "--anchors", "\(path)/anchors.csv", "--height",
      "0",
      "--window", "0.5", "--json", in: try Folder())
    #expect(outcome.lines.count == 2, "\(outcome.output) \(outcome.errors)")
  }

  @Test(.needsReference("cases/time_of_day"))
  func readsTimesOfDay() throws {
    let outcome = try FathomTool.run("inspect", Self.path("time_of_day"), in: try Folder())
    #expect(outcome.output.contains("time       41628.686 to 41628.786 s"), "\(outcome.output)")
  }

  @Test(.needsReference("cases/angles_degrees_unmarked"))
  func asksForTheUnitOfAngles() throws {
    let path = Self.path("angles_degrees_unmarked")
    let folder = try Folder()
    let outcome = try FathomTool.run("process", path, "-o", "out", in: folder)
    #expect(outcome.exitCode == 65)
    #expect(outcome.errors.contains("beyond ±2π: 30 (degrees? try --angle-unit deg)"))
    let degrees = try FathomTool.run(
      "process", path, "-o", "out", "--method", "fix", "--angle-unit", "deg", in: folder)
    #expect(degrees.exitCode == 0, "\(degrees.errors)")
  }

  @Test(.needsReference("cases/positions_zero_means_none"))
  func namesZeros() throws {
    let path = Self.path("positions_zero_means_none")
    let outcome = try FathomTool.run(
      "evaluate", "\(path)/est.csv", "\(path)/truth.csv", in: try Folder())
    #expect(outcome.errors.contains("(25 %) are exactly 0,0,0"), "\(outcome.errors)")
  }
}
