import Fathom
import FathomRecordings

/// An estimated position and the true position at the same time.
public struct MatchedPose: Sendable, Equatable {
  /// Time of the estimate.
  public var time: Timestamp
  /// Tag of the estimate.
  public var tag: String
  /// Estimated position, metres; z may be NaN when only x and y are scored.
  public var estimate: Vector<3>
  /// True position, metres.
  public var truth: Vector<3>
  /// Covariance of the estimate, m²; NaN where undetermined, nil when not given.
  public var covariance: Matrix<3, 3>?

  /// Creates a pose of `tag` at `time` with its truth.
  public init(
    time: Timestamp, tag: String, estimate: Vector<3>, truth: Vector<3>,
    covariance: Matrix<3, 3>? = nil
  ) {
    self.time = time
    self.tag = tag
    self.estimate = estimate
    self.truth = truth
    self.covariance = covariance
  }

  /// Estimate minus truth, metres.
  public var error: Vector<3> { estimate - truth }
}

/// The number of estimates compared with truth, and of those that could not be compared, by reason.
///
/// Every estimate is in exactly one of the counts.
public struct MatchCounts: Sendable, Equatable, Codable {
  /// Compared with truth.
  public var matched = 0
  /// Within the skipped time at the beginning.
  public var skipped = 0
  /// With an undetermined scored coordinate.
  public var undetermined = 0
  /// Of a tag without truth.
  public var withoutTruth = 0
  /// Before truth begins.
  public var beforeTruth = 0
  /// After truth ends.
  public var afterTruth = 0
  /// Within a gap of truth, or too far from its nearest pose.
  public var inGapOfTruth = 0

  /// Creates counts of zero.
  public init() {}

  /// All estimates that were not compared.
  public var unmatched: Int {
    skipped + undetermined + withoutTruth + beforeTruth + afterTruth + inGapOfTruth
  }
  /// All estimates.
  public var total: Int { matched + unmatched }
}

/// Estimates paired with truth, the basis of all accuracy statistics.
public struct MatchedPoses: Sendable, Equatable {
  /// The pairs, sorted by tag name and then by time.
  public var poses: [MatchedPose] = []
  /// The numbers of matched and unmatched estimates.
  public var counts = MatchCounts()

  /// Pairs `tracks` with `truth`.
  ///
  /// A tag is compared with the truth track of its name, or else with the unnamed track. An
  /// estimate without a tag name is compared with the only truth track.
  ///
  /// - Parameters:
  ///   - tracks: the estimates by tag.
  ///   - truth: the true positions of the tags.
  ///   - settings: which estimates are scored, and how truth is interpolated.
  public init(
    _ tracks: [String: EstimatedTrack], truth: Truth,
    settings: EvaluationSettings = EvaluationSettings()
  ) {
    self.init(ComparedTracks(tracks, truth: truth, settings: settings))
  }

  init(_ compared: ComparedTracks) {
    let settings = compared.settings
    for entry in compared.entries {
      let track = entry.track
      for index in 0..<track.count {
        let time = track.times[index]
        let position = track.positions[index]
        if let begin = compared.begin, time < begin {
          counts.skipped += 1
        } else if !settings.isDetermined(position) {
          counts.undetermined += 1
        } else if let truth = entry.truth, let first = truth.times.first,
          let last = truth.times.last
        {
          if let there = Self.position(of: truth, at: time, settings) {
            counts.matched += 1
            poses.append(
              MatchedPose(
                time: time, tag: entry.tag, estimate: position, truth: there,
                covariance: track.covariances?[index]))
          } else if time < first {
            counts.beforeTruth += 1
          } else if time > last {
            counts.afterTruth += 1
          } else {
            counts.inGapOfTruth += 1
          }
        } else {
          counts.withoutTruth += 1
        }
      }
    }
  }

  private static func position(
    of truth: PositionTrack, at time: Timestamp, _ settings: EvaluationSettings
  ) -> Vector<3>? {
    guard let difference = settings.maximumDifference else {
      return truth.position(at: time, longestGap: settings.longestGap)
    }
    let after = truth.times.firstPlace { $0 >= time }
    let near = [after - 1, after].filter(truth.times.indices.contains)
    let nearest = near.min {
      truth.times[$0].seconds(since: time).magnitude
        < truth.times[$1].seconds(since: time).magnitude
    }
    guard let nearest, truth.times[nearest].seconds(since: time).magnitude <= difference else {
      return nil
    }
    return truth.positions[nearest]
  }

  /// Returns the lengths of the errors over the scored coordinates, metres.
  public func errors(_ settings: EvaluationSettings) -> [Double] {
    poses.map { settings.magnitude($0.error) }
  }
}
