import FathomEvaluation
import Foundation
import TestSupport
import Testing

@Suite struct LocateTests {
  /// Anchors in the corners of 4 x 3 m at different heights; the tag is at (1, 2, 1).
  private static let anchors = "id,x,y,z\nA,0,0,0\nB,4,0,2\nC,4,3,0\nD,0,3,2\n"
  /// The exact ranges: √6, √14, √11, √3.
  private static let ranges = [
    "A=2.449489742783178", "B=3.7416573867739413", "C=3.3166247903554", "D=1.7320508075688772",
  ]

  private func locate(_ ranges: [String], _ options: String..., anchors: String = anchors) throws
    -> FathomTool.Outcome
  {
    let folder = try Folder()
    try folder.write("anchors.csv", anchors)
    return try FathomTool.run(
      ["locate", "--anchors", "anchors.csv"] + ranges.flatMap { ["--range", $0] } + options,
      in: folder)
  }

  private func object(_ outcome: FathomTool.Outcome) throws -> [String: Any] {
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.lines.count == 1)
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return try #require(json as? [String: Any])
  }

  private static let keys: Set = [
    "position_m", "alternative_m", "alternatives_m", "covariance_m2", "verdict", "misfit_m",
    "residuals_m", "discounted", "dilution", "iterations", "weights", "influences",
    "alternative_covariance_m2", "ellipsoid_95", "condition", "undetermined",
  ]

  @Test func printsPositionWithAllFields() throws {
    let fix = try object(try locate(Self.ranges, "--json"))
    #expect(Set(fix.keys) == Self.keys)
    let position = try #require(fix["position_m"] as? [Double])
    for (value, expected) in zip(position, [1.0, 2, 1]) {
      #expect(isClose(value, expected, within: 1e-9))
    }
    #expect(fix["alternative_m"] is NSNull)
    #expect(fix["verdict"] as? String == "unique")
    #expect(try #require(fix["misfit_m"] as? Double) < 1e-9)
    #expect((fix["discounted"] as? [String])?.isEmpty == true)
    let residuals = try #require(fix["residuals_m"] as? [String: Double])
    #expect(Set(residuals.keys) == ["A", "B", "C", "D"])
    #expect(residuals.values.allSatisfy { abs($0) < 1e-9 })
    let covariance = try #require(fix["covariance_m2"] as? [[Double]])
    #expect(covariance.count == 3 && covariance.allSatisfy { $0.count == 3 })
    #expect(covariance[0][0] > 0 && covariance[0][1] == covariance[1][0])
    let dilution = try #require(fix["dilution"] as? [String: Double])
    #expect(Set(dilution.keys) == ["gdop", "pdop", "hdop", "vdop"])
    // Exact ranges may need no iteration.
    #expect((fix["iterations"] as? Int ?? -1) >= 0)
  }

  /// Four ranges that are all 0.45 m too long: an offset explains them better than outliers do.
  @Test func printsAlternativesAndCommonOffset() throws {
    let anchors = "id,x,y,z\nA,0,0,0\nB,5.77,0,0\nC,5.55,5.69,0\nD,0,5.65,0\n"
    let ranges = ["A=1.864", "B=5.324", "C=6.975", "D=5.206"]
    let fix = try object(try locate(ranges, "--height", "0", "--json", anchors: anchors))
    #expect(Set(fix.keys) == Self.keys.union(["common_offset"]))
    #expect(fix["verdict"] as? String == "two")
    let alternatives = try #require(fix["alternatives_m"] as? [[Double]])
    #expect(alternatives.count == 1 && alternatives.first == fix["alternative_m"] as? [Double])
    let common = try #require(fix["common_offset"] as? [String: Any])
    #expect(Set(common.keys) == ["offset_m", "sigma_m", "position_m"])
    #expect(isClose(try #require(common["offset_m"] as? Double), 0.45, within: 0.01))
    let position = try #require(common["position_m"] as? [Double])
    #expect(isClose(position[0], 1, within: 0.01) && isClose(position[1], 1, within: 0.01))
    let text = try locate(ranges, "--height", "0", anchors: anchors).output
    #expect(text.contains("\nor           1.00"), "\(text)")
    #expect(text.contains("m too long") && text.contains("--common-offset"), "\(text)")
  }

  @Test func knownHeightHasNoVerticalDilution() throws {
    let fix = try object(try locate(Array(Self.ranges.prefix(3)), "--height", "1", "--json"))
    let position = try #require(fix["position_m"] as? [Double])
    #expect(isClose(position[0], 1, within: 1e-9) && isClose(position[1], 2, within: 1e-9))
    #expect(isClose(position[2], 1, within: 1e-12))
    let dilution = try #require(fix["dilution"] as? [String: Any])
    #expect(dilution["vdop"] is NSNull && dilution["hdop"] is Double)
    let covariance = try #require(fix["covariance_m2"] as? [[Double]])
    #expect(covariance[2] == [0, 0, 0])
  }

  @Test func acceptsNegativeHeight() throws {
    let fix = try object(try locate(Self.ranges, "--height", "-0.25", "--json"))
    #expect(isClose(try #require((fix["position_m"] as? [Double])?[2]), -0.25, within: 1e-12))
  }

  /// Ranges that leave a circle of solutions, and too few ranges: no position, but every key.
  @Test(arguments: [
    (["A=3", "B=3.2", "C=3.6", "D=4.2"], "continuum", 4), (["A=3"], "too_few", 1),
    (["A=nan", "B=-1", "C=0"], "too_few", 3),
  ])
  func printsUndeterminedValuesAsNull(_ ranges: [String], _ verdict: String, _ count: Int) throws {
    let collinear = "id,x,y,z\nA,0,0,0\nB,1,0,0\nC,2,0,0\nD,3,0,0\n"
    let fix = try object(try locate(ranges, "--json", anchors: collinear))
    #expect(Set(fix.keys) == Self.keys)
    #expect(fix["verdict"] as? String == verdict)
    for key in ["position_m", "alternative_m", "misfit_m", "dilution"] {
      #expect(fix[key] is NSNull, "\(key)")
    }
    let covariance = try #require(fix["covariance_m2"] as? [[Any]])
    #expect(covariance.count == 3)
    #expect(covariance.allSatisfy { $0.count == 3 && $0.allSatisfy { $0 is NSNull } })
    let residuals = try #require(fix["residuals_m"] as? [String: Any])
    #expect(residuals.count == count && residuals.values.allSatisfy { $0 is NSNull })
    #expect((fix["discounted"] as? [String]) == (ranges.count == 3 ? ["A", "B", "C"] : []))
  }

  @Test func printsMirrorImageAsAlternative() throws {
    let flat = "id,x,y,z\nA,0,0,0\nB,4,0,0\nC,0,3,0\n"
    // The tag at (1, 1, 2): √6, √14, √9.
    let ranges = ["A=2.449489742783178", "B=3.7416573867739413", "C=3"]
    let fix = try object(try locate(ranges, "--json", anchors: flat))
    #expect(fix["verdict"] as? String == "two")
    let heights = try ["position_m", "alternative_m"].map { key in
      try #require((fix[key] as? [Double])?[2])
    }
    #expect(isClose(heights[0], -heights[1], within: 1e-9))
    #expect(isClose(abs(heights[0]), 2, within: 1e-9))
    let text = try locate(ranges, anchors: flat)
    #expect(text.output.contains("\nor           1.000  1.000  "))
    #expect(text.output.contains("verdict      two: the ranges fit both positions\n"))
  }

  @Test func printsReadableText() throws {
    let outcome = try locate(Self.ranges)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    #expect(outcome.lines.first == "position     1.000  2.000  1.000 m")
    #expect(outcome.lines.contains("verdict      unique"))
    let few = try locate(["A=3", "B=nan"])
    #expect(
      few.lines == [
        "verdict      too_few: fewer ranges than unknowns", "not used     B: no distance",
      ])
  }

  @Test(arguments: [
    (["Z=3"], 65, "anchors.csv: there is no anchor \"Z\" (there are: A, B, C, D)"),
    (["A=3,2"], 64, "--range must be id=metres, not \"A=3,2\""),
    (["A"], 64, "--range must be id=metres, not \"A\""),
    (["=3"], 64, "--range must be id=metres, not \"=3\""),
    (["A="], 64, "--range must be id=metres, not \"A=\""),
    (["A=3", "A=4"], 64, "--range: anchor \"A\" is given twice"),
    ([], 64, "--range"),
  ])
  func explainsBadRanges(_ ranges: [String], _ code: Int32, _ message: String) throws {
    let outcome = try locate(ranges)
    #expect(outcome.exitCode == code)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    if code == 64 { #expect(outcome.errors.contains("Usage: fathom locate")) }
  }

  @Test(arguments: [
    ("--range-sigma", "0"), ("--range-sigma", "-1"), ("--range-sigma", "1e-200"),
    ("--range-sigma", "1e200"), ("--range-sigma", "nan"), ("--height", "nan"), ("--height", "inf"),
  ])
  func rejectsBadNumbersAsUsage(_ option: String, _ value: String) throws {
    let outcome = try locate(Self.ranges, option, value)
    #expect(outcome.exitCode == 64)
    #expect(outcome.errors.contains("\(option) must be from"), "\(outcome.errors)")
  }

  /// For any file the output is JSON with finite numbers, or an error with its place.
  @Test(arguments: ["1e200", "1e308", "-1e308", "1e-308"])
  func survivesExtremeAnchors(_ coordinate: String) throws {
    let anchors =
      "id,x,y,z,sigma_m\nA,\(coordinate),0,0,1e308\nB,1,0,\(coordinate),\nC,2,3,0,\nD,3,0,4,\n"
    let outcome = try locate(Self.ranges, "--json", anchors: anchors)
    guard outcome.exitCode == 0 else {
      #expect(outcome.exitCode == 65 && outcome.errors.contains(#""path":"anchors.csv""#))
      return
    }
    #expect(Set(try object(outcome).keys) == Self.keys)
  }

  @Test func readsAnchorsFromStandardInput() throws {
    let folder = try Folder()
    let outcome = try FathomTool.run(
      "locate", "--anchors", "-", "--range", "A=1", in: folder, input: Array(Self.anchors.utf8))
    #expect(outcome.exitCode == 0)
    let missing = try FathomTool.run(
      "locate", "--anchors", "lost.csv", "--range", "A=1", in: folder)
    #expect(missing.exitCode == 66)
    #expect(missing.errors == "lost.csv: No such file or directory\n")
  }

  // MARK: Losses, priors, bounds, epochs

  /// Six anchors around the tag at (1, 2, 1); the range to E is 5 m too long.
  private static let six = anchors + "E,2,1.5,3\nF,4,1,1\n"
  private static let wrong = ranges + ["E=7.29128784747792", "F=3.1622776601683795"]

  @Test func discountsOutlier() throws {
    let fix = try object(try locate(Self.wrong, "--json", anchors: Self.six))
    #expect(fix["discounted"] as? [String] == ["E"])
    let weights = try #require(fix["weights"] as? [String: Double])
    #expect(try #require(weights["E"]) < 0.01 && (try #require(weights["A"])) > 0.9)
    let position = try #require(fix["position_m"] as? [Double])
    for (value, expected) in zip(position, [1.0, 2, 1]) {
      #expect(isClose(value, expected, within: 0.05))
    }
    let text = try locate(Self.wrong, anchors: Self.six)
    #expect(text.output.contains(" m at E, discounted: weight 0.00"), "\(text.output)")
    let plain = try object(
      try locate(Self.wrong, "--loss", "squared", "--json", anchors: Self.six))
    #expect(plain["verdict"] as? String == "inconsistent")
    #expect(try #require(plain["misfit_m"] as? Double) > 0.3)
  }

  @Test(arguments: [
    ["--prior", "1,1,3,1"], ["--bounds", "0,0,0,4,4,4"], ["--bounds=-1e3,-1e3,0,1e3,1e3,inf"],
  ])
  func priorAndBoundsSelectMirrorImage(_ options: [String]) throws {
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y,z\nA,0,0,0\nB,4,0,0\nC,0,3,0\n")
    let fix = try object(
      try FathomTool.run(
        [
          "locate", "--anchors", "anchors.csv", "--range", "A=2.449489742783178", "--range",
          "B=3.7416573867739413", "--range", "C=3", "--json",
        ] + options, in: folder))
    #expect(fix["verdict"] as? String == "unique" && fix["alternative_m"] is NSNull)
    #expect(isClose(try #require((fix["position_m"] as? [Double])?[2]), 2, within: 0.05))
  }

  /// Four anchors at a height of 3 m and a tag at x = 1 m, y = 1.5 m, √5.75 m below or above them,
  /// from ranges, ranges with a common offset, differences, and ranges with an azimuth.
  @Test(arguments: [
    [
      "--range", "A=3", "--range", "B=4.123105625617661", "--range", "C=4.58257569495584",
      "--range", "D=3.605551275463989",
    ],
    [
      "--range", "A=3.2", "--range", "B=4.323105625617661", "--range", "C=4.78257569495584",
      "--range", "D=3.805551275463989", "--common-offset",
    ],
    [
      "--difference", "B:A=1.123105625617661", "--difference", "C:A=1.58257569495584",
      "--difference", "D:A=0.605551275463989",
    ],
    ["--range", "A=3", "--range", "C=4.58257569495584", "--bearing", "A=56.3099"],
  ])
  func sideSelectsMirrorImage(_ measurements: [String]) throws {
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y,z\nA,0,0,3\nB,4,0,3\nC,4,4,3\nD,0,4,3\n")
    func located(_ options: String...) throws -> [String: Any] {
      try object(
        try FathomTool.run(
          ["locate", "--anchors", "anchors.csv", "--json"] + measurements + options, in: folder))
    }
    #expect(try located()["verdict"] as? String == "two")
    for (side, height) in [("below", 0.602), ("above", 5.398)] {
      let fix = try located("--side", side)
      #expect(fix["verdict"] as? String == "unique" && fix["alternative_m"] is NSNull, "\(side)")
      let found = try #require((fix["position_m"] as? [Double])?[2])
      #expect(isClose(found, height, within: 0.01), "\(side): \(found)")
    }
    // A known height decides alone.
    let known = try located("--side", "above", "--height", "1")
    #expect((known["position_m"] as? [Double])?[2] == 1)
  }

  @Test func estimatesHeightWithSigma() throws {
    let fix = try object(
      try locate(Self.ranges, "--height", "1.1", "--height-sigma", "0.1", "--json"))
    let height = try #require((fix["position_m"] as? [Double])?[2])
    #expect(height > 1 && height < 1.1)
    #expect(try #require((fix["covariance_m2"] as? [[Double]])?[2][2]) > 0)
  }

  @Test(arguments: [
    (["--prior", "1,2,3"], "--prior must be x,y,z,sigma"),
    (["--prior", "1,2,3,0"], "--prior must be x,y,z,sigma"),
    (["--bounds", "1,2,3,0,4,5"], "--bounds must be the least"),
    (["--bounds", "a"], "--bounds must be the least"),
    (["--bounds", "0,0,0,4,4,1e10"], "--bounds must be from"),
    (["--height", "1e10"], "--height must be from -1000000000 to 1000000000"),
    (
      ["--height", "1", "--height-sigma", "1e10"], "--height-sigma must be from 1e-06 to 1000000000"
    ),
    (["--loss", "l2"], "--loss"),
    (["--height-sigma", "1"], "--height-sigma needs --height"),
    (["--side", "left"], "'above' and 'below'"),
    (["--ranges", "ranges.csv"], "--range and --ranges cannot be combined"),
  ])
  func rejectsBadPriorOptionsAsUsage(_ options: [String], _ message: String) throws {
    let folder = try Folder()
    try folder.write("anchors.csv", Self.anchors)
    let outcome = try FathomTool.run(
      ["locate", "--anchors", "anchors.csv", "--range", "A=1"] + options, in: folder)
    #expect(outcome.exitCode == 64 && outcome.errors.contains(message), "\(outcome.errors)")
  }

  /// Two rounds of four ranges and an invalid row give two lines, each a JSON object.
  @Test func printsLinePerEpochOfRanges() throws {
    let folder = try Folder()
    try folder.write("anchors.csv", Self.anchors)
    var text = "time_s,tag,anchor,distance_m\n"
    for round in 0..<2 {
      for (place, range) in Self.ranges.enumerated() {
        let parts = range.split(separator: "=")
        text += "\(Double(round) + 0.1 * Double(place)),T,\(parts[0]),\(parts[1])\n"
      }
    }
    text += "2,T,A,none\n"
    try folder.write("ranges.csv", text)
    let outcome = try FathomTool.run(
      "locate", "--anchors", "anchors.csv", "--ranges", "ranges.csv", "--json", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.hasPrefix("ranges.csv:10: rejected: "), "\(outcome.errors)")
    #expect(outcome.lines.count == 2)
    for (line, time) in zip(outcome.lines, [0.3, 1.3]) {
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let fix = try #require(json as? [String: Any])
      #expect(Set(fix.keys) == Self.keys.union(["time_s", "tag"]))
      #expect(fix["tag"] as? String == "T")
      #expect(isClose(try #require(fix["time_s"] as? Double), time, within: 1e-9))
      #expect(isClose(try #require((fix["position_m"] as? [Double])?[0]), 1, within: 1e-6))
    }
    let plain = try FathomTool.run(
      "locate", "--anchors", "anchors.csv", "--ranges", "ranges.csv", "--window", "0.15",
      in: folder)
    // The shorter window splits each round in two: four epochs.
    #expect(plain.lines.filter { $0.hasPrefix("epoch ") }.count == 4, "\(plain.output)")
  }

  /// Positions are inconsistent if two anchors have each other's names, and a warning names them.
  ///
  /// With the right names nothing is said.
  @Test(arguments: [true, false]) func followsTheDiagnosisOfAllRanges(isExchanged: Bool) throws {
    let places = [
      "A": (0.0, 0.0, 2.0), "B": (9.0, 0.0, 0.5), "C": (9.0, 7.0, 2.5), "D": (0.0, 7.0, 0.5),
      "E": (4.0, 0.0, 3.0), "F": (5.0, 7.0, 1.0),
    ]
    let seed: UInt64 = 412
    var generator = SeededGenerator(seed: seed)
    var ranges = "time_s,tag,anchor,distance_m\n"
    for epoch in 0..<60 {
      let angle = 0.1 * Double(epoch)
      let tag: (Double, Double, Double) = (4.5 + 2.5 * cos(angle), 3.5 + 2 * sin(angle), 1.2)
      for (name, place) in places.sorted(by: { $0.key < $1.key }) {
        let (x, y, z) = (place.0 - tag.0, place.1 - tag.1, place.2 - tag.2)
        let square: Double = x * x + y * y + z * z
        let distance = square.squareRoot() + 0.05 * generator.normal()
        ranges += "\(0.2 * Double(epoch)),T,\(name),\(distance)\n"
      }
    }
    let exchanged = ["B": "D", "D": "B"]
    let anchors = places.map { name, place in
      "\(isExchanged ? exchanged[name] ?? name : name),\(place.0),\(place.1),\(place.2)"
    }
    let folder = try Folder()
    try folder.write("anchors.csv", "id,x,y,z\n\(anchors.sorted().joined(separator: "\n"))\n")
    try folder.write("ranges.csv", ranges)
    let outcome = try FathomTool.run(
      ["locate", "--anchors", "anchors.csv", "--ranges", "ranges.csv", "--json"], in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let verdicts = try outcome.lines.map { line in
      try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["verdict"]
        as? String
    }
    #expect(verdicts.count == 60)
    #expect(outcome.errors.contains("positions are inconsistent") == isExchanged, "seed \(seed)")
    if isExchanged {
      #expect(verdicts.allSatisfy { $0 == "inconsistent" })
      #expect(outcome.errors.contains("B") && outcome.errors.contains("D"))
    } else {
      #expect(verdicts.count { $0 == "unique" } > 50)
    }
  }
}
