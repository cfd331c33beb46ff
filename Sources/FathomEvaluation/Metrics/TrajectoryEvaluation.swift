import Fathom
import FathomRecordings

/// Everything that is said about an estimate when truth is known.
public struct TrajectoryEvaluation: Sendable, Equatable {
  /// How it was compared.
  public var settings: EvaluationSettings
  /// How many estimates were compared, and why the others were not.
  public var counts: MatchCounts
  /// Accuracy over the coordinates that count: horizontal or in space; nil where nothing was compared.
  public var accuracy: PositionAccuracy?
  /// Accuracy over x and y.
  public var horizontal: PositionAccuracy?
  /// Accuracy over z, of the magnitudes; nil where only x and y count.
  public var vertical: PositionAccuracy?
  /// Accuracy over x, y and z; nil where only x and y count.
  public var spatial: PositionAccuracy?
  /// Accuracy by tag, over the coordinates that count.
  public var accuracyByTag: [String: PositionAccuracy]
  /// How often and how soon there was a position.
  public var availability: Availability
  /// NEES over the coordinates that count; nil where no covariances were given.
  public var consistency: Consistency?
  /// By how much the estimate lags; nil where the motion does not determine it.
  public var latency: Latency?
  /// The drift over the windows that the settings ask for: distances first, then times.
  public var relative: [RelativeError]
  /// How the estimates were moved before they were compared; nil where they were not.
  public var alignment: RigidAlignment?
  /// The pairs that all this was computed from.
  public var matched: MatchedPoses

  /// Compares `tracks` with `truth`.
  ///
  /// - Parameters:
  ///   - tracks: the estimates by tag, see ``EstimatedTrack/tracks(of:)``.
  ///   - truth: where the tags really were.
  ///   - settings: which estimates count, and how truth is interpolated.
  ///   - start: the instant from which the time to the first fix counts, such as that of the first range;
  ///     nil: truth's first.
  public init(
    _ tracks: [String: EstimatedTrack], truth: Truth,
    settings: EvaluationSettings = EvaluationSettings(), start: Timestamp? = nil
  ) {
    let compared = ComparedTracks(tracks, truth: truth, settings: settings)
    self.init(compared, MatchedPoses(compared), start: start)
  }

  /// Compares `tracks` with `truth` after moving them closest to it, all by one movement.
  ///
  /// - Parameters:
  ///   - tracks: the estimates by tag.
  ///   - truth: where the tags really were.
  ///   - settings: which estimates count, and how truth is interpolated.
  ///   - isScaled: whether the movement may change the scale.
  ///   - start: the instant from which the time to the first fix counts; nil: truth's first.
  /// - Returns: the comparison, with ``alignment``.
  /// - Throws: ``AlignmentError`` where the pairs do not determine the movement.
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
