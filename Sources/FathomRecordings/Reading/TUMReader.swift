import Fathom

/// Reads trajectories in the layout of the TUM RGB-D benchmark.
///
/// As [Sturm et al. 2012] has it: one pose a line, `timestamp tx ty tz qx qy qz qw` divided by
/// blanks: seconds, metres, and a quaternion, which is not looked at. Four fields, without the
/// quaternion, will do.
public enum TUMReader {
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
