import Fathom
import FathomRecordings

/// All results of the comparison of estimates with truth.
public struct TrajectoryEvaluation: Sendable, Equatable {
  /// The parameters of the comparison.
  public var settings: EvaluationSettings
  /// The number of compared estimates, and of those that could not be compared.
  public var counts: MatchCounts
  /// Accuracy over the scored coordinates, horizontal or spatial; nil when nothing was compared.
  public var accuracy: PositionAccuracy?
  /// Accuracy over x and y.
  public var horizontal: PositionAccuracy?
  /// Accuracy of z, as magnitudes; nil when only x and y are scored.
  public var vertical: PositionAccuracy?
  /// Accuracy over x, y and z; nil when only x and y are scored.
  public var spatial: PositionAccuracy?
  /// Accuracy by tag, over the scored coordinates.
  public var accuracyByTag: [String: PositionAccuracy]
  /// How often and how soon a position is available.
  public var availability: Availability
  /// NEES over the scored coordinates; nil without covariances.
  public var consistency: Consistency?
  /// Delay of the estimates; nil when the motion does not determine it.
  public var latency: Latency?
  /// Drift over the windows of the settings: distances first, then times.
  public var relative: [RelativeError]
  /// The transformation applied to the estimates before the comparison; nil without alignment.
  public var alignment: RigidAlignment?
  /// The pairs from which all results are computed.
  public var matched: MatchedPoses

  /// Compares `tracks` with `truth`.
  ///
  /// - Parameters:
  ///   - tracks: the estimates by tag; see `EstimatedTrack.tracks(of:)`.
  ///   - truth: the true positions of the tags.
  ///   - settings: which estimates are scored, and how truth is interpolated.
  ///   - start: the start of the time to the first fix, such as the first range; nil for truth's
  ///     first time.
  public init(
    _ tracks: [String: EstimatedTrack], truth: Truth,
    settings: EvaluationSettings = EvaluationSettings(), start: Timestamp? = nil
  ) {
    let compared = ComparedTracks(tracks, truth: truth, settings: settings)
    self.init(compared, MatchedPoses(compared), start: start)
  }

  /// Compares `tracks` with `truth` after aligning them by one transformation for all tags.
  ///
  /// - Parameters:
  ///   - tracks: the estimates by tag.
  ///   - truth: the true positions of the tags.
  ///   - settings: which estimates are scored, and how truth is interpolated.
  ///   - isScaled: whether the scale is estimated too.
  ///   - start: the start of the time to the first fix; nil for truth's first time.
  /// - Returns: the comparison, with ``alignment``.
  /// - Throws: ``AlignmentError`` when the pairs do not determine the transformation.
  public static func aligned(
    _ tracks: [String: EstimatedTrack], truth: Truth,
    settings: EvaluationSettings = EvaluationSettings(), isScaled: Bool = false,
    start: Timestamp? = nil
  ) throws(AlignmentError) -> TrajectoryEvaluation {
    let compared = ComparedTracks(tracks, truth: truth, settings: settings)
    let (moved, alignment) = try MatchedPoses(compared).aligned(
      isHorizontal: settings.isHorizontal, isScaled: isScaled)
    var result = TrajectoryEvaluation(compared, moved, start: start)
    result.alignment = alignment
    return result
  }

  private init(_ compared: ComparedTracks, _ matched: MatchedPoses, start: Timestamp?) {
    settings = compared.settings
    counts = matched.counts
    self.matched = matched
    let poses = matched.poses
    accuracy = PositionAccuracy(errors: matched.errors(settings))
    let errors = poses.map(\.error)
    horizontal = PositionAccuracy(
      errors: errors.map { ($0[0] * $0[0] + $0[1] * $0[1]).squareRoot() })
    if !settings.isHorizontal {
      vertical = PositionAccuracy(errors: errors.map { $0[2].magnitude })
      spatial = accuracy
    }
    let settings = settings
    accuracyByTag = Dictionary(grouping: poses, by: \.tag).compactMapValues { poses in
      PositionAccuracy(errors: poses.map { settings.magnitude($0.error) })
    }
    availability = Availability(compared, matched: poses, start: start)
    consistency = Consistency(poses, isHorizontal: settings.isHorizontal)
    latency = Latency(poses, compared)
    relative =
      settings.relativeDistances.map {
        RelativeError(overDistance: $0, poses, settings: settings)
      }
      + settings.relativeTimes.map { RelativeError(overTime: $0, poses, settings: settings) }
  }
}
