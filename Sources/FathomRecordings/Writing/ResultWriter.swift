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

  /// What stands behind the name in those of the four files; the summary is the last to appear.
  static let endings = ["positions.csv", "distances.csv", "rejected.csv", "summary.json"]

  /// The paths of the four files of recording `name` in `folder`, as the folder was given: relative
  /// where it is.
  public static func paths(of name: String, in folder: String) -> [String] {
    endings.map { OutputFile.path(of: "\(name).\($0)", in: folder) }
  }

  /// The four files of `processed` for `folder`, complete.
  ///
  /// Times have as many decimals as the recording's own; metres 4, covariances 8 (m²), angles 6. What is
  /// not determined is an empty field.
  public static func files(of processed: ProcessedRecording, in folder: String) -> [OutputFile] {
    let contents = [
      positions(processed), distances(processed.distances),
      rejected(processed.rejected), summary(processed.summary),
    ]
    return zip(paths(of: processed.name, in: folder), contents).map {
      OutputFile(path: $0, bytes: $1)
    }
  }

  private static func positions(_ processed: ProcessedRecording) -> [UInt8] {
    let columns = processed.positions
    var row = CSVRow(header: positionsHeader, rows: columns.count)
    let timeDecimals = positionDecimals(
      rangeDecimals: max(
        decimals(for: processed.distances.time), decimals(for: columns.time)),
      // Relative positions keep the instants of their ranges.
      grid: columns.status.first == .relative ? nil : processed.summary.settings.rateHz)
    let rows = PositionRows(timeDecimals: timeDecimals)
    var names = NameFields()
    for index in 0..<columns.count {
      let name = names.place(of: columns.tag[index])
      rows.append(columns.row(at: index), name: name, of: names.table, to: &row)
    }
    return row.bytes
  }

  /// Decimals of the times of positions in a recording whose ranges have `rangeDecimals`: as many, or, on
  /// a grid, those of its step.
  static func positionDecimals(rangeDecimals: Int, grid rateHz: Double?) -> Int {
    guard let rateHz else { return rangeDecimals }
    return decimals(for: [Timestamp(nanoseconds: max(1, Int64((1e9 / rateHz).rounded())))])
  }

  private static func distances(_ columns: DistanceColumns) -> [UInt8] {
    let rows = DistanceRows(timeDecimals: decimals(for: columns.time))
    var row = CSVRow(header: distancesHeader, rows: columns.time.count)
    var tags = NameFields()
    var anchors = NameFields()
    for index in columns.time.indices {
      let tag = tags.place(of: columns.tag[index])
      let anchor = anchors.place(of: columns.anchor[index])
      rows.append(
        time: columns.time[index], tag: tag, anchor: anchor, distance: columns.distance[index],
        ProcessedRange(
          smoothed: columns.smoothed[index], sigma: columns.sigma[index],
          quality: columns.quality[index], zone: columns.zone[index],
          decision: columns.decision[index]),
        angles: (columns.azimuth[index], columns.elevation[index]), tags: tags.table,
        anchors: anchors.table, to: &row)
    }
    return row.bytes
  }

  private static func rejected(_ rows: [RejectedRow]) -> [UInt8] {
    var row = CSVRow(header: rejectedHeader, rows: rows.count)
    append(rows, to: &row)
    return row.bytes
  }

  /// Appends `rows` to a text of rows set aside.
  static func append(_ rows: [RejectedRow], to row: inout CSVRow) {
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
  public static func line(of summary: RecordingSummary) -> String { json(summary, formatting: []) }

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
