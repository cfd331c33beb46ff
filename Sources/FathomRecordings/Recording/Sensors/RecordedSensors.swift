import Fathom

/// Heights and odometry of a recording, beside its ranges.
struct RecordedSensors: Sendable, Equatable {
  /// Heights by tag; the name is empty for a file without the column `tag`.
  var heights: [String: [HeightMeasurement]] = [:]
  /// Increments of odometry by tag, as for ``heights``.
  var odometry: [String: [OdometryIncrement]] = [:]
  /// The factors that turns may have: which way is positive, and what the distance between the wheels
  /// means.
  var turnFactors = [1.0, -1.0]

  /// Whether there is neither.
  var isEmpty: Bool { heights.isEmpty && odometry.isEmpty }

  /// Returns the readings of the tag called `name`.
  ///
  /// Those without a name belong to the only tag.
  func readings(of name: String, isOnlyTag: Bool) -> SensorReadings {
    func rows<Row>(_ tags: [String: [Row]]) -> [Row] {
      tags[name] ?? (isOnlyTag ? tags[""] : nil) ?? []
    }
    return SensorReadings(heights: rows(heights), odometry: rows(odometry))
  }

  /// Returns warnings about rows that belong to none of the tags called `names`.
  func warnings(tags names: [String]) -> [String] {
    var warnings: [String] = []
    for (file, tags) in [
      ("heights.csv", heights.mapValues(\.count)), ("odometry.csv", odometry.mapValues(\.count)),
    ] {
      if let count = tags[""], names.count > 1 {
        warnings.append(
          "\(file) is not used: it names no tag, and the recording has several (\(count) rows); add a"
            + " column tag")
      }
      let unknown = tags.keys.filter { !$0.isEmpty && !names.contains($0) }.sorted()
      if !unknown.isEmpty {
        warnings.append(
          "\(file): rows of \(Excerpt.list(unknown)) are not used, because the ranges have no such tag;"
            + " found \(Excerpt.list(names))")
      }
    }
    return warnings
  }
}

/// The usable rows of a sensor file by tag, and the others.
struct SensorRows<Row: Sendable>: Sendable {
  private(set) var rows: [String: [Row]] = [:]
  private(set) var rejected = RejectedRows()
  private var rowsRead = 0

  /// Reads the rows below `header`: calls `parse` for each, which returns the tag and the row; nil for
  /// a row that only begins a series.
  init(
    _ scanner: inout CSVScanner, _ header: CSVHeader,
    _ parse: (NumericRow) throws(RowFault) -> (tag: String, row: Row)?
  ) {
    while scanner.next() {
      rowsRead += 1
      let row = NumericRow(scanner: scanner, header: header)
      do throws(RowFault) {
        try row.check()
        guard let found = try parse(row) else { continue }
        rows[found.tag, default: []].append(found.row)
      } catch {
        rejected.append(
          RejectedRow(
            line: scanner.line, column: error.column, reason: error.reason,
            text: Excerpt.text(scanner.bytes[scanner.row])))
      }
    }
  }

  /// Throws if there are rows but none can be used.
  func requireUsable(_ path: String) throws(RecordingError) {
    if let error = rejected.unusable(path, rowsRead: rowsRead, used: rows.count) { throw error }
  }

  /// Returns a note on what was read and rejected.
  func note(_ name: String, _ what: String) -> String {
    let count = rows.values.reduce(0) { $0 + $1.count }
    var note = "\(name): \(count) \(what)"
    if let first = rejected.first {
      let rows = rejected.total == 1 ? "1 row" : "\(rejected.total) rows"
      note += "; \(rows) rejected, line \(first.line): \(first.reason)"
    }
    return note
  }
}
