import FathomEvaluation
import FathomRecordings
import Foundation

extension EvaluatedTrajectory {
  /// The evaluation as a line of JSON; what is not determined is null.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension EvaluatedTrajectory: Encodable {
  private enum Key: String, CodingKey {
    case estimate, truth, format, settings, dimensions, n, rmseM, meanM, medianM, p68M, p95M, p99M,
      maxM, horizontal, vertical, spatial, byTag, coverage, availability, timeToFirstFixS,
      longestOutageS, latencyS, latencySigmaS, neesPerDof, consistency, relative, alignment, poses,
      setAside
  }

  private struct Poses: Encodable {
    var total: Int
    var matched: Int
    var unmatched: Int
    var reasons: MatchCounts
  }

  private struct SetAside: Encodable {
    var estimate: Int
    var truth: Int
  }

  private struct Alignment: Encodable {
    var rotation: [[Double]]
    var translationM: [Double]
    var scale: Double
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(trajectory.path, forKey: .estimate)
    try container.encode(reference.path, forKey: .truth)
    try container.encode(trajectory.format, forKey: .format)
    try container.encode(evaluation.settings, forKey: .settings)
    try container.encode(evaluation.settings.dimensions, forKey: .dimensions)
    let counts = evaluation.counts
    try container.encode(
      Poses(
        total: counts.total, matched: counts.matched, unmatched: counts.unmatched, reasons: counts),
      forKey: .poses)
    try container.encode(
      SetAside(
        estimate: trajectory.rejected.count, truth: reference.truth.rejected.count),
      forKey: .setAside)
    let accuracy = evaluation.accuracy
    try container.encode(accuracy?.n ?? 0, forKey: .n)
    try container.encode(accuracy?.rmseM, forKey: .rmseM)
    try container.encode(accuracy?.meanM, forKey: .meanM)
    try container.encode(accuracy?.medianM, forKey: .medianM)
    try container.encode(accuracy?.p68M, forKey: .p68M)
    try container.encode(accuracy?.p95M, forKey: .p95M)
    try container.encode(accuracy?.p99M, forKey: .p99M)
    try container.encode(accuracy?.maxM, forKey: .maxM)
    try container.encode(evaluation.horizontal, forKey: .horizontal)
    try container.encode(evaluation.vertical, forKey: .vertical)
    try container.encode(evaluation.spatial, forKey: .spatial)
    try container.encode(evaluation.accuracyByTag, forKey: .byTag)
    try container.encode(evaluation.availability.coverage, forKey: .coverage)
    try container.encode(evaluation.availability.availability, forKey: .availability)
    try container.encode(evaluation.availability.timeToFirstFixS, forKey: .timeToFirstFixS)
    try container.encode(evaluation.availability.longestOutageS, forKey: .longestOutageS)
    try container.encode(evaluation.latency?.delayS, forKey: .latencyS)
    try container.encode(evaluation.latency?.sigmaS, forKey: .latencySigmaS)
    try container.encode(evaluation.consistency?.meanPerDof, forKey: .neesPerDof)
    try container.encode(evaluation.consistency, forKey: .consistency)
    try container.encode(evaluation.relative, forKey: .relative)
    let alignment = evaluation.alignment.map {
      Alignment(
        rotation: $0.rotation.array, translationM: $0.translation.array, scale: $0.scale)
    }
    try container.encode(alignment, forKey: .alignment)
  }
}
