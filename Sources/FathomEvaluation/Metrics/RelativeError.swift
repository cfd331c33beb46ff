import Fathom

/// Drift: the error of the displacement between two estimates.
///
/// For a segment from pose i to pose j the error is |(eⱼ - eᵢ) - (tⱼ - tᵢ)|, the translation part
/// of the relative pose error for poses without orientation [Sturm et al. 2012]. A segment begins
/// at every pose. It ends at the first pose that is at least the window further along the true
/// path, as in [Geiger et al. 2012], or later in time. No segment crosses a gap between successive
/// pairs longer than ``EvaluationSettings/longestGap``.
public struct RelativeError: Sendable, Equatable, Codable {
  /// Minimum length of a segment along the true path, metres; nil for a window of time.
  public var distanceM: Double?
  /// Minimum duration of a segment, seconds; nil for a window of distance.
  public var timeS: Double?
  /// Statistics of the segment errors, metres; nil when no segment is long enough.
  public var drift: PositionAccuracy?
  /// Mean of error divided by true path length over the segments.
  ///
  /// Nil for windows of time, whose paths can have zero length, and without segments.
  public var meanShare: Double?

  /// Computes the drift over segments of `metres` of true path.
  ///
  /// - Parameters:
  ///   - metres: minimum length of a segment; above 0.
  ///   - poses: pairs, sorted by time for each tag.
  ///   - settings: which coordinates are scored, and the longest gap.
  public init(overDistance metres: Double, _ poses: [MatchedPose], settings: EvaluationSettings) {
    distanceM = metres
    let segments = Self.runs(of: poses, settings).flatMap { run in
      // A tolerance for rounding: a path of ten times 0.1 m counts as 1 m.
      Self.segments(run, settings) { run.path[$1] - run.path[$0] >= metres * (1 - 1e-9) }
    }
    drift = PositionAccuracy(errors: segments.map(\.error))
    let shares = segments.map { $0.error / $0.length }
    meanShare = shares.isEmpty ? nil : shares.reduce(0, +) / Double(shares.count)
  }

  /// Computes the drift over segments of `seconds`.
  ///
  /// - Parameters:
  ///   - seconds: minimum duration of a segment; above 0.
  ///   - poses: pairs, sorted by time for each tag.
  ///   - settings: which coordinates are scored, and the longest gap.
  public init(overTime seconds: Double, _ poses: [MatchedPose], settings: EvaluationSettings) {
    timeS = seconds
    let segments = Self.runs(of: poses, settings).flatMap { run in
      Self.segments(run, settings) {
        run.poses[$1].time.seconds(since: run.poses[$0].time) >= seconds
      }
    }
    drift = PositionAccuracy(errors: segments.map(\.error))
  }

  /// Pairs of one tag without a long gap between them.
  private struct Run {
    var poses: [MatchedPose]
    /// Length of the true path from the first pair, metres.
    var path: [Double]
  }

  private static func runs(of poses: [MatchedPose], _ settings: EvaluationSettings) -> [Run] {
    var runs: [Run] = []
    var start = 0
    for index in 1...Swift.max(poses.count, 1) {
      if index < poses.count, poses[index].tag == poses[index - 1].tag,
        poses[index].time.seconds(since: poses[index - 1].time) <= settings.longestGap
      {
        continue
      }
      let slice = poses[start..<Swift.min(index, poses.count)]
      start = index
      guard !slice.isEmpty else { continue }
      var path = [0.0]
      for (from, to) in zip(slice, slice.dropFirst()) {
        path.append(path[path.count - 1] + settings.magnitude(to.truth - from.truth))
      }
      runs.append(Run(poses: Array(slice), path: path))
    }
    return runs
  }

  /// Returns the segments of `run`, from each pair to the first one for which `isLong(start, end)`
  /// holds.
  private static func segments(
    _ run: Run, _ settings: EvaluationSettings, isLong: (Int, Int) -> Bool
  ) -> [(error: Double, length: Double)] {
    let poses = run.poses
    var result: [(error: Double, length: Double)] = []
    var end = 0
    for start in poses.indices {
      while end < poses.count, !isLong(start, end) { end += 1 }
      guard end < poses.count else { break }
      let error = settings.magnitude(poses[end].error - poses[start].error)
      result.append((error, run.path[end] - run.path[start]))
    }
    return result
  }
}
