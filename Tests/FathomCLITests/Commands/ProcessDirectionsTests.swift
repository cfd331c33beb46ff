import Foundation
import TestSupport
import Testing

/// `fathom process` with directions and recorded attitudes.
@Suite struct ProcessDirectionsTests {
  private struct Summary: Decodable {
    var notes: [String]
    var warnings: [String]
    var undetermined_epochs: Int?
    var positions: [String: Int]
  }

  private struct Scene {
    var anchors = [("A", 0.0, 0.0)]
    var heading: Double? = nil
    var headingShift = 0.0
    var poseShift = 0.0
    var poses: [String]? = nil
    var columns = "time_s,x,y,z,qw,qx,qy,qz"
    var tags = ["R"]
    var info = #"{"height_m": 0, "device_frame": "robot"}"#
  }

  /// The robot moves on a circle of 2 m radius about (3, 1) at 1 rad/s and looks ahead.
  ///
  /// Poses have 2 Hz, ranges and azimuths (positive to the left) 10 Hz.
  private static func truth(at time: Double) -> (x: Double, y: Double, heading: Double) {
    (3 + 2 * cos(time), 1 + 2 * sin(time), time + .pi / 2)
  }

  private func write(_ scene: Scene, to folder: Folder) throws {
    let anchors = scene.anchors.map { "\($0),\($1),\($2),0\n" }
    try folder.write("walk/anchors.csv", "id,x,y,z\n" + anchors.joined())
    try folder.write("walk/recording.json", scene.info)
    var ranges = "time_s,tag,anchor,distance_m,azimuth_rad\n"
    for step in 0...60 {
      let time = Double(step) / 10
      let robot = Self.truth(at: time)
      for (name, x, y) in scene.anchors {
        let (across, along) = (y - robot.y, x - robot.x)
        let azimuth = atan2(across, along) - robot.heading
        for tag in scene.tags {
          ranges += "\(time),\(tag),\(name),\(hypot(across, along)),\(azimuth)\n"
        }
      }
    }
    try folder.write("walk/ranges.csv", ranges)
    var poses = scene.columns + "\n"
    for step in 0...12 {
      let time = Double(step) / 2
      let half = ((scene.heading ?? Self.truth(at: time).heading) + scene.headingShift) / 2
      poses += "\(time + scene.poseShift),,,,\(cos(half)),0,0,\(sin(half))\n"
    }
    if scene.columns.isEmpty { return }
    try folder.write("walk/poses.csv", scene.poses.map { $0.joined(separator: "\n") } ?? poses)
  }

  private func process(
    _ scene: Scene, _ arguments: String..., method: String = "fix",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (positions: Table, summary: Summary) {
    let folder = try Folder()
    try write(scene, to: folder)
    let outcome = try FathomTool.run(
      ["process", "walk", "-o", "out", "--method", method] + arguments, in: folder)
    try #require(outcome.exitCode == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    let summary = try JSONDecoder().decode(
      Summary.self, from: Data(try folder.text("out/walk.summary.json").utf8))
    return (try Table(try folder.text("out/walk.positions.csv")), summary)
  }

  /// The largest error of a position, in metres; infinite if a position is undetermined.
  private func largestError(_ positions: Table) -> Double { largestError(positions.rows[...]) }

  private func largestError(_ rows: ArraySlice<[String: String]>) -> Double {
    rows.map { row in
      func number(_ name: String) -> Double { Double(row[name] ?? "") ?? .nan }
      let truth = Self.truth(at: number("time_s"))
      let error = hypot(number("x_m") - truth.x, number("y_m") - truth.y)
      return error.isNaN ? .infinity : error
    }.max() ?? .nan
  }

