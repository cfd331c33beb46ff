import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation

/// The results of one recording, with what was found of the recording itself.
struct RecordedResults: Sendable {
  /// The recording's name.
  var name: String
  /// The folder or stem that the results come from.
  var origin: String
  var summary: RecordingSummary
  var positions: PositionColumns
  var distances: DistanceColumns
  /// The anchors by name; empty for a recording without anchors.
  var anchors: [String: Anchor] = [:]
  /// Where the tags really were.
  var truth: Truth?
  /// Fixes of single epochs, computed from the recording once more; nil where it was not found.
  var fixes: PositionColumns?
  /// Why something is not there, in sentences, by what is missing.
  var absences: [Part: String] = [:]
  /// What a reader should know about how the report came about.
  var notes: [String] = []
  /// The comparison with truth.
  var evaluation: TrajectoryEvaluation?

  /// What may be missing.
  enum Part: Hashable, Sendable { case anchors, truth, fixes }

  /// The results of `summary`, with positions and distances in memory.
  init(
    origin: String, summary: RecordingSummary, positions: PositionColumns,
    distances: DistanceColumns
  ) {
    name = summary.recording
    self.origin = origin
    self.summary = summary
    self.positions = positions
    self.distances = distances
  }

  /// Whether positions are relative to the device, not in the world.
  var isRelative: Bool { positions.status.contains(.relative) }

  /// Whether there are positions in the world, or could be.
  var hasWorldPositions: Bool { !positions.time.isEmpty && !isRelative }

  /// Whether the height was given and errors are judged in the plane.
  var isHorizontal: Bool { summary.settings.heightM != nil && summary.settings.heightSigmaM == nil }

  /// The instant from which figures count time: the first of distances and positions.
  var start: Timestamp {
    [distances.time.first, positions.time.first].compactMap { $0 }.min()
      ?? Timestamp(nanoseconds: 0)
  }

  /// Seconds from ``start`` to the last instant.
  var duration: Double {
    let last = [distances.time.last, positions.time.last].compactMap { $0 }.max()
    return max(last?.seconds(since: start) ?? 0, 0)
  }

  /// Compares the positions with truth, where there is one.
  mutating func evaluate() {
    guard let truth else { return }
    var settings = EvaluationSettings()
    settings.isHorizontal = isHorizontal
    let evaluation = TrajectoryEvaluation(
      EstimatedTrack.tracks(of: positions), truth: truth, settings: settings,
      start: distances.time.first)
    if evaluation.accuracy == nil {
      absences[.truth] = "No position has truth at its instant, so there are no errors to show."
    }
    self.evaluation = evaluation
  }
}
