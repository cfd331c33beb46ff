import Foundation
import TestSupport
import Testing

/// `fathom calibrate` from recordings to estimates of noise and biases.
@Suite struct CalibrateTests {
  private struct Calibration: Codable, Equatable {
    var tag: String
    var acceleration_density: Double
    var range_sigma_m: Double
    var persistent_sigma_m: Double?
    var bias_m: Double?
    var scale: Double?
    var offsets_m: [String: Double]?
    var covariance_factor: Double
  }

  private struct Comparison: Decodable {
    struct Found: Decodable {
      var acceleration_density: Double
      var range_sigma_m: Double
      var log_likelihood: Double?
    }
    var tag: String
    var likelihood: Found
    var em: Found?
    var passes: Int?
    var gain: Double?
    var is_converged: Bool?
  }

  /// A folder with the recording `walk`: the first `rows` ranges of robot-2d.
  private func folder(rows: Int = 400) throws -> Folder {
    let folder = try Folder()
    let robot = FathomTool.dataset("robot-2d")
    for name in ["anchors.csv", "recording.json"] {
      try folder.write("walk/\(name)", String(contentsOfFile: "\(robot)/\(name)", encoding: .utf8))
    }
    let ranges = try String(contentsOfFile: "\(robot)/ranges.csv", encoding: .utf8)
    let lines = ranges.split(separator: "\n").prefix(rows + 1)
    try folder.write("walk/ranges.csv", lines.joined(separator: "\n") + "\n")
    return folder
  }

  @Test func estimatesTheSameAsProcess() throws {
    let folder = try folder()
    let outcome = try FathomTool.run("calibrate", "walk", "--noise", "--json", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    let found = try outcome.decoded([Calibration].self)
    #expect(found.count == 1)
    let tag = try #require(found.first)
    #expect(tag.range_sigma_m >= 0.005 && tag.acceleration_density > 0.1)

    let processed = try FathomTool.run(
      "process", "walk", "-o", "out", "--method", "smooth", in: folder)
    #expect(processed.exitCode == 0)
    struct Summary: Decodable { var calibration: [Calibration] }
    let summary = try JSONDecoder().decode(
      Summary.self, from: Data(try folder.text("out/walk.summary.json").utf8))
    #expect(summary.calibration == found)

    let table = try FathomTool.run("calibrate", "walk", "--noise", in: folder)
    #expect(table.exitCode == 0 && table.errors.isEmpty)
    let columns = table.lines[0].split(separator: "  ").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    #expect(
      columns == ["tag", "acceleration", "range sigma m", "persistent m", "bias m", "scale %"])
    #expect(table.lines[1].hasPrefix(tag.tag))
    #expect(
      table.lines[1].contains(
        String(format: "%.2f", tag.acceleration_density)))
    #expect(folder.names() == ["walk", "out"])
  }

  @Test(.releaseOnly) func printsBiasOfSignalLevels() throws {
    let folder = try Folder()
    try folder.write("fading/anchors.csv", FadingWalk.anchors)
    try folder.write("fading/ranges.csv", FadingWalk.ranges(seed: 7))
    let outcome = try FathomTool.run("calibrate", "fading", "--noise", "--height", "1", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    let place = try #require(outcome.lines.firstIndex { $0.hasPrefix("tag  signal dBm") })
    let rows = outcome.lines[(place + 1)...].prefix { $0.hasPrefix("T ") }
      .map { $0.split(separator: " ").compactMap { Double($0) } }
    // Nine levels, then the slope.
    #expect(rows.count == 10 && outcome.lines[place + rows.count].contains("per dB"))
    let (weak, strong) = (try #require(rows.first), try #require(rows.dropLast().last))
    #expect(weak[0] < -84 && strong[0] > -76)
    // The true bias is +10 cm at one end and -10 cm at the other; the prior of the curve draws both
    // estimates towards zero.
    #expect((0.015...0.12).contains(weak[1]) && (-0.12 ... -0.015).contains(strong[1]))
  }

  @Test(.releaseOnly) func printsExpectationMaximisationBesideLikelihood() throws {
    let folder = try folder(rows: 2000)
    let outcome = try FathomTool.run(
      "calibrate", "walk", "--noise", "--method", "em", "--json", in: folder)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    let found = try outcome.decoded([Comparison].self)
    let tag = try #require(found.first)
    let em = try #require(tag.em)
    #expect(em.range_sigma_m > 0.01 && em.range_sigma_m < 1)
    #expect(em.acceleration_density > 0.01 && em.acceleration_density < 10)
    #expect(tag.gain ?? 0 > 0 && tag.passes ?? 0 > 0)
    // The search maximises the likelihood that is compared here, with a lower limit on sigma.
    let (own, other) = (try #require(tag.likelihood.log_likelihood), em.log_likelihood ?? 0)
    if em.range_sigma_m > 0.1 { #expect(own > other - 5) }

    let table = try FathomTool.run("calibrate", "walk", "--noise", "--method", "em", in: folder)
    #expect(table.exitCode == 0)
    #expect(table.lines.count == 3)
    #expect(table.lines[1].contains("likelihood") && table.lines[2].contains(" em "))
    #expect(table.lines[2].contains(String(format: "%.3f", em.range_sigma_m)))
  }

  @Test func printsDashesForTagWithoutPosition() throws {
    let folder = try Folder()
    try folder.write("lonely/anchors.csv", "id,x,y,z\nA,0,0,2\nB,5,0,2\nC,0,5,2\n")
    let rows = (0..<40).map { "\(Double($0) / 10),T,A,\(3 + 0.001 * Double($0))\n" }
    try folder.write("lonely/ranges.csv", "time_s,tag,anchor,distance_m\n" + rows.joined())
    let outcome = try FathomTool.run(
      "calibrate", "lonely", "--noise", "--method", "em", in: folder)
    #expect(outcome.exitCode == 0)
    #expect(outcome.lines.count == 3)
    #expect(outcome.lines[2].split(separator: " ") == ["T", "em", "-", "-", "-", "-"])
  }

  @Test func explainsMisuse() throws {
    let folder = try folder(rows: 10)
    let usual = try FathomTool.run("calibrate", "walk", in: folder)
    #expect(usual.exitCode == 0)
    #expect(try FathomTool.run("calibrate", "walk", "--noise", in: folder).output == usual.output)
    let unknown = try FathomTool.run(
      "calibrate", "walk", "--noise", "--method", "guess", in: folder)
    #expect(unknown.exitCode == 64 && unknown.errors.contains("guess"))
    let high = try FathomTool.run("calibrate", "walk", "--noise", "--height", "1e10", in: folder)
    #expect(high.exitCode == 64)
    let lost = try FathomTool.run("calibrate", "lost", "--noise", in: folder)
    #expect(lost.exitCode == 66 && lost.errors.contains("lost"))
    try folder.write("bare.csv", "time_s,tag,anchor,distance_m\n1,T,A,2\n2,T,A,3\n")
    let bare = try FathomTool.run("calibrate", "bare.csv", "--noise", in: folder)
    #expect(bare.exitCode == 65)
    #expect(bare.errors.contains("there are no anchors"))
    #expect(bare.output.isEmpty && folder.names() == ["walk", "bare.csv"])
  }
}
