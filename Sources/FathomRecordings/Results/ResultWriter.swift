import Fathom
import Foundation

/// Writes the results of a recording: positions, distances, rejected rows and the summary.
public enum ResultWriter {
  /// The header of `NAME.positions.csv`, a stable interface.
  public static let positionsHeader = PositionField.header()
  /// The header of `NAME.distances.csv`, a stable interface.
  public static let distancesHeader = DistanceField.header()
  /// The header of `NAME.rejected.csv`, a stable interface.
  public static let rejectedHeader = "line,column,reason,text"
  /// The header of `NAME.zones.csv`, a stable interface.
  public static let zonesHeader = "time_s,tag,zone,event"

  /// The suffixes of the names of all result files.
  package static let endings =
    tables([.csv, .jsonl]).map(\.ending) + [zonesEnding, ".tum", rejectedEnding, summaryEnding]

  static let zonesEnding = "zones.csv"
  private static let rejectedEnding = "rejected.csv"
  private static let summaryEnding = "summary.json"

  /// Returns the paths of the result files of recording `name` in `folder`.
  ///
  /// They are relative if `folder` is.
  ///
  /// - Parameters:
  ///   - name: the recording's name.
  ///   - folder: the output folder.
  ///   - formats: the formats of positions and distances.
  /// - Returns: The paths of the tables, then of the rejected rows, and last of the summary, which
  ///   is published last. The files of zones and tracks are not included, because they depend on
  ///   the content of the recording.
  public static func paths(
    of name: String, in folder: String, formats: Set<ResultFormat> = [.csv]
  ) -> [String] {
    (tables(formats).map(\.ending) + [rejectedEnding, summaryEnding]).map {
      OutputFile.path(of: "\(name).\($0)", in: folder)
    }
  }

  /// Returns the complete content of the four CSV and JSON files of `processed`, for `folder`.
  ///
  /// The file of rejected rows has those that `processed` keeps.
  ///
  /// Times have as many decimals as those of the recording; metres have 4, covariances (m²) 8 and
  /// angles 6. An undetermined value is an empty field.
  public static func files(of processed: ProcessedRecording, in folder: String) -> [OutputFile] {
    let contents = [
      positions(processed).bytes, distances(processed.distances).bytes,
      rejected(processed.rejected), summary(processed.summary),
    ]
    return zip(paths(of: processed.name, in: folder), contents).map {
      OutputFile(path: $0, bytes: $1)
    }
  }

  /// Returns the content of `NAME.positions.csv`.
  static func positions(_ processed: ProcessedRecording) -> CSVBuffer {
    let columns = processed.positions
    var row = CSVBuffer(header: positionsHeader, rows: columns.count)
    append(columns, timeDecimals: positionDecimals(of: processed), to: &row)
    return row
  }

  /// Appends the rows of `columns` to a text of positions.
  static func append(_ columns: PositionColumns, timeDecimals: Int, to row: inout CSVBuffer) {
    let rows = CSVPositionRows()
    var times = TimeColumn(decimals: timeDecimals)
    var names = NameFields()
    for index in 0..<columns.count {
      let name = names.place(of: columns.tag[index])
      rows.append(columns.row(at: index), name: name, of: names.table, &times, to: &row)
    }
  }

  /// Returns the decimals of the times of the positions of `processed`.
  static func positionDecimals(of processed: ProcessedRecording) -> Int {
    let columns = processed.positions
    return positionDecimals(
      rangeDecimals: max(
        decimals(for: processed.distances.time), decimals(for: columns.time)),
      // Relative positions keep the instants of their ranges.
      grid: columns.status.first == .relative ? nil : processed.summary.settings.rateHz)
  }

  /// Returns the decimals of the times of positions: those of the ranges or, on a grid, those of
  /// its step.
  static func positionDecimals(rangeDecimals: Int, grid rateHz: Double?) -> Int {
    guard let rateHz else { return rangeDecimals }
    return decimals(for: [Timestamp(nanoseconds: max(1, Int64((1e9 / rateHz).rounded())))])
  }

  /// Returns the content of `NAME.distances.csv`.
  static func distances(_ columns: DistanceColumns) -> CSVBuffer {
    let rows = CSVDistanceRows()
    var times = TimeColumn(decimals: decimals(for: columns.time))
    var row = CSVBuffer(header: distancesHeader, rows: columns.time.count)
    var (tags, anchors) = (NameFields(), NameFields())
    for index in columns.time.indices {
      let values = columns.row(
        at: index, tag: tags.place(of: columns.tag[index]),
        anchor: anchors.place(of: columns.anchor[index]))
      rows.append(values, tags: tags.table, anchors: anchors.table, &times, to: &row)
    }
    return row
  }

  /// Appends the rows of `columns` to a text of zones.
  static func append(_ columns: ZoneColumns, timeDecimals: Int, to row: inout CSVBuffer) {
    for index in 0..<columns.count {
      row.append(columns.time[index], decimals: timeDecimals)
      row.append(columns.tag[index])
      row.append(columns.zone[index])
      row.append(word: columns.event[index].rawValue)
      row.endRow()
    }
  }

  /// Returns the content of `NAME.rejected.csv` for the rows that are kept.
  static func rejected(_ rows: RejectedRows) -> [UInt8] {
    var text = CSVBuffer(header: rejectedHeader, rows: rows.count)
    for row in rows { append(row, to: &text) }
    return text.bytes
  }

  /// Appends `row` to a text of rejected rows.
  static func append(_ row: RejectedRow, to text: inout CSVBuffer) {
    text.append(row.line)
    text.append(row.column)
    text.append(row.reason)
    text.append(row.text)
    text.endRow()
  }

  /// Returns the content of `NAME.summary.json`.
  static func summary(_ summary: RecordingSummary) -> [UInt8] {
    Array(SummaryText.json(summary, isPretty: true).utf8) + [UInt8(ascii: "\n")]
  }

  /// Returns the summary as one line of JSON, for JSON Lines.
  package static func line(of summary: RecordingSummary) -> String {
    SummaryText.json(summary, isPretty: false)
  }

  /// Returns `value` as JSON, with keys in snake case and in alphabetical order.
  package static func json(
    _ value: some Encodable, formatting: JSONEncoder.OutputFormatting
  ) -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
    // All numbers in a summary are finite. A number that is not is written as a string, so that the
    // results are still written.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
