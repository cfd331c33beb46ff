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

/// A reader of trajectories in the layout of the KITTI odometry benchmark.
///
/// Each line is a pose as the first three rows of its matrix, 12 numbers separated by blanks
/// [Geiger et al. 2012]. The times, in seconds, are in a file of their own, one a line.
enum KITTIReader {
  /// Reads the poses; throws without times, and when their number differs from that of the poses.
  static func read(
    _ source: ByteSource, times: ByteSource?
  ) throws(RecordingError) -> RecordedTrajectory {
    guard let times else {
      throw .badData(
        path: source.path, line: nil,
        reason: "KITTI poses have no times; fathom convert --times FILE adds them")
    }
    var instants: [Timestamp] = []
    var rows = HeaderlessRow(times.bytes)
    while rows.next(separatedBy: .blanks) {
      do throws(RowFault) {
        instants.append(try rows.time(0, in: .seconds))
      } catch {
        throw .badData(path: times.path, line: rows.line, reason: error.reason)
      }
    }
    var place = 0
    let trajectory = RecordedTrajectory(source, format: .kitti, separatedBy: .blanks) {
      row throws(RowFault) in
      defer { place += 1 }
      guard row.fields.count == 12 else {
        throw RowFault(reason: "row has \(row.fields.count) fields instead of 12")
      }
      guard place < instants.count else {
        throw RowFault(reason: "there is no time for this pose")
      }
      return (instants[place], try row.position(in: [3, 7, 11]))
    }
    guard place == instants.count else {
      throw .badData(
        path: times.path, line: nil,
        reason: "there are \(instants.count) times for \(place) poses")
    }
    return trajectory
  }
}

extension RecordedTrajectory {
  /// Reads the trajectory in `source`, a file without a header; invalid rows are rejected.
  ///
  /// `pose` returns the time and the position, in metres, of a row.
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
