import Fathom

/// A reader of `heights.csv`: `time_s,height_m` and optionally `tag` and `sigma_m`.
enum HeightsReader {
  static let table = TableKind.heights

  /// Reads the heights in `source`, in order of time, by tag and with a note on them.
  ///
  /// ## Edge cases
  /// A row is rejected when its height is not a number, or its standard deviation is not positive.
  /// A row without a height is skipped. Throws when the header lacks a column, or no row can be
  /// used.
  static func read(
    _ source: ByteSource, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> (rows: [String: [HeightMeasurement]], note: String) {
    let table = try rows(of: source, options: options)
    try table.requireUsable(source.path)
    let rows = table.rows.mapValues { $0.sortedByTime(\.time) }
    return (rows, table.note(source.name, "heights"))
  }

  /// Reads the rows of `source`, in the order of the file.
  static func rows(
    of source: ByteSource, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> SensorRows<HeightMeasurement> {
    var rows = try NumericTable(source, table, options: options)
    let header = rows.header
    var days = DayCounter()
    return SensorRows<HeightMeasurement>(&rows) { row throws(RowFault) in
      let time = try row.time(0, &days)
      let tag = try row.tag(1)
      guard let height = try row.optionalCoordinate(2) else { return nil }
      let sigma = try row.optionalLength(3)
      if let sigma, !(1e-6...1e6).contains(sigma) {
        throw RowFault(
          column: header.matches[3]?.given ?? "",
          reason: "the standard deviation is \(sigma) m; it must be above 0")
      }
      return (tag, HeightMeasurement(time: time, height: height, sigma: sigma))
    }
  }
}
