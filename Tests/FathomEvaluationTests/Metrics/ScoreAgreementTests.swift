import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation
import TestSupport
import Testing

/// Compares the statistics with those of `tools/score.py` of the reference material on public
/// recordings.
///
/// The script shares no code with this package.
@Suite(
  .needsReference("tools/score.py"),
  .enabled(if: ExternalTool.python != nil, "python3 is not there"), .releaseOnly)
struct ScoreAgreementTests {
  private struct Score: Decodable {
    var n: Int
    var not_finite: Int
    var coverage: Double
    var rmse_m: Double
    var median_m: Double
    var p95_m: Double
    var max_m: Double
    var nees_per_dof: Double
    var dimensions: Int
  }

  @Test(
    .needsReference("datasets/labyrinth"),
    arguments: ["labyrinth", "plaza2", "hanyang_los_a2", "lias_trolley_fast"],
    [PositionMethod.filter, .fix])
  func statisticsMatchTheReferenceScore(_ name: String, _ method: PositionMethod) throws {
    let recording = Reference.url("datasets/\(name)").path(percentEncoded: false)
    let folder = try ExternalTool.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    var processing = ProcessingSettings()
    processing.method = method
    let read = try RecordingReader.read(recording)
    let files = ResultWriter.files(
      of: read.processed(with: processing), in: folder.path(percentEncoded: false))
    // Both use the numbers of the file.
    let positions = try #require(files.first)
    try Data(positions.bytes).write(to: URL(filePath: positions.path))
    let python = try #require(ExternalTool.python)
    let script = Reference.url("tools/score.py").path(percentEncoded: false)
    let text = try ExternalTool.run(
      python, [script, recording, positions.path, "--json"], in: folder)
    let score = try JSONDecoder().decode(Score.self, from: Data(text.utf8))

    var settings = EvaluationSettings()
    settings.isHorizontal = read.facts.heightM != nil
    let evaluation = TrajectoryEvaluation(
      try TrajectoryReader.read(positions.path).tracks,
      truth: try #require(try TruthReader.read(folder: recording)), settings: settings)
    let accuracy = try #require(evaluation.accuracy)
    let consistency = try #require(evaluation.consistency)
    #expect(score.dimensions == settings.dimensions && score.not_finite == 0)
    #expect(accuracy.n == score.n)
    let difference = greatestDifference(
      [
        evaluation.availability.coverage, accuracy.rmseM, accuracy.medianM, accuracy.p95M,
        accuracy.maxM, consistency.meanPerDof,
      ],
      [
        score.coverage, score.rmse_m, score.median_m, score.p95_m, score.max_m,
        score.nees_per_dof,
      ])
    print(
      "score.py, \(name), \(method.rawValue): n \(score.n), rmse \(score.rmse_m) m;"
        + " greatest relative difference \(difference)")
    #expect(difference < 1e-9)
  }
}
