import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation

/// The results of one recording and the related files found.
struct RecordedResults: Sendable {
  /// Name of the recording.
  var name: String
  /// Folder or file stem of the results.
  var origin: String
  var summary: RecordingSummary
  var positions: PositionColumns
  var distances: DistanceColumns
  /// The anchors by name; empty for a recording without anchors.
  var anchors: [String: Anchor] = [:]
  /// True positions of the tags.
  var truth: Truth?
  /// Fixes of single epochs, recomputed from the recording; nil when the recording was not found.
  var fixes: PositionColumns?
  /// The true distances in the ranges file, parallel to ``distances``, NaN where unknown; nil without
  /// any, or with ``truth``.
  var trueDistances: [Double]?
  /// Sentences that explain missing parts.
  var absences: [Part: String] = [:]
  /// Notes on how the report was made.
  var notes: [String] = []
  /// The comparison with truth.
  var evaluation: TrajectoryEvaluation?

  /// Parts that may be missing.
  enum Part: Hashable, Sendable { case anchors, truth, fixes }

  /// Creates the results of `summary`, with positions and distances in memory.
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

  /// Whether positions are relative to the device.
  var isRelative: Bool { positions.status.contains(.relative) }

  /// Whether there are positions in the world frame.
  var hasWorldPositions: Bool { !positions.time.isEmpty && !isRelative }

  /// Whether the height is given and errors are horizontal.
  var isHorizontal: Bool {
    truth?.isPlanar == true
      || summary.settings.heightM != nil && summary.settings.heightSigmaM == nil
  }

  /// Time zero of the figures: the first time of distances and positions.
  var start: Timestamp {
    [distances.time.first, positions.time.first].compactMap { $0 }.min()
      ?? Timestamp(nanoseconds: 0)
  }

  /// Time from ``start`` to the last time, seconds.
  var duration: Double {
    let last = [distances.time.last, positions.time.last].compactMap { $0 }.max()
    return max(last?.seconds(since: start) ?? 0, 0)
  }

  /// Compares the positions with truth when available.
  mutating func evaluate() {
    guard let truth else { return }
    var settings = EvaluationSettings()
    settings.isHorizontal = isHorizontal
    let evaluation = TrajectoryEvaluation(
      EstimatedTrack.tracks(of: positions), truth: truth, settings: settings,
      start: distances.time.first)
    if evaluation.accuracy == nil {
      absences[.truth] = "No position has truth at its time, so there are no errors to show."
    }
    self.evaluation = evaluation
  }
}
