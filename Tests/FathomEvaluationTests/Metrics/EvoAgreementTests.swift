import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation
import TestSupport
import Testing

/// Compares the statistics with those of evo [Grupp 2017] on the same pairs of poses.
@Suite(
  .enabled(
    if: ExternalTool.evo != nil && ExternalTool.python != nil,
    "evo_ape is not there: pip install evo, and have it on PATH or in FATHOM_EVO"))
struct EvoAgreementTests {
  private struct Statistics: Decodable {
    var rmse: Double
    var mean: Double
    var median: Double
    var max: Double
  }

  /// Writes two TUM files with the same 600 times: the curve, and the curve rotated, scaled by 2 %
  /// and with noise of 0.2 m.
  private func makeFiles(in folder: URL) throws {
    var generator = SeededGenerator(seed: 61)
    let turn = randomRotation(&generator)
    var truth = "# timestamp tx ty tz qx qy qz qw\n"
    var estimate = truth
    for step in 0..<600 {
      let seconds = 100 + Double(step) / 10
      let place = placeOnCurve(at: seconds)
      let seen = 1.02 * (turn * place) + normalPoint(&generator, sigma: 0.2)
      truth += line(seconds, place)
      estimate += line(seconds, seen)
    }
    try Data(truth.utf8).write(to: folder.appending(path: "truth.tum"))
    try Data(estimate.utf8).write(to: folder.appending(path: "estimate.tum"))
  }

  private func line(_ seconds: Double, _ place: Vector<3>) -> String {
    "\(seconds) \(place[0]) \(place[1]) \(place[2]) 0 0 0 1\n"
  }

  /// Returns the statistics that the program writes for the two files with `options`.
  private func statistics(
    _ program: String, _ options: [String], in folder: URL
  ) throws -> Statistics {
    let result = "result-\(UUID()).zip"
    _ = try ExternalTool.run(
      program,
      ["tum", "truth.tum", "estimate.tum", "-r", "trans_part", "--save_results", result] + options,
      in: folder)
    let text = try ExternalTool.run(
      try #require(ExternalTool.python),
      [
        "-c",
        "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read('stats.json').decode())",
      ]
        + [result], in: folder)
    return try JSONDecoder().decode(Statistics.self, from: Data(text.utf8))
  }

  private func compare(_ what: String, _ ours: PositionAccuracy?, _ theirs: Statistics) throws {
    let accuracy = try #require(ours)
    let difference = greatestDifference(
      [accuracy.rmseM, accuracy.meanM, accuracy.medianM, accuracy.maxM],
      [theirs.rmse, theirs.mean, theirs.median, theirs.max])
    print("\(what): rmse \(theirs.rmse) m; greatest relative difference \(difference)")
    #expect(difference < 1e-9, "\(what)")
  }

  @Test func statisticsMatchEvo() throws {
    let folder = try ExternalTool.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try makeFiles(in: folder)
    func tracks(_ name: String) throws -> RecordedTrajectory {
      try TrajectoryReader.read(folder.appending(path: name).path(percentEncoded: false))
    }
    let estimate = try tracks("estimate.tum").tracks
    let truth = try tracks("truth.tum").truth
    let ape = try #require(ExternalTool.evo)

    let plain = try statistics(ape, [], in: folder)
    try compare("evo_ape", TrajectoryEvaluation(estimate, truth: truth).accuracy, plain)
    var nearest = EvaluationSettings()
    nearest.maximumDifference = 0.01
    try compare(
      "evo_ape, nearest pose",
      TrajectoryEvaluation(estimate, truth: truth, settings: nearest).accuracy, plain)
    try compare(
      "evo_ape -a", TrajectoryEvaluation.aligned(estimate, truth: truth).accuracy,
      statistics(ape, ["-a"], in: folder))
    try compare(
      "evo_ape -as",
      TrajectoryEvaluation.aligned(estimate, truth: truth, isScaled: true).accuracy,
      statistics(ape, ["-as"], in: folder))

    // Poses are 0.1 s apart, so a second is ten of them.
    var windows = EvaluationSettings()
    windows.relativeTimes = [1]
    let rpe = try #require(ape.lastIndex(of: "/").map { ape[...$0] + "evo_rpe" })
    try compare(
      "evo_rpe, 1 s",
      TrajectoryEvaluation(estimate, truth: truth, settings: windows).relative.first?.drift,
      statistics(
        String(rpe), ["--delta", "10", "--delta_unit", "f", "--all_pairs"], in: folder))
  }
}
