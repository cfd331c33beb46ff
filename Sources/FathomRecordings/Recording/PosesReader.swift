import Fathom

/// The poses in a poses file, and its rejected rows.
struct RecordedAttitudes: Sendable, Equatable {
  /// Attitudes of the device; empty when the file has no usable row.
  var track = AttitudeTrack()
  /// The poses of rows with a position, in order of time.
  var poses: [TimedPose] = []
  /// Rejected rows, in the order of the file.
  var rejected = RejectedRows()
}

/// A reader of `poses.csv`: `time_s,x,y,z,qw,qx,qy,qz`, the poses of the measuring device.
///
/// The positions `x,y,z` are in a frame with an arbitrary origin, and may be empty or absent. Without
/// them, a row is an attitude only.
enum PosesReader {
  static let table = TableKind.poses
  /// The first column of the position.
  private static let position = 5

  /// Reads the poses in `source`; throws when the header lacks a column.
  ///
  /// ## Edge cases
  /// A row is rejected when the length of its quaternion differs from 1 by more than 0.1, for
  /// example when it is zero. A position that is not three numbers within the limits of coordinates is
  /// absent.
  static func read(
    _ source: ByteSource, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> RecordedAttitudes {
    var rows = try NumericTable(source, table, options: options)
    var (times, attitudes): ([Timestamp], [Attitude]) = ([], [])
    var result = RecordedAttitudes()
    while rows.next() {
      let row = rows.row
      do throws(RowFault) {
        try row.check()
        let time = try row.time(0)
        let attitude = try attitude(row)
        times.append(time)
        attitudes.append(attitude)
        if let position = position(row) {
          result.poses.append(TimedPose(time: time, position: position, attitude: attitude))
        }
      } catch {
        result.rejected.append(rows.rejected(error))
      }
    }
    result.track = AttitudeTrack(times: times, attitudes: attitudes)
    result.poses = result.poses.sortedByTime(\.time)
    return result
  }

  /// Returns whether the file at `path` has a pose with a position.
  ///
  /// Reads it up to the first one.
  static func hasPositions(_ path: String) -> Bool {
    (try? ByteSource(path: path)).map { hasPositions($0) } ?? false
  }

  /// Returns whether the file `source` has a pose with a position.
  static func hasPositions(_ source: ByteSource) -> Bool {
    guard
      var scanner = try? CSVScanner(atHeaderOf: try source.table(table)),
      let header = try? CSVHeader(at: scanner, columns: table.columns, path: source.path),
      (0..<3).allSatisfy({ header.matches[position + $0] != nil })
    else { return false }
    while scanner.next() {
      let row = NumericRow(scanner: scanner, header: header)
      if (try? row.check()) != nil, (try? row.time(0)) != nil, (try? attitude(row)) != nil,
        position(row) != nil
      {
        return true
      }
    }
    return false
  }

  private static func attitude(_ row: NumericRow) throws(RowFault) -> Attitude {
    var parts: [Double] = []
    for column in 1...4 {
      guard let part = try row.optionalNumber(column) else {
        throw RowFault(column: "qw", reason: "the quaternion is incomplete")
      }
      parts.append(part)
    }
    guard let attitude = Attitude(w: parts[0], x: parts[1], y: parts[2], z: parts[3]) else {
      throw RowFault(column: "qw", reason: "the quaternion does not have length 1")
    }
    return attitude
  }

  private static func position(_ row: NumericRow) -> Vector<3>? {
    var position = Vector<3>.zero
    for axis in 0..<3 {
      guard let value = try? row.optionalCoordinate(Self.position + axis) else { return nil }
      position[axis] = value
    }
    return position
  }
}
