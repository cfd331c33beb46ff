import Fathom

/// Reads trajectories in the layout of the EuRoC data sets.
///
/// As [Burri et al. 2016] has it: rows of `timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z
/// [m], ...` below a comment that names the columns; whatever follows the position is not looked
/// at. The files `state_groundtruth_estimate0/data.csv`, `vicon0/data.csv` and `leica0/data.csv`
/// are like this.
public enum EuRoCReader {
  static func read(_ source: ByteSource) -> RecordedTrajectory {
    RecordedTrajectory(source, format: .euroc, separatedBy: .commas) { row throws(RowFault) in
      guard row.fields.count >= 4 else {
        throw RowFault(reason: "row has \(row.fields.count) fields, fewer than timestamp, x, y, z")
      }
      return (try row.time(0, in: .nanoseconds), try row.position())
    }
  }
}
