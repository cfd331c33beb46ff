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
    try forEachRow(of: source, header: ResultWriter.positionsHeader) { row throws(RowFault) in
      let time = try row.time(0)
      var position = Vector<3>.undetermined
      for axis in 0..<3 { position[axis] = try row.optionalNumber(2 + axis) ?? .nan }
      var covariance = Matrix<3, 3>.undetermined
      var column = 5
      for first in 0..<3 {
        for second in first..<3 {
          let value = try row.optionalNumber(column) ?? .nan
          covariance[first, second] = value
          covariance[second, first] = value
          column += 1
        }
      }
      let used = try row.optionalNumber(11) ?? 0
      let rejected = try row.optionalNumber(12) ?? 0
      let status: PositionColumns.Status = try word(13, "status", of: row)
      if let fault = fault(time, after: result.time.last) { throw fault }
      result.append(
        time, row.text(1), position, covariance, used: Int(exactly: used) ?? 0,
        rejected: Int(exactly: rejected) ?? 0, status: status)
    }
    return result
  }

  static func distances(_ source: ByteSource) throws(RecordingError) -> DistanceColumns {
    var result = DistanceColumns()
    try forEachRow(of: source, header: ResultWriter.distancesHeader) { row throws(RowFault) in
      let time = try row.time(0)
      var numbers: [Double] = []
      for column in [3, 4, 5, 8, 9] { numbers.append(try row.optionalNumber(column) ?? .nan) }
      let quality: MeasurementQuality = try word(6, "quality", of: row)
      let zone: DistanceColumns.Zone = try word(7, "zone", of: row)
      let decision: DistanceColumns.Decision = try word(10, "decision", of: row)
      if let fault = fault(time, after: result.time.last) { throw fault }
      result.time.append(time)
      result.tag.append(row.text(1))
      result.anchor.append(row.text(2))
      result.distance.append(numbers[0])
      result.smoothed.append(numbers[1])
      result.sigma.append(numbers[2])
      result.quality.append(quality)
      result.zone.append(zone)
      result.azimuth.append(numbers[3])
      result.elevation.append(numbers[4])
      result.decision.append(decision)
    }
    return result
  }

  /// Calls `body` for every data row, with columns numbered as in `names`.
  ///
  /// The columns of the file may be in any order.
  private static func forEachRow(
    of source: ByteSource, header names: String, _ body: (NumericRow) throws(RowFault) -> Void
  ) throws(RecordingError) {
    let columns = names.split(separator: ",").map(String.init).map { name in
      let isTime = name == "time_s"
      return ColumnName(
        name, [isTime ? "time" : name], isTime ? .time : .none, isRequired: true)
    }
    var scanner = try CSVScanner(atHeaderOf: source)
    let header = try CSVHeader(at: scanner, columns: columns, path: source.path)
    while scanner.next() {
      let row = NumericRow(scanner: scanner, header: header)
      do throws(RowFault) {
        try row.check()
        try body(row)
      } catch {
        throw .badData(path: source.path, line: scanner.line, reason: error.reason)
      }
    }
  }

  /// Returns the value in `column`, which must be a raw value of `Word`.
  private static func word<Word: RawRepresentable<String>>(
    _ column: Int, _ name: String, of row: NumericRow
  ) throws(RowFault) -> Word {
    let text = row.text(column)
    guard let word = Word(rawValue: text) else {
      throw RowFault(
        column: name, reason: "unknown \(name): \(Excerpt.quoted(text))")
    }
    return word
  }
}
