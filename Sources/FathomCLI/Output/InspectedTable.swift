import FathomRecordings
import Foundation

/// A file that is not one of ranges, as text or JSON, with the commands that use it.
struct InspectedTable {
  let found: TableInspection

  /// The commands that use the file, the most useful first.
  var next: [String] {
    let path = Excerpt.shellWord(found.path)
    let folder = OutputFile.folder(of: found.path)
    let beside = try? FoundFile.first(
      of: RecordingFile.measurements, in: folder == "." ? "" : folder)
    // The recording to which the file belongs, if it lies in one.
    let recording = (beside ?? nil).map { _ in Excerpt.shellWord(folder) }
    switch found.kind {
    case .anchors:
      return [
        "fathom geometry \(path)",
        recording.map { "fathom process \($0) -o results" }
          ?? "fathom process RANGES --anchors \(path) -o results",
      ]
    case .truth:
      return [
        "fathom evaluate POSITIONS \(recording ?? path)",
        "fathom convert \(path) --to tum -o trajectories",
      ]
    case .positions:
      return [
        "fathom evaluate \(path) TRUTH", "fathom convert \(path) --to tum -o trajectories",
      ]
    case .heights, .odometry, .imu, .poses:
      return [
        recording.map { "fathom process \($0) -o results" }
          ?? "put it beside ranges.csv as \(found.kind.rawValue).csv, then fathom process FOLDER -o results"
      ]
    }
  }

  /// The text.
  var text: String {
    var lines = [
      "\(found.path): \(found.kind.title), \(found.format)",
      "rows       \(found.rowsRead): \(found.rejected.map(\.rows).reduce(0, +)) rejected",
    ]
    if let first = found.firstTime, let last = found.lastTime {
      lines.append("time       \(first) to \(last) s")
    }
    if !found.tags.isEmpty { lines.append("tags       \(found.tags.joined(separator: ", "))") }
    if found.kind == .anchors {
      let distances = found.anchorDistances.map { $0.map { $0.text(decimals: 2) } } ?? []
      lines.append(
        "anchors    \(found.anchors.isEmpty ? "none" : found.anchors.joined(separator: ", "))"
          + (distances.count == 2 ? "; \(distances[0]) to \(distances[1]) m apart" : ""))
    }
    if !found.columns.isEmpty {
      let rows = found.columns.map { column in
        [
          column.name, column.meaning ?? "(ignored)", column.unit ?? "",
          column.least?.plainText ?? "", column.greatest?.plainText ?? "",
        ]
      }
      let table = TextTable(["column", "read as", "unit", "least#", "greatest#"], rows: rows)
      lines += ["", table.text]
    }
    if !found.rejected.isEmpty { lines += ["", TextTable(rejected: found.rejected).text] }
    if !found.notes.isEmpty { lines += [""] + found.notes.map { "note: \($0)" } }
    lines += ["", "next:"] + next.map { "  \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension TextTable {
  /// Creates the table of the reasons for which rows are rejected.
  init(rejected reasons: [RecordingInspection.Reason]) {
    self.init(
      ["rejected", "rows#", "first line#"],
      rows: reasons.map { [$0.reason, "\($0.rows)", "\($0.firstLine)"] })
  }
}

extension InspectedTable: Encodable {
  func encode(to encoder: any Encoder) throws {
    try found.encode(to: encoder)
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(next, forKey: "next")
  }
}
