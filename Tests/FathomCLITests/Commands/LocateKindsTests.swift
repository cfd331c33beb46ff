import Foundation
import TestSupport
import Testing

/// `fathom locate` from time differences, pseudo-ranges, bearings, and along a trajectory.
@Suite struct LocateKindsTests {
  /// The tag is at (1, 2, 1): √6, √14, √11, √3, √5.25, √10.
  private static let anchors = "id,x,y,z\nA,0,0,0\nB,4,0,2\nC,4,3,0\nD,0,3,2\nE,2,1.5,3\nF,4,1,1\n"
  private static let distances = [
    "A": 6.0.squareRoot(), "B": 14.0.squareRoot(), "C": 11.0.squareRoot(), "D": 3.0.squareRoot(),
    "E": 5.25.squareRoot(), "F": 10.0.squareRoot(),
  ]

  private func run(
    _ arguments: [String], anchors: String? = anchors, files: [String: String] = [:]
  ) throws -> FathomTool.Outcome {
    let folder = try Folder()
    if let anchors { try folder.write("anchors.csv", anchors) }
    for (name, text) in files { try folder.write(name, text) }
    let leading = anchors == nil ? [] : ["--anchors", "anchors.csv"]
    return try FathomTool.run(["locate"] + leading + arguments, in: folder)
  }

  private func objects(_ outcome: FathomTool.Outcome) throws -> [[String: Any]] {
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    return try outcome.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  private func isAtTheTag(_ fix: [String: Any], within tolerance: Double = 1e-6) throws -> Bool {
    let position = try #require(fix["position_m"] as? [Double])
    return zip(position, [1.0, 2, 1]).allSatisfy { abs($0 - $1) <= tolerance }
  }

  /// Options for the differences of all anchors to A; that of the anchor `late` is 5 m too large.
  private func differences(late: String? = nil) throws -> [String] {
    let reference = try #require(Self.distances["A"])
    return try ["B", "C", "D", "E", "F"].flatMap { name in
      let own = try #require(Self.distances[name]) + (name == late ? 5 : 0)
      return ["--difference", "\(name):A=\(own - reference)"]
    }
  }

  @Test func locatesFromDifferences() throws {
    let fix = try #require(try objects(try run(try differences() + ["--json"])).first)
    #expect(try isAtTheTag(fix))
    #expect(fix["verdict"] as? String == "unique")
    let residuals = try #require(fix["residuals_m"] as? [String: Double])
    #expect(Set(residuals.keys) == ["B:A", "C:A", "D:A", "E:A", "F:A"])
    let arrivals = try #require(fix["arrival_weights"] as? [String: Double])
    #expect(Set(arrivals.keys) == Set(Self.distances.keys))
    #expect((fix["impossible"] as? [String])?.isEmpty == true)
    let influences = try #require(fix["influences"] as? [String: Double])
    #expect(isClose(influences.values.reduce(0, +), 3, within: 1e-6))
  }

  @Test func namesLateArrival() throws {
    let options = try differences(late: "C")
    let fix = try #require(try objects(try run(options + ["--json"])).first)
    #expect(try isAtTheTag(fix, within: 0.1))
    #expect(fix["discounted"] as? [String] == ["C:A"])
    let text = try run(options)
    #expect(text.output.contains("discounted: weight"))
    #expect(text.output.contains(" m late at C, discounted"), "\(text.output)")
    // The anchors are 3.7 m apart, so a difference of 20 m is impossible.
    let impossible = try run([
      "--difference", "A:D=20", "--difference", "A:B=1", "--difference", "C:B=0",
    ])
    #expect(
      impossible.output.contains("impossible   A:D: larger than the distance between the anchors"))
  }

