import Foundation
import TestSupport
import Testing

/// `fathom process` with positions in `poses.csv`.
@Suite struct ProcessPosesTests {
  private struct Summary: Decodable {
    struct Accessory: Decodable {
      var accessory: String
      var convergence: String
      var missing: [String]
      var position_m: [Double]?
      var alternatives_m: [[Double]]?
      var restarts: Int
    }
    struct Source: Decodable { var path: String }
    var accessories: [Accessory]?
    var notes: [String]
    var warnings: [String]
    var sources: [Source]
    var positions: [String: Int]
  }

  /// Writes a walk of 4 m along x, then 4 m along y, at 1 m/s, past an accessory at (2, 5, 1).
  ///
  /// After the time `jump` the poses are 20 m elsewhere.
  private func write(
    _ folder: Folder, positions: Bool = true, until end: Double = 8, jump: Double = .infinity,
    anchors: String? = nil
  ) throws {
    var ranges = "time_s,tag,anchor,distance_m\n"
    var poses = "time_s,x,y,z,qw,qx,qy,qz\n"
    for step in 0...Int(10 * end) {
      let time = Double(step) / 10
      let (x, y) = (min(time, 4), max(0, time - 4))
      let z = 1.3 + 0.3 * sin(2 * time)
      // Repeated values are not independent measurements.
      let noise = 0.003 * sin(17 * time)
      let distance =
        ((x - 2) * (x - 2) + (y - 5) * (y - 5) + (z - 1) * (z - 1)).squareRoot() + noise
      ranges += "\(time),phone,keys,\(distance)\n"
      let shift = time > jump ? 20.0 : 0
      poses += positions ? "\(time),\(x + shift),\(y),\(z),1,0,0,0\n" : "\(time),,,,1,0,0,0\n"
    }
    try folder.write("walk/ranges.csv", ranges)
    try folder.write("walk/poses.csv", poses)
    if let anchors { try folder.write("walk/anchors.csv", anchors) }
  }

  private func process(_ folder: Folder, _ arguments: String...) throws -> Summary {
    let result = try FathomTool.run(
      ["process", "walk", "-o", "out", "--force"] + arguments, in: folder)
    #expect(result.exitCode == 0, "\(result.errors)")
    return try JSONDecoder().decode(
      Summary.self, from: Data(try folder.text("out/walk.summary.json").utf8))
  }

  @Test func locatesTheAccessoryInTheFrameOfThePoses() throws {
    for anchors in [nil, "id,x,y,z\n", "id,x,y,z\nkeys,,,\n"] {
      let folder = try Folder()
      try write(folder, anchors: anchors)
      let summary = try process(folder)
      let found = try #require(summary.accessories?.first)
      #expect(found.accessory == "keys" && found.restarts == 0)
      let place = try #require(found.position_m)
      #expect(hypot(place[0] - 2, place[1] - 5) < 0.3, "\(place)")
      #expect(!found.missing.contains("sideways_movement"))
      #expect(summary.sources.contains { $0.path.hasSuffix("poses.csv") })
      #expect(summary.positions["tracking", default: 0] > 20)
      #expect(!summary.warnings.contains { $0.contains("no anchors") })
      // The results are up to date, also for --resume.
      let again = try FathomTool.run(["process", "walk", "-o", "out", "--resume"], in: folder)
      #expect(again.exitCode == 0 && again.errors.contains("skipped: 1 of 1"), "\(again.errors)")
    }
  }

  @Test func aStraightWalkHasAWarningWithItsMirrorImage() throws {
    let folder = try Folder()
    try write(folder, until: 4)
    let summary = try process(folder)
    let found = try #require(summary.accessories?.first)
    #expect(found.convergence == "not_converged")
    #expect(found.missing.first == "sideways_movement")
    let places = [try #require(found.position_m)] + (found.alternatives_m ?? [])
    #expect(places.contains { hypot($0[0] - 2, $0[1] - 5) < 0.5 }, "\(places)")
    #expect(places.contains { hypot($0[0] - 2, $0[1] + 5) < 0.5 }, "\(places)")
    #expect(
      summary.warnings.contains {
        $0.contains("walk sideways") && $0.contains("it may also be at")
      }, "\(summary.warnings)")
  }

  @Test func aJumpOfThePosesIsReported() throws {
    let folder = try Folder()
    try write(folder, jump: 6)
    let summary = try process(folder)
    #expect(summary.accessories?.first?.restarts == 1)
    #expect(summary.warnings.contains { $0.contains("poses.csv jumps once") })
  }

  /// Without anchors, attitudes without positions are not even read.
  @Test func attitudesAloneChangeNothing() throws {
    let (with, without) = (try Folder(), try Folder())
    for folder in [with, without] { try write(folder, positions: false) }
    try FileManager.default.removeItem(at: without.url.appending(path: "walk/poses.csv"))
    for method in ["fix", "filter", "smooth"] {
      _ = try process(with, "--method", method)
      _ = try process(without, "--method", method)
      for name in ["positions.csv", "distances.csv", "summary.json"] {
        #expect(
          try with.text("out/walk.\(name)") == without.text("out/walk.\(name)"), "\(method)")
      }
    }
  }
}
