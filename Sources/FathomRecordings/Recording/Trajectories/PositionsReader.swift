import Fathom

/// A reader of positions from CSV with a header, as ``ResultWriter`` writes them.
///
/// Columns are found by name: `time_s`, `x_m`, `y_m` and optionally `z_m`, `tag`, and the
/// covariance `sxx`, `sxy`, `sxz`, `syy`, `syz`, `szz`. Truth files can be read as well, because
/// `x` is a name of `x_m`. Other columns are ignored.
enum PositionsReader {
  private static let covarianceNames = ["sxx", "sxy", "sxz", "syy", "syz", "szz"]
  private static let columns: [ColumnName] =
    [
      ColumnName("time_s", ["time", "timestamp", "t"], .time, isRequired: true),
      ColumnName("x_m", ["x"], .length, isRequired: true),
      ColumnName("y_m", ["y"], .length, isRequired: true),
      ColumnName("z_m", ["z"], .length),
      ColumnName("tag", ["tag"]),
    ] + covarianceNames.map { ColumnName($0, [$0]) }

  static func read(
    _ source: ByteSource, options: RecordingOptions = RecordingOptions(),
    format: TrajectoryFormat = .csv
  ) throws(RecordingError) -> RecordedTrajectory {
    var scanner = try CSVScanner(atHeaderOf: source, delimiter: options.delimiter)
    let header = try CSVHeader(
      at: scanner, columns: columns, renames: options.columns, path: source.path)
    var days = DayCounter()
    let hasCovariance = header.matches.suffix(6).contains { $0 != nil }
    var trajectory = RecordedTrajectory(path: source.path, format: format)
    var columns = TrajectoryColumns()
    while scanner.next() {
      trajectory.rowsRead += 1
      let row = NumericRow(
        scanner: scanner, header: header, decimalSeparator: options.decimalSeparator,
        timeUnit: options.timeUnit, lengthUnit: options.distanceUnit)
      do throws(RowFault) {
        try row.check()
        let time = try row.time(0, &days)
        var position = Vector<3>(repeating: .nan)
        for axis in 0..<3 { position[axis] = try row.optionalCoordinate(axis + 1) ?? .nan }
        columns.append(
          time, tag: row.text(4), position,
          covariance: hasCovariance ? try covariance(row) : nil)
      } catch {
        trajectory.rejected.append(
          RejectedRow(
            line: scanner.line, column: error.column, reason: error.reason,
            text: Excerpt.text(scanner.bytes[scanner.row])))
      }
    }
    trajectory.tracks = columns.tracks
    return trajectory
  }

  private static func covariance(_ row: NumericRow) throws(RowFault) -> Matrix<3, 3> {
    var covariance = Matrix<3, 3>(repeating: .nan)
    var column = 5
    for first in 0..<3 {
      for second in first..<3 {
        let value = try row.optionalNumber(column) ?? .nan
        covariance[first, second] = value
        covariance[second, first] = value
        column += 1
      }
    }
    return covariance
  }
}