  @Test func estimatesCommonOffset() throws {
    let options = try ["A", "B", "C", "D", "E"].flatMap { name in
      ["--range", "\(name)=\(try #require(Self.distances[name]) - 30)"]
    }
    let fix = try #require(
      try objects(try run(options + ["--common-offset", "--json"])).first)
    #expect(try isAtTheTag(fix))
    #expect(isClose(try #require(fix["offset_m"] as? Double), -30, within: 1e-6))
    #expect(try #require(fix["offset_sigma_m"] as? Double) > 0)
    let text = try run(options + ["--common-offset"])
    #expect(text.output.contains("\noffset       -30.000 m, sigma 0."), "\(text.output)")
  }

  @Test func bearingsAreDegreesFromXAxis() throws {
    // From A (0, 0, 0): atan2(2, 1) = 63.435° and asin(1/√6) = 24.095°.
    let one = ["--bearing", "A=63.434949,24.094843", "--range", "A=2.449489742783178", "--json"]
    let fix = try #require(try objects(try run(one)).first)
    #expect(try isAtTheTag(fix, within: 1e-5))
    #expect((fix["azimuth_residuals_deg"] as? [String: Any])?.keys.first == "A")
    // From F (4, 1, 1): 180° - atan(1/3) = 161.565°; without a range the two lines cross.
    let two = ["--bearing", "A=63.434949,24.094843", "--bearing", "F=161.565051,0"]
    let crossing = try run(two + ["--bearing-sigma", "1"])
    #expect(crossing.lines.first == "position     1.000  2.000  1.000 m")
    #expect(crossing.output.contains("° of elevation at F"))
  }

  @Test func printsLinePerEpochOfDifferences() throws {
    let reference = try #require(Self.distances["A"])
    var text = "time_s,anchor_a,anchor_b,difference_m\n"
    for round in 0..<2 {
      for (place, name) in ["B", "C", "D", "E"].enumerated() {
        let difference = try #require(Self.distances[name]) - reference
        text += "\(Double(round) + 0.01 * Double(place)),\(name),A,\(difference)\n"
      }
    }
    text += "2,A,A,1\n"
    let outcome = try run(["--differences", "tdoa.csv", "--json"], files: ["tdoa.csv": text])
    #expect(outcome.errors == "tdoa.csv:10: rejected: both anchors are \"A\"\n")
    let fixes = try objects(outcome)
    #expect(fixes.count == 2)
    for (fix, time) in zip(fixes, [0.03, 1.03]) {
      #expect(try isAtTheTag(fix))
      #expect(isClose(try #require(fix["time_s"] as? Double), time, within: 1e-9))
    }
    let lost = try run(
      ["--differences", "tdoa.csv"],
      files: ["tdoa.csv": "time_s,anchor_a,anchor_b,difference_m\n0,A,Q,1\n"])
    #expect(lost.exitCode == 65 && lost.errors.contains("not declared: \"Q\"; declared:"))
  }

  @Test func locatesAccessoriesFromTrajectory() throws {
    var poses = "time_s,x,y,z,qw,qx,qy,qz\n"
    var ranges = "time_s,anchor,distance_m\n"
    for index in 0..<40 {
      let angle = 0.2 * Double(index)
      let place = [5 * cos(angle), 5 * sin(angle), 1.3 + sin(2 * angle)]
      poses += "\(index),\(place[0]),\(place[1]),\(place[2]),1,0,0,0\n"
      for (name, target) in [("lamp", [1.0, 2, 0.4]), ("door", [-3.0, 1, 2])] {
        let square = zip(place, target).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let late = index % 10 == 3 ? 4.0 : 0
        ranges += "\(index),\(name),\(square.squareRoot() + late)\n"
      }
    }
    ranges += "99,lamp,3\n"
    let files = ["poses.csv": poses, "ranges.csv": ranges]
    let arguments = ["--poses", "poses.csv", "--ranges", "ranges.csv"]
    let outcome = try run(arguments + ["--json"], anchors: nil, files: files)
    #expect(outcome.errors == "ranges.csv: 1 range of lamp rejected: no pose at that time\n")
    let fixes = try objects(outcome)
    #expect(fixes.map { $0["accessory"] as? String } == ["lamp", "door"])
    for (fix, target) in zip(fixes, [[1.0, 2, 0.4], [-3.0, 1, 2]]) {
      let position = try #require(fix["position_m"] as? [Double])
      for (value, expected) in zip(position, target) {
        #expect(isClose(value, expected, within: 0.05))
      }
      #expect((fix["discounted"] as? [String])?.count == 4)
    }
    let text = try run(arguments + ["--pose-sigma", "0.05"], anchors: nil, files: files)
    #expect(text.lines.first == "accessory    lamp")
    #expect(text.output.contains("discounted: weight"))
  }

  @Test(arguments: [
    (["--difference", "A=3"], 64, "--difference must be id:id=metres, not \"A=3\""),
    (["--difference", "A:B"], 64, "--difference must be id:id=metres"),
    (["--difference", "A:Z=1"], 65, "there is no anchor \"Z\""),
    (["--difference", "A:A=1"], 65, "names the same anchor twice"),
    (["--difference", "A:B=1", "--range", "A=1"], 64, "cannot be combined"),
    (["--bearing", "A=north"], 64, "--bearing must be id=azimuth"),
    (["--bearing", "A=1,91"], 64, "--bearing must be id=azimuth"),
    (["--bearing", "A=1", "--bearing", "A=2"], 64, "--bearing: anchor \"A\" is given twice"),
    (["--bearing", "A=1", "--common-offset"], 64, "cannot be combined"),
    (["--difference", "A:B=1", "--common-offset"], 64, "--common-offset needs"),
    (["--poses", "poses.csv", "--range", "A=1"], 64, "--poses"),
    (["--differences", "lost.csv"], 66, "lost.csv: No such file"),
    (["--difference", "A:B=1", "--difference-sigma", "-1"], 64, "--difference-sigma must be from"),
  ])
  func explainsMistakes(_ arguments: [String], _ code: Int32, _ message: String) throws {
    let outcome = try run(arguments)
    #expect(outcome.exitCode == code && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test func acceptsColonsInNames() throws {
    let anchors = "id,x,y,z\na:b,0,0,0\nc,4,0,0\nb:c,0,3,0\na,4,3,0\n"
    // a:b and c, or a and b:c.
    let outcome = try run(["--difference", "a:b:c=1"], anchors: anchors)
    #expect(outcome.exitCode == 65 && outcome.errors.contains("more than one pair"))
    let clear = try run(["--difference", "a:b:a=1"], anchors: anchors)
    #expect(clear.exitCode == 0 && clear.output.contains("too_few"), "\(clear.errors)")
  }
}
