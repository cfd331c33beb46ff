import Fathom
import Foundation

/// Reads the results that ``ResultWriter`` writes back into memory.
///
/// Every invalid row is an error; no rows are rejected, because the files are written by Fathom
/// itself. To read trajectories of any origin, use ``TrajectoryReader``.
public enum ResultReader {
  /// Reads `NAME.summary.json` at `path`.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` if the file cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` if it is not a summary.
  public static func summary(_ path: String) throws(RecordingError) -> RecordingSummary {
    try summary(in: ByteSource(path: path).bytes, of: path)
  }

  /// Decodes the summary in the content `bytes` of the file at `path`.
  ///
  /// Its settings and numbers are checked like those of any other input, because results are
  /// computed again with them.
  static func summary(in bytes: [UInt8], of path: String) throws(RecordingError) -> RecordingSummary
  {
    func fault(_ reason: String) -> RecordingError {
      .badData(path: path, line: nil, reason: "not a summary written by fathom process: \(reason)")
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let summary: RecordingSummary
    do {
      summary = try decoder.decode(RecordingSummary.self, from: Data(bytes))
    } catch {
      throw fault(Self.reason(error))
    }
    if let reason = summary.fault { throw fault(reason) }
    return summary
  }

  /// Returns a short description of a JSON decoding error.
  package static func reason(_ error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, _)?:
      "the key \(Excerpt.quoted(key.stringValue)) is missing"
    case .typeMismatch(_, let context)? where context.codingPath.isEmpty:
      "the top-level value has the wrong type"
    case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?,
      .dataCorrupted(let context)? where !context.codingPath.isEmpty:
      Excerpt.plain(context.codingPath.map(\.stringValue).joined(separator: "."), limit: 200)
        + " has the wrong type"
    default: "it is not valid JSON"
    }
  }

  /// Returns the fault of a row at `time` if it is earlier than the row before.
  private static func fault(_ time: Timestamp, after last: Timestamp?) -> RowFault? {
    guard let last, time < last else { return nil }
    return RowFault(column: "time_s", reason: "time_s is earlier than in the row before")
  }

  /// Reads `NAME.positions.csv` at `path`.
  ///
  /// ## Edge cases
  /// An empty cell is an undetermined number and becomes NaN. A header without rows gives empty
  /// columns. Times are restored to the nanosecond, other numbers with the decimals of the file.
  /// Rows must be in order of time.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` if the file cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` if the header lacks a column or a row is
  ///   invalid.
  public static func positions(_ path: String) throws(RecordingError) -> PositionColumns {
    try positions(ByteSource(path: path))
  }

  /// Reads `NAME.distances.csv` at `path`, with the edge cases and errors of ``positions(_:)``.
  public static func distances(_ path: String) throws(RecordingError) -> DistanceColumns {
    try distances(ByteSource(path: path))
  }

  static func positions(_ source: ByteSource) throws(RecordingError) -> PositionColumns {
    var result = PositionColumns()
    try forEachRow(of: source) {
      (row: LocatedRow, name: (PositionField) -> String) throws(RowFault) in
      let position = row.position
      if let fault = fault(position.time, after: result.time.last) { throw fault }
      result.append(
        position.time, name(.tag), position.position, position.covariance, used: position.used,
        rejected: position.rejected, status: position.status)
    }
    return result
  }

  static func distances(_ source: ByteSource) throws(RecordingError) -> DistanceColumns {
    var result = DistanceColumns()
    try forEachRow(of: source) {
      (row: DistanceRow, name: (DistanceField) -> String) throws(RowFault) in
      if let fault = fault(row.time, after: result.time.last) { throw fault }
      result.append(row, tag: name(.tag), anchor: name(.anchor))
    }
    return result
  }

  /// Calls `body` for every data row with its values and the names in it.
  ///
  /// The columns of the file may be in any order. Columns that only some files have are not read.
  private static func forEachRow<Field: ResultField>(
    of source: ByteSource,
    _ body: (Field.Row, (Field) -> String) throws(RowFault) -> Void
  ) throws(RecordingError) {
    let fields = Field.fields()
    let columns = fields.map(\.column)
    let names = columns.map { column in
      column.content == .time
        ? ColumnName(column.name, ["time"], .time, isRequired: true)
        : ColumnName(column.name, [column.name], isRequired: true)
    }
    var scanner = try CSVScanner(atHeaderOf: source)
    let header = try CSVHeader(at: scanner, columns: names, path: source.path)
    while scanner.next() {
      let row = NumericRow(scanner: scanner, header: header)
      do throws(RowFault) {
        try row.check()
        var values = Field.emptyRow
        for (place, field) in fields.enumerated() {
          if let value = try value(of: columns[place], at: place, in: row) {
            field.set(value, in: &values)
          }
        }
        try body(values) { field in row.text(fields.firstIndex(of: field) ?? 0) }
      } catch {
        throw .badData(path: source.path, line: scanner.line, reason: error.reason)
      }
    }
  }

  /// Returns the value of `column`, which is at `place` in `row`; nil for a name.
  private static func value(
    of column: ResultColumn, at place: Int, in row: NumericRow
  ) throws(RowFault) -> ResultValue? {
    switch column.content {
    case .time: return .time(try row.time(place))
    case .name: return nil
    case .number: return .number(try row.optionalNumber(place) ?? .nan)
    case .count: return .count(Int(exactly: try row.optionalNumber(place) ?? 0) ?? 0)
    case .word:
      let text = row.text(place)
      guard let code = column.words.firstIndex(of: text) else {
        throw RowFault(
          column: column.name, reason: "unknown \(column.name): \(Excerpt.quoted(text))")
      }
      return .word(UInt8(code))
    }
  }
}
