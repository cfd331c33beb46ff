import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation
import TestSupport
import Testing

/// Compares the accuracy that README and the article Which method when state with that of today.
///
/// The recordings are scored from ranges alone, with default settings, beside plain estimators that are computed
/// elsewhere. A change that makes a method better or worse changes a row of both tables.
@Suite(.needsReference("datasets/baselines.json"), .releaseOnly)
struct AccuracyTableTests {
  /// The score of a method on one recording.
  private struct Score {
    /// RMSE relative to the best plain estimator.
    var ratio: Double
    /// Normalised error squared per degree of freedom.
    var nees: Double
    /// Share of the estimates that are certain and off by more than five of their standard deviations.
    var silent: Double
  }

  private struct Baseline: Decodable {
    var rmse_m: Double
    var coverage: Double
  }

  /// What a score needs to know about a recording.
  private struct Facts: Decodable {
    var judge: [String]?
    var max_truth_gap_s: Double?
    var truth_sigma_m: Double?
  }

  @Test(arguments: [PositionMethod.fix, .filter, .smooth])
  func documentsStateTheAccuracyOfToday(_ method: PositionMethod) throws {
    let baselines: [String: [String: Baseline]] = try oracle(
      at: Reference.url("datasets/baselines.json"))
    let scores = try baselines.keys.sorted().compactMap { name in
      try Self.score(of: method, on: name, beside: baselines[name] ?? [:])
    }
    let mean = exp(scores.map { log($0.ratio) }.reduce(0, +) / Double(scores.count))
    let worse = scores.count { $0.ratio > 1.05 }
    let wide = scores.count { !(0.5...2).contains($0.nees) }
    let silent = scores.count { $0.silent > 0.01 }
    let cells = String(format: "%.2f | %d of %d | %d |", mean, worse, scores.count, wide)
    print("accuracy of \(method.rawValue): \(cells) \(silent) |")
    for (path, row) in [
      ("README.md", cells),
      ("Sources/Fathom/Fathom.docc/Articles/WhichMethodWhen.md", "\(cells) \(silent) |"),
    ] {
      let document = try ShownDocument(path)
      #expect(
        document.lines.contains { $0.hasPrefix("| `\(method.rawValue)` | ") && $0.hasSuffix(row) },
        "\(path) should say: \(row)")
    }
  }

  /// Returns the score of `method` on the recording `name`; nil if the method is not judged there.
  private static func score(
    of method: PositionMethod, on name: String, beside plain: [String: Baseline]
  ) throws -> Score? {
    let meta = "datasets/\(name)/meta.json"
    let facts = Reference.has(meta) ? try oracle(at: Reference.url(meta), as: Facts.self) : Facts()
    guard facts.judge?.contains(method.rawValue) ?? true else { return nil }
    let best = plain.filter { $0.value.coverage >= 0.9 && (method == .smooth || $0.key != "brts") }
      .values.map(\.rmse_m).min()
    // Only ranges: other sensors of the recording stay where they are.
    let folder = try ExternalTool.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in ["anchors.csv", "ranges.csv", "recording.json"]
    where Reference.has("datasets/\(name)/\(file)") {
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: file),
        withDestinationURL: Reference.url("datasets/\(name)/\(file)"))
    }
    let recording = try RecordingReader.read(folder.path(percentEncoded: false))
    var processing = ProcessingSettings()
    processing.method = method
    let positions = recording.processed(with: processing).positions
    let truth = try #require(
      try TruthReader.read(folder: Reference.url("datasets/\(name)").path(percentEncoded: false)))

    var settings = EvaluationSettings()
    settings.isHorizontal = recording.facts.heightM != nil
    settings.skipFirst = 3
    settings.longestGap = facts.max_truth_gap_s ?? settings.longestGap
    let poses = MatchedPoses(
      EstimatedTrack.tracks(of: positions), truth: truth, settings: settings
    ).poses
    var certain: Set<String> = []
    for index in 0..<positions.count where [.fix, .tracking].contains(positions.status[index]) {
      certain.insert("\(positions.time[index].nanoseconds) \(positions.tag[index])")
    }
    let variance = (facts.truth_sigma_m ?? 0) * (facts.truth_sigma_m ?? 0)
    let dimensions = settings.dimensions
    var (errors, squares, silent) = (0.0, [Double](), 0)
    for pose in poses {
      errors += (0..<dimensions).reduce(0) { $0 + pose.error[$1] * pose.error[$1] }
      guard var covariance = pose.covariance else { continue }
      for axis in 0..<3 { covariance[axis, axis] += variance }
      guard let square = Self.square(pose.error, covariance, dimensions) else { continue }
      squares.append(square / Double(dimensions))
      if square > 25, certain.contains("\(pose.time.nanoseconds) \(pose.tag)") { silent += 1 }
    }
    let count = Double(squares.count)
    return Score(
      ratio: (errors / Double(poses.count)).squareRoot() / (try #require(best)),
      nees: squares.reduce(0, +) / count, silent: Double(silent) / count)
  }

  /// Returns eᵀ C⁻¹ e of the first `dimensions` components; nil if they are not determined.
  private static func square(
    _ error: Vector<3>, _ covariance: Matrix<3, 3>, _ dimensions: Int
  ) -> Double? {
    // Cholesky, row by row, with the forward substitution.
    var factor = Matrix<3, 3>.zero
    var sum = 0.0
    var solved = Vector<3>.zero
    for i in 0..<dimensions {
      for j in 0...i {
        let rest = (0..<j).reduce(covariance[i, j]) { $0 - factor[i, $1] * factor[j, $1] }
        factor[i, j] = i == j ? rest.squareRoot() : rest / factor[j, j]
      }
      solved[i] = (0..<i).reduce(error[i]) { $0 - factor[i, $1] * solved[$1] } / factor[i, i]
      sum += solved[i] * solved[i]
    }
    return sum.isFinite ? sum : nil
  }
}
