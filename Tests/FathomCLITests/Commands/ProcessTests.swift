import Foundation
import TestSupport
import Testing

/// `fathom process` on complete recordings.
@Suite struct ProcessTests {
  private static let headers = [
    "positions.csv":
      "time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,ranges_used,ranges_rejected,status",
    "distances.csv":
      "time_s,tag,anchor,distance_m,smoothed_m,sigma_m,quality,zone,azimuth_rad,elevation_rad,"
      + "decision",
    "rejected.csv": "line,column,reason,text",
  ]

  private struct Summary: Decodable {
    struct Rows: Decodable {
      var read: Int
      var used: Int
      var events: Int
      var set_aside: Int
    }
    var recording: String
    var rows: Rows
    var decisions: [String: Int]
    var warnings: [String]
  }

  /// Processes the folder `recording`, checks that the counts of rows agree, and returns the
  /// positions.
  private func positions(
    of recording: String, method: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Table {
    let folder = try Folder()
    let name = URL(filePath: recording).lastPathComponent
    let outcome = try FathomTool.run(
      "process", recording, "-o", "out", "--method", method, in: folder)
    try #require(outcome.exitCode == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(folder.names("out") == FathomTool.batch(name))
    for (file, header) in Self.headers {
      let first = try folder.text("out/\(name).\(file)").split(separator: "\n").first
      #expect(first.map(String.init) == header, sourceLocation: sourceLocation)
    }
    let summary = try JSONDecoder().decode(
      Summary.self, from: Data(try folder.text("out/\(name).summary.json").utf8))
    let source = try String(contentsOf: URL(filePath: "\(recording)/ranges.csv"), encoding: .utf8)
    #expect(summary.recording == name)
    // Every line but the header is a row of data.
    #expect(summary.rows.read == source.count { $0 == "\n" } - 1, sourceLocation: sourceLocation)
    #expect(summary.rows.read == summary.rows.used + summary.rows.set_aside)
    let distances = try Table(try folder.text("out/\(name).distances.csv"))
    #expect(distances.rows.count == summary.rows.used - summary.rows.events)
    #expect(distances.rows.count == summary.decisions.values.reduce(0, +))
    let rejected = try folder.text("out/\(name).rejected.csv").split(separator: "\n")
    #expect(rejected.count - 1 == summary.rows.set_aside)

    let positions = try Table(try folder.text("out/\(name).positions.csv"))
    let times = positions.rows.compactMap { Double($0["time_s"] ?? "") }
    #expect(times.count == positions.rows.count && times == times.sorted())
    return positions
  }

  // MARK: Side

  /// Four anchors at 3 m and a tag 2.4 m below or above them: the side in recording.json,
  /// and that of the option, which overrides it.
  @Test(arguments: ["fix", "filter", "smooth"])
  func sideSelectsMirrorImage(_ method: String) throws {
    let folder = try Folder()
    try folder.write("walk/anchors.csv", "id,x,y,z\nA,0,0,3\nB,4,0,3\nC,4,4,3\nD,0,4,3\n")
    let distances = [3, 4.123105625617661, 4.58257569495584, 3.605551275463989]
    var rows = "time_s,tag,anchor,distance_m\n"
    for step in 0..<80 {
      rows += "\(Double(step / 4) / 4),T,\(["A", "B", "C", "D"][step % 4]),\(distances[step % 4])\n"
    }
    try folder.write("walk/ranges.csv", rows)
    func heights(_ options: [String]) throws -> (statuses: Set<String>, side: String?) {
      let outcome = try FathomTool.run(
        ["process", "walk", "-o", "out", "--force", "--method", method] + options, in: folder)
      try #require(outcome.exitCode == 0, "\(outcome.errors)")
      let table = try Table(try folder.text("out/walk.positions.csv"))
      let rows = table.rows.filter { $0["status"] != "starting" }
      #expect(!rows.isEmpty)
      let sides = Set(
        rows.map { row in
          Double(row["z_m"] ?? "").map { $0 < 3 ? "below" : "above" } ?? "open"
        })
      return (Set(rows.compactMap { $0["status"] }), sides.count == 1 ? sides.first : nil)
    }
    #expect(try heights([]).statuses == ["ambiguous"])
    for side in ["below", "above"] {
      let told = try heights(["--side", side])
      #expect(told.side == side && !told.statuses.contains("ambiguous"), "\(side)")
      try folder.write("walk/recording.json", "{\"side\": \"\(side)\"}")
      let read = try heights([])
      #expect(read.side == side && !read.statuses.contains("ambiguous"), "\(side)")
      #expect(try folder.text("out/walk.summary.json").contains("\"side\" : \"\(side)\""))
      let other = side == "below" ? "above" : "below"
      #expect(try heights(["--side", other]).side == other)
      // With an exact height the side has no effect.
      #expect(try heights(["--height", "1"]).side == "below")
    }
    let wrong = try FathomTool.run(
      "process", "walk", "-o", "out", "--side", "under", in: folder)
    #expect(wrong.exitCode == 64 && wrong.errors.contains("'above' and 'below'"))
    try folder.write("walk/recording.json", "{\"side\": \"under\"}")
    let file = try FathomTool.run("process", "walk", "-o", "out2", in: folder)
    #expect(file.exitCode == 65)
    #expect(file.errors.contains("recording.json: side must be above or below, not \"under\""))
  }

  // MARK: Accuracy

  // Each bound is a regression limit: 1.3 times the reference RMSE of `filter` and `fix` in the
  // comment.

  /// Reference RMSE: 0.115 and 0.249 m, in the plane because the height is known.
  @Test(arguments: [("filter", 0.149), ("fix", 0.324)])
  func tracksRobotInPlane(_ method: String, _ bound: Double) throws {
    let recording = FathomTool.dataset("robot-2d")
    let positions = try positions(of: recording, method: method)
    let score = try Score(positions, recording: recording, axes: 2)
    #expect(score.rootMeanSquare < bound, "\(score)")
    #expect(score.coverage > 0.98 && score.count > 2_000, "\(score)")
    #expect(positions.rows.allSatisfy { $0["z_m"] == "0.3000" || $0["z_m"] == "" })
  }

  /// Reference RMSE: 0.097 and 0.196 m.
  @Test(arguments: [("filter", 0.126), ("fix", 0.255)])
  func tracksDroneInSpace(_ method: String, _ bound: Double) throws {
    let recording = FathomTool.dataset("drone-3d")
    let positions = try positions(of: recording, method: method)
    let score = try Score(positions, recording: recording, axes: 3)
    #expect(score.rootMeanSquare < bound, "\(score)")
    #expect(score.coverage > 0.98 && score.count > 590, "\(score)")
  }

  /// Reference RMSE: 0.411 and 0.417 m, mostly from the directions: 0.04 rad per axis at up to 12
  /// m.
  @Test(arguments: [("filter", 0.535), ("fix", 0.542)])
  func locatesAccessoryFromPhone(_ method: String, _ bound: Double) throws {
    let recording = FathomTool.dataset("phone-accessory")
    let positions = try positions(of: recording, method: method)
    // Its README counts 201 ranges with a direction.
    #expect(positions.rows.count == 201)
    #expect(positions.rows.allSatisfy { $0["status"] == "relative" && $0["tag"] == "accessory" })
    let score = try Score(positions, recording: recording, axes: 3)
    #expect(score.rootMeanSquare < bound, "\(score)")
    #expect(score.count == 201)
  }

  // MARK: Recordings of other people

  @Test(
    .needsReference("datasets/labyrinth"),
    arguments: ["labyrinth", "hanyang_los_b3", "mrclam9", "phone_pair_aoa"], ["filter", "fix"])
  func processesPublicRecordings(_ name: String, _ method: String) throws {
    let recording = Reference.url("datasets/\(name)").path(percentEncoded: false)
    let positions = try positions(of: recording, method: method)
    #expect(positions.rows.count > 100)
    guard name == "labyrinth" else { return }
    let score = try Score(positions, recording: recording, axes: 2)
    #expect(score.rootMeanSquare <= 0.25 && score.coverage >= 0.95, "\(score)")
  }

  // MARK: Options and output

  private static let ranges = """
    time_s,tag,anchor,distance_m
    0,T,A,2.5
    0.1,T,A,2.6
    0.2,T,A,2.4

    """

  @Test func appliesFormatsZonesAndBounds() throws {
    let folder = try Folder()
    try folder.write(
      "zones.json",
      #"{"areas": [{"name": "hall", "corners_m": [[-9, -9], [99, -9], [99, 99], [-9, 99]]}]}"#)
    let command = [
      "process", FathomTool.dataset("robot-2d"), "-o", "out", "--results", "tum,jsonl", "--zones",
      "zones.json", "--height-sigma", "0.05", "--bounds", "-9,-9,99,99", "--resume",
    ]
    let outcome = try FathomTool.run(command, in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let endings = [
      "positions.jsonl", "distances.jsonl", "positions.tum", "zones.csv", "rejected.csv",
      "summary.json",
    ]
    #expect(
      folder.names("out") == Set(endings.map { "robot-2d.\($0)" } + ["batch.json", "batch.csv"]))
    let zones = try Table(try folder.text("out/robot-2d.zones.csv"))
    #expect(zones.rows.map { $0["event"] } == ["entered"])
    #expect(zones.rows.first?["zone"] == "hall" && zones.rows.first?["tag"] == "robot")
    let evaluated = try FathomTool.run(
      "evaluate", "out/robot-2d.positions.tum", FathomTool.dataset("robot-2d"), "--max-rmse",
      "0.15", in: folder)
    #expect(evaluated.exitCode == 0, "\(evaluated.errors)")
    let again = try FathomTool.run(command, in: folder)
    #expect(again.errors.contains("skipped: 1 of 1 recording, already complete"))
    try folder.write("zones.json", #"{"areas": []}"#)
    let changed = try FathomTool.run(command, in: folder)
    #expect(changed.errors.contains("made with other settings"))
    try folder.write("zones.json", "{}")
    let wrong = try FathomTool.run(command, in: folder)
    #expect(wrong.exitCode == 65 && wrong.errors == "zones.json: areas is missing\n")
  }

  @Test func printsTable() throws {
    let folder = try Folder()
    try folder.write("walk.csv", Self.ranges + "x,T,A,1\n")
    let outcome = try FathomTool.run("process", "walk.csv", "-o", "out", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.lines.first?.split(separator: " ", omittingEmptySubsequences: true)
        == ["recording", "rows", "used", "rejected", "positions", "rows/s", "results"])
    let cells = try #require(outcome.lines.last).split(separator: " ")
    #expect(cells.prefix(5) == ["walk", "4", "3", "1", "0"])
    #expect(cells.last == "out/walk.*")
    #expect(outcome.lines.count == 2)
    #expect(
      outcome.errors
        == "walk: warning: there are no positions, because there are no anchors: add anchors.csv"
        + " (id,x,y,z) beside the ranges, or give --anchors FILE\n")
  }

  @Test func printsSummariesAsJSONLines() throws {
    let folder = try Folder()
    try folder.write("a.csv", Self.ranges)
    try folder.write("b.csv", Self.ranges + "1,T,A\n")
    let outcome = try FathomTool.run("process", "a.csv", "b.csv", "-o", "out", "--json", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    let summaries = try outcome.lines.map {
      try JSONDecoder().decode(Summary.self, from: Data($0.utf8))
    }
    #expect(summaries.map(\.recording) == ["a", "b"])
    #expect(summaries.map(\.rows.read) == [3, 4])
  }

  /// A message that applies to several recordings is printed once.
  ///
  /// A failure does not affect the others.
  @Test func mergesMessagesOfRecordings() throws {
    let folder = try Folder()
    for name in ["a", "b", "c", "d", "e"] {
      try folder.write("\(name).csv", "time_s,distance_m,mood\n1,2,x\n")
    }
    let outcome = try FathomTool.run(
      "process", "a.csv", "b.csv", "nowhere.csv", "c.csv", "d.csv", "e.csv", "-o", "out",
      in: folder)
    #expect(outcome.exitCode == 66)
    #expect(outcome.lines.count == 6)
    #expect(
      outcome.errors.split(separator: "\n") == [
        "a, b, c and 2 more: note: ignored columns: \"mood\"",
        "a, b, c and 2 more: note: no column tag: one tag, called 0",
        "a, b, c and 2 more: note: no column anchor: one anchor, called 0",
        "a, b, c and 2 more: warning: there are no positions, because there are no anchors: add"
          + " anchors.csv (id,x,y,z) beside the ranges, or give --anchors FILE",
        "nowhere.csv: No such file or directory",
        "failed: 1 of 6 recordings",
      ])
    #expect(folder.names("out") == FathomTool.batch("a", "b", "c", "d", "e"))
  }

  @Test func readsStandardInputAndGzip() throws {
    let folder = try Folder()
    // The output of `printf 'time,distance\n1,2.5\n' | gzip -n`.
    let packed: [UInt8] = [
      0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x2B, 0xC9, 0xCC, 0x4D, 0xD5,
      0x49, 0xC9, 0x2C, 0x2E, 0x49, 0xCC, 0x4B, 0x4E, 0xE5, 0x32, 0xD4, 0x31, 0xD2, 0x33, 0xE5,
      0x02, 0x00, 0x07, 0x95, 0x5B, 0x34, 0x14, 0x00, 0x00, 0x00,
    ]
    try folder.write("walk.csv.gz", bytes: packed)
    let outcome = try FathomTool.run(
      "process", "walk.csv.gz", "-", "-o", "out", in: folder, input: packed)
    #expect(outcome.exitCode == 0)
    #expect(folder.names("out") == FathomTool.batch("walk", "stdin"))
    let walk = try folder.text("out/walk.distances.csv")
    #expect(walk.contains("1,0,0,2.5000"))
    #expect(try folder.text("out/stdin.distances.csv") == walk)
    let plain = try FathomTool.run(
      "process", "-", "-o", "plain", in: folder, input: Array("time,distance\n1,2.5\n".utf8))
    #expect(plain.exitCode == 0)
    #expect(try folder.text("plain/stdin.distances.csv") == walk)
  }

  @Test func resultsAreIndependentOfJobs() throws {
    let folder = try Folder()
    let recordings = ["robot-2d", "drone-3d", "phone-accessory"].map { FathomTool.dataset($0) }
    for jobs in ["1", "2"] {
      let outcome = try FathomTool.run(
        ["process"] + recordings + ["-o", jobs, "--jobs", jobs], in: folder)
      #expect(outcome.exitCode == 0)
    }
    // The manifest differs: it has processing times.
    let names = folder.names("1").subtracting(["batch.json", "batch.csv"])
    #expect(names.count == 12)
    for name in names {
      #expect(try folder.text("1/\(name)") == folder.text("2/\(name)"), "\(name)")
    }
  }

  /// An excessive rate, as from a wrong unit, fails only the recordings with a grid of positions.
  @Test func rejectsExcessiveRate() throws {
    let folder = try Folder()
    try folder.write("hall/anchors.csv", "id,x,y,z\nA,0,0,2\nB,9,0,3\nC,9,9,2\nD,0,9,3\n")
    let rows = (0...48).map { "\(Double($0) / 4),T,\(["A", "B", "C", "D"][$0 % 4]),6\n" }
    try folder.write("hall/ranges.csv", "time_s,tag,anchor,distance_m\n" + rows.joined())
    try folder.write("phone.csv", "time_s,tag,anchor,distance_m\n0,T,A,2\n100,T,A,2\n")
    let outcome = try FathomTool.run(
      "process", "hall", "phone.csv", "-o", "out", "--rate", "1e6", in: folder)
    #expect(outcome.exitCode == 65)
    #expect(
      outcome.errors.contains(
        "hall/ranges.csv: the rate gives 12000000 positions for 49 ranges, more than 100 per range;"
          + " use a lower --rate"))
    // Without anchors there is no grid.
    #expect(!folder.names("out").contains("hall.positions.csv"))
    #expect(folder.names("out").contains("phone.positions.csv"))
  }

  @Test func acceptsNegativeHeight() throws {
    let folder = try Folder()
    let outcome = try FathomTool.run(
      "process", FathomTool.dataset("robot-2d"), "-o", "out", "--height", "-0.5", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let last = try Table(try folder.text("out/robot-2d.positions.csv")).rows.last
    #expect(last?["z_m"] == "-0.5000")
  }

  @Test(arguments: ["filter", "fix"])
  func gridHasRequestedRate(_ method: String) throws {
    let folder = try Folder()
    let outcome = try FathomTool.run(
      "process", FathomTool.dataset("drone-3d"), "-o", "out", "--rate", "5", "--method", method,
      in: folder)
    #expect(outcome.exitCode == 0)
    let rows = try Table(try folder.text("out/drone-3d.positions.csv")).rows
    let times = rows.compactMap { Double($0["time_s"] ?? "") }
    // 60 s at 5 Hz.
    #expect(times.count > 295 && times.count < 305)
    #expect(times.allSatisfy { abs($0 * 5 - ($0 * 5).rounded()) < 1e-9 })
  }
}