  /// A range and an azimuth to one anchor determine a position; a range alone leaves a circle.
  @Test func oneAnchorSufficesWithKnownAttitude() throws {
    let (positions, summary) = try process(Scene())
    #expect(positions.rows.count == 61 && largestError(positions) < 1e-3)
    #expect(summary.notes.contains("directions used, with the attitude in poses.csv: 61"))
    #expect(summary.warnings.isEmpty)
    // The option overrides the frame in recording.json.
    let asked = Scene(info: #"{"height_m": 0, "device_frame": "phone"}"#)
    let (same, _) = try process(asked, "--device-frame", "robot")
    #expect(same.rows == positions.rows)
    let (otherwise, _) = try process(asked)
    #expect(!(largestError(otherwise) < 1))
  }

  @Test func estimatesUnknownHeading() throws {
    var scene = Scene(anchors: [("A", 0, 0), ("B", 9, 1), ("C", 4, 7)], heading: 0.3)
    let (positions, _) = try process(scene, "--heading-sigma", "180")
    #expect(positions.rows.count == 61 && largestError(positions) < 0.02)
    scene.info = #"{"height_m": 0, "device_frame": "robot", "heading_sigma_rad": 3.14159}"#
    let (same, _) = try process(scene)
    #expect(largestError(same) < 0.02)
  }

  @Test func usesRangesAloneWithoutPoses() throws {
    let (positions, summary) = try process(Scene(columns: ""))
    #expect(positions.rows.isEmpty && summary.undetermined_epochs == 61)
    #expect(
      summary.notes.contains(
        "directions are not used for positions: there is no poses.csv with the device's attitude"))
  }

