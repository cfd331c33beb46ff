import Fathom

/// A reader of `heights.csv`: `time_s,height_m` and optionally `tag` and `sigma_m`.
enum HeightsReader {
  static let table = TableKind.heights

  /// Reads the heights in `source`, in order of time.
  ///
  /// ## Edge cases
  /// A row is rejected when its height is not a number, or its standard deviation is not positive. A
  /// row without a height is skipped.
  ///
  /// - Returns: The heights by tag, and a note on them.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when the header lacks a column, or no row
  ///   can be used.
  static func read(
    _ source: ByteSource
  ) throws(RecordingError) -> (rows: [String: [HeightMeasurement]], note: String) {
    let table = try rows(of: source)
    try table.requireUsable(source.path)
    let rows = table.rows.mapValues { rows in
      rows.indices.sorted { (rows[$0].time, $0) < (rows[$1].time, $1) }.map { rows[$0] }
    }
    return (rows, table.note(source.name, "heights"))
  }

  /// Reads the rows of `source`, in the order of the file.
  static func rows(
    of source: ByteSource
  ) throws(RecordingError) -> SensorRows<HeightMeasurement> {
    var scanner = try CSVScanner(atHeaderOf: try source.table(table))
    let header = try CSVHeader(at: scanner, columns: table.columns, path: source.path)
    var days = DayCounter()
    return SensorRows<HeightMeasurement>(&scanner, header) { row throws(RowFault) in
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

extension [HeightMeasurement] {
  /// Returns the errors of these heights: the median of the stated standard deviations, or what
  /// successive heights scatter by, whichever is known.
  ///
  /// The third differences of heights that change smoothly have only the white part of the errors,
  /// with 20 times its variance. At least half of the usual variance is assumed to last.
  func errors() -> HeightErrors {
    var errors = HeightErrors()
    let stated = compactMap(\.sigma).sorted()
    if !stated.isEmpty {
      errors.sigma = stated[stated.count / 2]
      return errors
    }
    let differences = indices.dropFirst(3).map { index in
      (self[index].height - 3 * self[index - 1].height + 3 * self[index - 2].height
        - self[index - 3].height).magnitude
    }.sorted()
    guard differences.count >= Self.fewestDifferences else { return errors }
    let scatter =
      Self.deviationsPerMedian * differences[differences.count / 2] / Self.varianceGain.squareRoot()
    let persistent = errors.offsetVariance
    let white = Swift.max(persistent, scatter * scatter)
    errors.sigma = (persistent + white).squareRoot()
    errors.persistentShare = persistent / (persistent + white)
    return errors
  }

  /// Number of differences whose median is the scatter of most recordings within a tenth.
  private static let fewestDifferences = 50
  /// 1 + 9 + 9 + 1: the variance of a third difference of independent errors.
  private static let varianceGain = 20.0
  /// Standard deviations of a normal distribution in the median of its magnitude.
  private static let deviationsPerMedian = 1.4826
}
