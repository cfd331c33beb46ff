import Fathom
import Foundation

/// Writes the results of a recording: positions, distances, rows set aside, summary.
public enum ResultWriter {
  /// The header of `NAME.positions.csv`, a contract.
  public static let positionsHeader =
    "time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,ranges_used,ranges_rejected,status"
  /// The header of `NAME.distances.csv`, a contract.
  public static let distancesHeader =
    "time_s,tag,anchor,distance_m,smoothed_m,sigma_m,quality,zone,azimuth_rad,elevation_rad,decision"
  /// The header of `NAME.rejected.csv`, a contract.
  public static let rejectedHeader = "line,column,reason,text"
  /// The header of `NAME.zones.csv`, a contract.
  public static let zonesHeader = "time_s,tag,zone,event"

  /// What stands behind the name in those of all files that there may be.
  static let endings =
    tables([.csv, .jsonl]).map(\.ending) + [zonesEnding, ".tum", rejectedEnding, summaryEnding]

  static let zonesEnding = "zones.csv"
  private static let rejectedEnding = "rejected.csv"
  private static let summaryEnding = "summary.json"

  /// The paths of the files of recording `name` in `folder`, as the folder was given: relative where it
  /// is.
  ///
  /// - Parameters:
  ///   - name: the recording's name.
  ///   - folder: the folder of the results.
  ///   - formats: in which forms they are written.
  /// - Returns: The paths of the tables, then of the rows set aside, last of the summary, which is the
  ///   last to appear. Zones and tracks are not among them: which there are is only known to the
  ///   recording.
  public static func paths(
    of name: String, in folder: String, formats: Set<ResultFormat> = [.csv]
  ) -> [String] {
    (tables(formats).map(\.ending) + [rejectedEnding, summaryEnding]).map {
      OutputFile.path(of: "\(name).\($0)", in: folder)
    }
  }

  /// The four files of `processed` for `folder`, complete, in CSV.
  ///
  /// Times have as many decimals as the recording's own; metres 4, covariances 8 (m²), angles 6. What is
  /// not determined is an empty field.
  public static func files(of processed: ProcessedRecording, in folder: String) -> [OutputFile] {
    let contents = [
      positions(processed).bytes, distances(processed.distances).bytes,
      rejected(processed.rejected), summary(processed.summary),
    ]
    return zip(paths(of: processed.name, in: folder), contents).map {
      OutputFile(path: $0, bytes: $1)
    }
  }

  private static func positions(_ processed: ProcessedRecording) -> CSVBuffer {
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

  /// Decimals of the times of the positions of `processed`.
  private static func positionDecimals(of processed: ProcessedRecording) -> Int {
    let columns = processed.positions
    return positionDecimals(
      rangeDecimals: max(
        decimals(for: processed.distances.time), decimals(for: columns.time)),
      // Relative positions keep the instants of their ranges.
      grid: columns.status.first == .relative ? nil : processed.summary.settings.rateHz)
  }

  /// The tables and tracks of `processed` in `formats`, complete.
  ///
  /// - Parameters:
  ///   - processed: the results.
  ///   - formats: in which forms.
  ///   - tags: the names of what is located.
  /// - Returns: The text.
  static func text(
    of processed: ProcessedRecording, formats: Set<ResultFormat>, tags: [String]
  ) -> FormattedResults {
    var text = FormattedResults()
    let columns = processed.positions
    let timeDecimals = positionDecimals(of: processed)
    if formats.contains(.csv) {
      text.positions = positions(processed)
      text.distances = distances(processed.distances)
    }
    if formats.contains(.jsonl) {
      JSONLines.append(columns, timeDecimals: timeDecimals, to: &text.positionLines)
      JSONLines.append(
        processed.distances, timeDecimals: decimals(for: processed.distances.time),
        to: &text.distanceLines)
    }
    if processed.summary.zones != nil {
      text.zones = CSVBuffer(header: zonesHeader, rows: processed.zones.count)
      append(processed.zones, timeDecimals: timeDecimals, to: &text.zones)
    }
    if formats.contains(.tum) {
      text.tracks = TUMTrajectories(
        columns, places: TUMTrajectories.places(of: tags), timeDecimals: timeDecimals)
    }
    return text
  }

  /// Decimals of the times of positions in a recording whose ranges have `rangeDecimals`: as many, or, on
  /// a grid, those of its step.
  static func positionDecimals(rangeDecimals: Int, grid rateHz: Double?) -> Int {
    guard let rateHz else { return rangeDecimals }
    return decimals(for: [Timestamp(nanoseconds: max(1, Int64((1e9 / rateHz).rounded())))])
  }

  private static func distances(_ columns: DistanceColumns) -> CSVBuffer {
    let rows = CSVDistanceRows()
    var times = TimeColumn(decimals: decimals(for: columns.time))
    var row = CSVBuffer(header: distancesHeader, rows: columns.time.count)
    var tags = NameFields()
    var anchors = NameFields()
    for index in columns.time.indices {
      let tag = tags.place(of: columns.tag[index])
      let anchor = anchors.place(of: columns.anchor[index])
      rows.append(
        time: columns.time[index], tag: tag, anchor: anchor, distance: columns.distance[index],
        columns.result(at: index), angles: (columns.azimuth[index], columns.elevation[index]),
        tags: tags.table, anchors: anchors.table, &times, to: &row)
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

  private static func rejected(_ rows: [RejectedRow]) -> [UInt8] {
    var row = CSVBuffer(header: rejectedHeader, rows: rows.count)
    append(rows, to: &row)
    return row.bytes
  }

  /// Appends `rows` to a text of rows set aside.
  static func append(_ rows: [RejectedRow], to row: inout CSVBuffer) {
    for rejected in rows {
      row.append(rejected.line)
      row.append(rejected.column)
      row.append(rejected.reason)
      row.append(rejected.text)
      row.endRow()
    }
  }

  /// The content of `NAME.summary.json`.
  static func summary(_ summary: RecordingSummary) -> [UInt8] {
    Array(json(summary, formatting: [.prettyPrinted]).utf8) + [UInt8(ascii: "\n")]
  }

  /// The summary as one line of JSON, for JSON Lines.
  package static func line(of summary: RecordingSummary) -> String { json(summary, formatting: []) }

  /// `value` as JSON, its keys in snake case and in alphabetical order.
  static func json(
    _ value: some Encodable, formatting: JSONEncoder.OutputFormatting
  ) -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
    // Every number in a summary is finite; should one not be, it must not cost the results.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