  @Test func notesPosesWithoutAttitudes() throws {
    let (positions, summary) = try process(
      Scene(poses: ["time_s,x,y,z", "0,1,2,3", ""]))
    #expect(positions.rows.isEmpty)
    #expect(
      summary.notes.contains { $0.hasPrefix("poses.csv is not used: the header lacks qw, qx") })
  }

  @Test func warnsOfPosesAtOtherTimes() throws {
    let (positions, summary) = try process(Scene(poseShift: 1000))
    #expect(positions.rows.isEmpty)
    #expect(summary.warnings.contains { $0.hasPrefix("no direction is within 1.0 s of a pose") })
    // Poses shifted by 3 s cover 41 of 61 directions.
    let (later, partly) = try process(Scene(poseShift: 3))
    #expect(!later.rows.isEmpty)
    #expect(partly.warnings.contains { $0.hasPrefix("20 of 61 directions are farther than 1.0 s") })
  }

  @Test func countsInvalidQuaternions() throws {
    let (positions, summary) = try process(
      Scene(poses: ["time_s,qw,qx,qy,qz", "0,0,0,0,0", "0.5,3,0,0,0", ""]))
    #expect(positions.rows.isEmpty)
    #expect(
      summary.notes.contains(
        "poses.csv: 2 rows rejected; line 2: the quaternion does not have length 1"))
    #expect(summary.warnings.contains("directions are not used: poses.csv has no usable row"))
  }

  @Test func ignoresPosesOfAmbiguousTag() throws {
    let (_, summary) = try process(Scene(tags: ["R", "S"]))
    #expect(
      summary.warnings.contains { $0.contains("names no tag, and the recording has several") })
    let (_, filtered) = try process(Scene(tags: ["R", "S"]), method: "filter")
    #expect(
      filtered.warnings.contains { $0.contains("names no tag, and the recording has several") })
    let (_, smoothed) = try process(Scene(), method: "smooth")
    #expect(
      smoothed.notes.contains("poses.csv is not used: --method smooth uses only ranges"))
  }

  // MARK: The filter

  /// Ranges to two anchors leave two mirror images; truth is on either side.
  @Test(arguments: [-4.0, 6])
  func directionsSelectMirrorImageOfFilter(_ across: Double) throws {
    var scene = Scene(anchors: [("A", 0, across), ("B", 7, across)])
    let (positions, summary) = try process(scene, method: "filter")
    let last = positions.rows.suffix(30)
    #expect(last.allSatisfy { $0["status"] == "tracking" })
    #expect(largestError(last) < 0.3)
    #expect(summary.notes.contains("directions used, with the attitude in poses.csv: 122"))
    scene.columns = ""
    let (ambiguous, without) = try process(scene, method: "filter")
    #expect(ambiguous.rows.suffix(30).allSatisfy { $0["status"] == "ambiguous" })
    #expect(
      without.notes.contains(
        "directions are not used for positions: there is no poses.csv with the device's attitude"))
  }

  /// A constant heading error of 1 rad with an unknown prior.
  @Test func filterEstimatesHeading() throws {
    let scene = Scene(anchors: [("A", 0, -4), ("B", 7, -4)], headingShift: 1)
    let (positions, _) = try process(scene, "--heading-sigma", "180", method: "filter")
    #expect(largestError(positions.rows.suffix(30)) < 0.3)
  }

  @Test func explainsWrongFramesAndSigmas() throws {
    let folder = try Folder()
    try write(Scene(), to: folder)
    for arguments in [["--device-frame", "boat"], ["--heading-sigma", "181"]] {
      let outcome = try FathomTool.run(["process", "walk", "-o", "out"] + arguments, in: folder)
      #expect(outcome.exitCode == 64 && outcome.errors.contains(arguments[0]))
    }
  }

  /// `--resume` repeats the processing if poses.csv has changed.
  @Test func resumeDetectsChangedPoses() throws {
    let folder = try Folder()
    try write(Scene(), to: folder)
    let command = ["process", "walk", "-o", "out", "--method", "fix", "--resume"]
    #expect(try FathomTool.run(command, in: folder).exitCode == 0)
    #expect(try FathomTool.run(command, in: folder).errors.contains("already complete"))
    try write(Scene(heading: 1), to: folder)
    #expect(try FathomTool.run(command, in: folder).errors.contains("poses.csv has changed"))
  }

  // MARK: Recordings of other people

  /// A robot whose heading is known: the true heading is written as poses.
  ///
  /// Measured RMSE of `fix`: 0.190 m at a coverage of 1, from ranges alone 0.547 m at 0.90. The
  /// time stamps are numbers of epochs, which the filter treats as seconds; the robot moves up to 7
  /// m within 76 of them. RMSE of `filter`: 0.604 m (median 0.143 m), from ranges alone 1.177 m
  /// (0.324 m).
  @Test(.needsReference("datasets/mrclam9"), arguments: ["fix", "filter"])
  func headingsImprovePositions(_ method: String) throws {
    let source = Reference.url("datasets/mrclam9")
    let folder = try Folder()
    for name in ["ranges.csv", "anchors.csv", "truth.csv"] {
      let text = try String(contentsOf: source.appending(path: name), encoding: .utf8)
      try folder.write("robot/\(name)", text)
    }
    try folder.write("robot/recording.json", #"{"height_m": 0, "device_frame": "robot"}"#)
    let truth = try Table(try folder.text("robot/truth.csv"))
    var poses = "time_s,x,y,z,qw,qx,qy,qz\n"
    for row in truth.rows {
      let half = try #require(Double(row["heading_rad"] ?? "")) / 2
      poses += "\(row["time_s"] ?? ""),,,,\(cos(half)),0,0,\(sin(half))\n"
    }
    func score() throws -> Score {
      let outcome = try FathomTool.run(
        "process", "robot", "-o", "out", "--method", method, "--force", in: folder)
      try #require(outcome.exitCode == 0, "\(outcome.errors)")
      return try Score(
        try Table(try folder.text("out/robot.positions.csv")),
        recording: folder.url.appending(path: "robot").path(percentEncoded: false), axes: 2)
    }
    let ranges = try score()
    try folder.write("robot/poses.csv", poses)
    let angles = try score()
    print("mrclam9, \(method): ranges \(ranges), with directions \(angles)")
    // A track does not start with the three ranges of the first epoch, which cannot show which is wrong.
    #expect(angles.count >= 1815 && angles.coverage > 0.999)
    #expect(angles.rootMeanSquare < (method == "fix" ? 0.25 : 0.7))
    #expect(angles.rootMeanSquare < (method == "fix" ? 0.5 : 0.6) * ranges.rootMeanSquare)
  }
}
