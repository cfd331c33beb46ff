import Fathom

/// Reads trajectories in the layout of the EuRoC data sets.
///
/// As [Burri et al. 2016] has it: rows of `timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], ...` below a comment that names
/// the columns; whatever follows the position is not looked at. The files
/// `state_groundtruth_estimate0/data.csv`, `vicon0/data.csv` and `leica0/data.csv` are like this.
public enum EuRoCReader {
  static func read(_ source: ByteSource) -> RecordedTrajectory {
    var trajectory = RecordedTrajectory(path: source.path, format: .euroc)
    var columns = TrajectoryColumns()
    var row = PlainRow(source.bytes)
    while row.next(separatedBy: .commas) {
      trajectory.rowsRead += 1
      do throws(RowFault) {
        guard row.fields.count >= 4 else {
          throw RowFault(
            reason: "row has \(row.fields.count) fields, fewer than timestamp, x, y, z")
        }
        columns.append(try row.time(0, in: .nanoseconds), try row.position())
      } catch {
        trajectory.rejected.append(row.rejected(error))
      }
    }
    trajectory.tracks = columns.tracks
    return trajectory
  }
}
