import Fathom
import FathomRecordings

/// The figures of an evaluation for JSON, as `fathom evaluate --json` has them beside the names of its
/// files; undetermined values are null.
package struct EvaluatedFigures: Encodable {
  private let evaluation: TrajectoryEvaluation

  /// Creates the figures of `evaluation`.
  package init(_ evaluation: TrajectoryEvaluation) { self.evaluation = evaluation }

  private struct Poses: Encodable {
    var total: Int
    var matched: Int
    var unmatched: Int
    var reasons: MatchCounts
  }

  private struct Alignment: Encodable {
    var rotation: [[Double]]
    var translationM: [Double]
    var scale: Double
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(evaluation.settings, forKey: "settings")
    try container.encode(evaluation.settings.dimensions, forKey: "dimensions")
    let counts = evaluation.counts
    try container.encode(
      Poses(
        total: counts.total, matched: counts.matched, unmatched: counts.unmatched, reasons: counts),
      forKey: "poses")
    let accuracy = evaluation.accuracy
    try container.encode(accuracy?.n ?? 0, forKey: "n")
    try container.encode(accuracy?.rmseM, forKey: "rmseM")
    try container.encode(accuracy?.meanM, forKey: "meanM")
    try container.encode(accuracy?.medianM, forKey: "medianM")
    try container.encode(accuracy?.p68M, forKey: "p68M")
    try container.encode(accuracy?.p95M, forKey: "p95M")
    try container.encode(accuracy?.p99M, forKey: "p99M")
    try container.encode(accuracy?.maxM, forKey: "maxM")
    try container.encode(evaluation.horizontal, forKey: "horizontal")
    try container.encode(evaluation.vertical, forKey: "vertical")
    try container.encode(evaluation.spatial, forKey: "spatial")
    try container.encode(evaluation.accuracyByTag, forKey: "byTag")
    try container.encode(evaluation.availability.coverage, forKey: "coverage")
    try container.encode(evaluation.availability.availability, forKey: "availability")
    try container.encode(evaluation.availability.timeToFirstFixS, forKey: "timeToFirstFixS")
    try container.encode(evaluation.availability.longestOutageS, forKey: "longestOutageS")
    try container.encode(evaluation.latency?.delayS, forKey: "latencyS")
    try container.encode(evaluation.latency?.sigmaS, forKey: "latencySigmaS")
    try container.encode(evaluation.consistency?.meanPerDof, forKey: "neesPerDof")
    try container.encode(evaluation.consistency, forKey: "consistency")
    try container.encode(evaluation.relative, forKey: "relative")
    let alignment = evaluation.alignment.map {
      Alignment(
        rotation: $0.rotation.array, translationM: $0.translation.array, scale: $0.scale)
    }
    try container.encode(alignment, forKey: "alignment")
  }
}
