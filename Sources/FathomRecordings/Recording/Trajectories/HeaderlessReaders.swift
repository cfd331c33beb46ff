import Fathom

/// Reads trajectories in the layout of the TUM RGB-D benchmark.
///
/// As [Sturm et al. 2012] has it: one pose a line, `timestamp tx ty tz qx qy qz qw` divided by
/// blanks: seconds, metres, and a quaternion, which is not looked at. Four fields, without the
/// quaternion, will do.
enum TUMReader {
  static func read(_ source: ByteSource) -> RecordedTrajectory {
    RecordedTrajectory(source, format: .tum, separatedBy: .blanks) { row throws(RowFault) in
      guard row.fields.count == 8 || row.fields.count == 4 else {
        throw RowFault(
          reason: "row has \(row.fields.count) fields, not the 8 of timestamp tx ty tz qx qy qz qw")
      }
      return (try row.time(0, in: .seconds), try row.position())
    }
  }
}

/// Reads trajectories in the layout of the EuRoC data sets.
///
/// As [Burri et al. 2016] has it: rows of `timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z
/// [m], ...` below a comment that names the columns; whatever follows the position is not looked
/// at. The files `state_groundtruth_estimate0/data.csv`, `vicon0/data.csv` and `leica0/data.csv`
/// are like this.
enum EuRoCReader {
  static func read(_ source: ByteSource) -> RecordedTrajectory {
    RecordedTrajectory(source, format: .euroc, separatedBy: .commas) { row throws(RowFault) in
      guard row.fields.count >= 4 else {
        throw RowFault(reason: "row has \(row.fields.count) fields, fewer than timestamp, x, y, z")
      }
      return (try row.time(0, in: .nanoseconds), try row.position())
    }
  }
}

extension RecordedTrajectory {
  /// The trajectory in `source`, a file without a header; rows that cannot be used are set aside.
  ///
  /// - Parameters:
  ///   - source: the file.
  ///   - format: its layout.
  ///   - separator: what stands between fields.
  ///   - pose: the instant and the position (metres) of a row.
  init(
    _ source: ByteSource, format: TrajectoryFormat, separatedBy separator: HeaderlessRow.Separator,
    pose: (HeaderlessRow) throws(RowFault) -> (Timestamp, Vector<3>)
  ) {
    self.init(path: source.path, format: format)
    var columns = TrajectoryColumns()
    var row = HeaderlessRow(source.bytes)
    while row.next(separatedBy: separator) {
      rowsRead += 1
      do throws(RowFault) {
        let (time, position) = try pose(row)
        columns.append(time, position)
      } catch {
        rejected.append(row.rejected(error))
      }
    }
    tracks = columns.tracks
  }
}
