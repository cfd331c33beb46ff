import Fathom

/// The attitudes in a file of poses, and what could not be used of it.
struct RecordedAttitudes: Sendable, Equatable {
  /// How the device was held; empty where the file says nothing of it.
  var track = AttitudeTrack()
  /// Rows that could not be used, in the order of the file.
  var rejected: [RejectedRow] = []
}

/// Reads `poses.csv`: `time_s,qw,qx,qy,qz`, the attitude of the device that measured.
///
/// Its positions `x,y,z` are in a frame of the device's own making, whose origin nobody knows: they
/// are not looked at, and may be empty.
enum PosesReader {
  private static let columns: [ColumnName] =
    [ColumnName("time_s", ["time", "timestamp", "t"], .time, isRequired: true)]
    + ["qw", "qx", "qy", "qz"].map { ColumnName($0, [$0], isRequired: true) }

  /// Reads the poses in `source`.
  ///
  /// ## Edge cases
  /// A row whose quaternion is not within a tenth of length 1, such as one of zeros, is set aside.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` where the header lacks a column.
  static func read(_ source: ByteSource) throws(RecordingError) -> RecordedAttitudes {
    var scanner = try CSVScanner(atHeaderOf: source)
    let header = try CSVHeader(at: scanner, columns: columns, path: source.path)
    var (times, attitudes): ([Timestamp], [Attitude]) = ([], [])
    var result = RecordedAttitudes()
    while scanner.next() {
      let row = NumericRow(scanner: scanner, header: header)
      do throws(RowFault) {
        try row.check()
        let time = try row.time(0)
        let attitude = try attitude(row)
        times.append(time)
        attitudes.append(attitude)
      } catch {
        result.rejected.append(
          RejectedRow(
            line: scanner.line, column: error.column, reason: error.reason,
            text: Excerpt.text(scanner.bytes[scanner.row])))
      }
    }
    result.track = AttitudeTrack(times: times, attitudes: attitudes)
    return result
  }

  private static func attitude(_ row: NumericRow) throws(RowFault) -> Attitude {
    var parts: [Double] = []
    for column in 1...4 {
      guard let part = try row.optionalNumber(column) else {
        throw RowFault(column: "qw", reason: "the quaternion is not complete")
      }
      parts.append(part)
    }
    guard let attitude = Attitude(w: parts[0], x: parts[1], y: parts[2], z: parts[3]) else {
      throw RowFault(column: "qw", reason: "the quaternion is not of length 1")
    }
    return attitude
  }
}
