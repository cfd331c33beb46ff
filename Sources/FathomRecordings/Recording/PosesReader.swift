import Fathom

/// Attitudes in a poses file, and its rejected rows.
struct RecordedAttitudes: Sendable, Equatable {
  /// Attitudes of the device; empty when the file has no usable row.
  var track = AttitudeTrack()
  /// Rejected rows, in the order of the file.
  var rejected = RejectedRows()
}

/// A reader of `poses.csv`: `time_s,qw,qx,qy,qz`, the attitudes of the measuring device.
///
/// The positions `x,y,z` are in a frame with an arbitrary origin: they are ignored and may be
/// empty.
enum PosesReader {
  private static let columns: [ColumnName] =
    [ColumnName("time_s", ["time", "timestamp", "t"], .time, isRequired: true)]
    + ["qw", "qx", "qy", "qz"].map { ColumnName($0, [$0], isRequired: true) }

  /// Reads the poses in `source`.
  ///
  /// ## Edge cases
  /// A row is rejected when the length of its quaternion differs from 1 by more than 0.1, for
  /// example when it is zero.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when the header lacks a column.
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
        throw RowFault(column: "qw", reason: "the quaternion is incomplete")
      }
      parts.append(part)
    }
    guard let attitude = Attitude(w: parts[0], x: parts[1], y: parts[2], z: parts[3]) else {
      throw RowFault(column: "qw", reason: "the quaternion does not have length 1")
    }
    return attitude
  }
}
