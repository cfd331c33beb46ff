import Fathom

/// A layout that trajectories are written in.
public enum TrajectoryFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// CSV with a header, as Fathom writes positions: `time_s`, `x_m`, `y_m` and optionally `z_m`, `tag`
  /// and the covariance `sxx` to `szz`.
  case csv
  /// JSON Lines, as Fathom writes positions: one object per position, its keys the columns of CSV.
  case jsonl
  /// Lines of `timestamp tx ty tz qx qy qz qw`, as in the TUM RGB-D benchmark [Sturm et al. 2012].
  case tum
  /// CSV without a header: a time stamp in nanoseconds, then x, y and z [Burri et al. 2016].
  case euroc
}

/// A file of positions over time, whoever estimated or measured them.
public struct RecordedTrajectory: Sendable, Equatable {
  /// The path as given.
  public var path: String
  /// How it was read.
  public var format: TrajectoryFormat
  /// The tracks by tag; the name is empty where the file names no tag.
  public var tracks: [String: EstimatedTrack] = [:]
  /// Rows of data in the file.
  public var rowsRead = 0
  /// Rows that could not be used, in the order of the file.
  public var rejected: [RejectedRow] = []

  /// The file taken for truth; rows without a position are left out.
  public var truth: Truth {
    let known = tracks.mapValues { track in
      let rows = track.times.indices.filter { track.positions[$0].isFinite }
      return PositionTrack(
        times: rows.map { track.times[$0] }, positions: rows.map { track.positions[$0] })
    }
    return Truth(tracks: known.filter { $0.value.count > 0 }, rejected: rejected)
  }
}
