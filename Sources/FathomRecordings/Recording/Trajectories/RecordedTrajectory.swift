import Fathom

/// A file layout of trajectories.
public enum TrajectoryFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// CSV with a header, as Fathom writes positions: `time_s`, `x_m`, `y_m` and optionally `z_m`,
  /// `tag` and the covariance `sxx` to `szz`.
  case csv
  /// JSON Lines, as Fathom writes positions: one object per position, with the keys of the CSV
  /// columns.
  case jsonl
  /// Lines of `timestamp tx ty tz qx qy qz qw`, as in the TUM RGB-D benchmark [Sturm et al. 2012].
  case tum
  /// CSV without a header: a time stamp in nanoseconds, then x, y and z [Burri et al. 2016].
  case euroc
  /// Lines of 12 numbers, a matrix of 3 rows and 4 columns whose last column is the position; the
  /// times are in a file of their own [Geiger et al. 2012].
  case kitti
}

/// Positions over time from a file, estimated or measured.
public struct RecordedTrajectory: Sendable, Equatable {
  /// Path as given.
  public var path: String
  /// Layout of the file.
  public var format: TrajectoryFormat
  /// Tracks by tag; the name is empty when the file names no tag.
  public var tracks: [String: EstimatedTrack] = [:]
  /// Data rows in the file.
  public var rowsRead = 0
  /// Rejected rows, in the order of the file.
  public var rejected = RejectedRows()
  /// Notes for the user on what the reader assumed.
  package var notes: [String] = []

  /// Creates a trajectory of `tracks`.
  package init(path: String, format: TrajectoryFormat, tracks: [String: EstimatedTrack] = [:]) {
    self.path = path
    self.format = format
    self.tracks = tracks
  }

  /// The trajectory as truth; rows without a position are left out.
  ///
  /// If no row has a height, the truth is planar and its z is 0.
  public var truth: Truth {
    let isPlanar = tracks.values.allSatisfy { $0.positions.allSatisfy { $0[2].isNaN } }
    let known = tracks.mapValues { track in
      var positions = track.positions
      if isPlanar { for index in positions.indices { positions[index][2] = 0 } }
      let rows = positions.indices.filter { positions[$0].isFinite }
      return PositionTrack(
        times: rows.map { track.times[$0] }, positions: rows.map { positions[$0] })
    }
    var truth = Truth(tracks: known.filter { $0.value.count > 0 }, rejected: rejected)
    truth.isPlanar = isPlanar
    truth.notes = notes
    return truth
  }
}
