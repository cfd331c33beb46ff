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

  /// The paths of the four files of recording `name` in `folder`, as the folder was given: relative
  /// where it is.
  public static func paths(of name: String, in folder: String) -> [String] {
    ["positions.csv", "distances.csv", "rejected.csv", "summary.json"].map {
      OutputFile.path(of: "\(name).\($0)", in: folder)
    }
  }

  /// The four files of `processed` for `folder`, complete.
  ///
  /// Times have as many decimals as the recording's own; metres 4, covariances 8 (m²), angles 6. What is
  /// not determined is an empty field.
  public static func files(of processed: ProcessedRecording, in folder: String) -> [OutputFile] {
    let contents = [
      positions(processed.positions), distances(processed.distances),
      rejected(processed.rejected), summary(processed.summary),
    ]
    return zip(paths(of: processed.name, in: folder), contents).map {
      OutputFile(path: $0, bytes: $1)
    }
  }

  private static func positions(_ columns: PositionColumns) -> [UInt8] {
    let timeDecimals = decimals(for: columns.time)
    var row = CSVRow(header: positionsHeader, rows: columns.count)
    for index in 0..<columns.count {
      row.append(columns.time[index], decimals: timeDecimals)
      row.append(columns.tag[index])
      for axis in 0..<3 { row.append(columns.position[index][axis], decimals: 4) }
      for first in 0..<3 {
        for second in first..<3 {
          row.append(columns.covariance[index][first, second], decimals: 8)
        }
      }
      row.append(columns.used[index])
      row.append(columns.rejected[index])
      row.append(columns.status[index].rawValue)
      row.endRow()
    }
    return row.bytes
  }

  private static func distances(_ columns: DistanceColumns) -> [UInt8] {
    let timeDecimals = decimals(for: columns.time)
    var row = CSVRow(header: distancesHeader, rows: columns.time.count)
    for index in columns.time.indices {
      row.append(columns.time[index], decimals: timeDecimals)
      row.append(columns.tag[index])
      row.append(columns.anchor[index])
      row.append(columns.distance[index], decimals: 4)
      row.append(columns.smoothed[index], decimals: 4)
      row.append(columns.sigma[index], decimals: 4)
      row.append(columns.quality[index].rawValue)
      row.append(columns.zone[index].rawValue)
      row.append(columns.azimuth[index], decimals: 6)
      row.append(columns.elevation[index], decimals: 6)
      row.append(columns.decision[index].rawValue)
      row.endRow()
    }
    return row.bytes
  }

  private static func rejected(_ rows: [RejectedRow]) -> [UInt8] {
    var row = CSVRow(header: rejectedHeader, rows: rows.count)
    for rejected in rows {
      row.append(rejected.line)
      row.append(rejected.column)
      row.append(rejected.reason)
      row.append(rejected.text)
      row.endRow()
    }
    return row.bytes
  }

  private static func summary(_ summary: RecordingSummary) -> [UInt8] {
    Array(json(summary, formatting: [.prettyPrinted]).utf8) + [UInt8(ascii: "\n")]
  }

  /// The summary as one line of JSON, for JSON Lines.
  public static func line(of summary: RecordingSummary) -> String { json(summary, formatting: []) }

  private static func json(
    _ summary: RecordingSummary, formatting: JSONEncoder.OutputFormatting
  ) -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
    // Every number in a summary is finite; should one not be, it must not cost the results.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return (try? encoder.encode(summary)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
