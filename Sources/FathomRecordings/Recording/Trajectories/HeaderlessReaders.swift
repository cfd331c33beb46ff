import Fathom

/// A reader of trajectories in the layout of the TUM RGB-D benchmark.
///
/// Each line is a pose `timestamp tx ty tz qx qy qz qw` separated by blanks [Sturm et al. 2012], in
/// seconds and metres. The quaternion is ignored and may be absent.
enum TUMReader {
  static func read(_ source: ByteSource) -> RecordedTrajectory {
    RecordedTrajectory(source, format: .tum, separatedBy: .blanks) { row throws(RowFault) in
      guard row.fields.count == 8 || row.fields.count == 4 else {
        throw RowFault(
          reason: "row has \(row.fields.count) fields instead of timestamp tx ty tz qx qy qz qw")
      }
      return (try row.time(0, in: .seconds), try row.position())
    }
  }
}

/// A reader of trajectories in the layout of the EuRoC data sets.
///
/// Each row is `timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], ...` [Burri et al. 2016],
/// below a comment with the names of the columns. Fields after the position are ignored. The files
/// `state_groundtruth_estimate0/data.csv`, `vicon0/data.csv` and `leica0/data.csv` have this
/// layout.
enum EuRoCReader {
  static func read(_ source: ByteSource) -> RecordedTrajectory {
    RecordedTrajectory(source, format: .euroc, separatedBy: .commas) { row throws(RowFault) in
      guard row.fields.count >= 4 else {
        throw RowFault(
          reason: "row has \(row.fields.count) fields; timestamp, x, y and z are required")
      }
      return (try row.time(0, in: .nanoseconds), try row.position())
    }
  }
}

extension RecordedTrajectory {
  /// Reads the trajectory in `source`, a file without a header; invalid rows are rejected.
  ///
  /// - Parameters:
  ///   - source: content of the file.
  ///   - format: layout of the file.
  ///   - separator: separator of fields.
  ///   - pose: returns the time and the position, in metres, of a row.
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
