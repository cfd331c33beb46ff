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
      TableColumns.time,
      TableColumns.coordinate("x", name: "x_m", isRequired: true),
      TableColumns.coordinate("y", name: "y_m", isRequired: true),
      TableColumns.coordinate("z", name: "z_m"),
      ColumnName("tag", ["tag"]),
    ] + covarianceNames.map { ColumnName($0, [$0]) }

  static func read(
    _ source: ByteSource, options: RecordingOptions = RecordingOptions(),
    format: TrajectoryFormat = .csv, isTruth: Bool = false
  ) throws(RecordingError) -> RecordedTrajectory {
    var options = options
    // An estimate is the main table; columns of truth are stated by `truth.x=East`.
    if !isTruth { options.columns = options.columns.filter { !$0.key.hasPrefix("truth.") } }
    var rows = try NumericTable(
      source, .truth, columns: columns, options: options, isMain: !isTruth)
    let header = rows.header
    var days = DayCounter()
    let hasCovariance = header.matches.suffix(6).contains { $0 != nil }
    var trajectory = RecordedTrajectory(path: source.path, format: format)
    var columns = TrajectoryColumns()
    trajectory.notes = rows.notes
    while rows.next() {
      trajectory.rowsRead += 1
      let row = rows.row
      do throws(RowFault) {
        try row.check()
        let time = try row.time(0, &days)
        var position = Vector<3>(repeating: .nan)
        for axis in 0..<3 { position[axis] = try row.optionalCoordinate(axis + 1) ?? .nan }
        columns.append(
          time, tag: row.text(4), position,
          covariance: hasCovariance ? try covariance(row) : nil)
      } catch {
        trajectory.rejected.append(rows.rejected(error))
      }
    }
    trajectory.tracks = columns.tracks
    return trajectory
  }

  private static func covariance(_ row: NumericRow) throws(RowFault) -> Matrix<3, 3> {
    try Matrix<3, 3> { place throws(RowFault) in try row.optionalNumber(5 + place) ?? .nan }
  }
}
