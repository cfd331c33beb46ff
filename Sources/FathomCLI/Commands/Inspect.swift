import ArgumentParser
import FathomRecordings
import Foundation

/// `fathom inspect`: shows the contents of a recording.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract:
      "Show the contents of a recording: columns, units, links, rates, gaps, rejected rows, diagnosis.",
    discussion: """
      Examples:
        fathom inspect walk/ranges.csv --columns distance=Dist[m]
        fathom inspect walk/anchors.csv    columns, units and extents

      Of a file of anchors, truth, positions or sensors it shows columns, units and what they span, \
      and the commands that use it.
      """)

  @Argument(help: "A folder, a ranges file, or another table; - reads standard input.")
  var recording: String

  @Flag(help: "Print everything as JSON.")
  var json = false

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Reading") var epochs: RateArgument

  func validate() throws {
    if recording.isEmpty { throw ValidationError("the recording's name is empty") }
  }

  func run() throws {
    let options = try reading.options(rate: epochs.rate)
    switch try reportingErrors({ try inspected(options) }) {
    case .recording(let found):
      Console.print(json ? try Console.json(found, isPretty: true) : describe(found))
    case .table(let found):
      Console.print(json ? try Console.json(found, isPretty: true) : found.text)
    }
  }

  private enum Inspected {
    case recording(RecordingInspection)
    case table(InspectedTable)
  }

  /// Reads the file as ranges; if it has none, as one of the other tables.
  private func inspected(_ options: RecordingOptions) throws(RecordingError) -> Inspected {
    do throws(RecordingError) {
      return .recording(
        try RecordingInspection(path: recording, anchors: reading.anchors, options: options))
    } catch {
      guard case .badData(let path, let line, let reason) = error, reading.file.format == nil else {
        throw error
      }
      if let own = OwnFile(recording) {
        throw .badData(path: recording, line: nil, reason: own.advice)
      }
      if let table = try TableInspection(path: recording, options: options) {
        return .table(InspectedTable(found: table))
      }
      throw .badData(path: path, line: line, reason: reason)
    }
  }

  private func describe(_ found: RecordingInspection) -> String {
    var lines = [
      "\(found.path == "-" ? "standard input" : found.path): \(found.format.rawValue),"
        + " \(found.bytes.counted("byte"))"
        + (found.format == .csv
          ? ", fields separated by \(found.delimiter.name)"
          : ": \(found.format.title) (\(found.formatReason))"),
      "rows       \(found.rowsRead): "
        + (found.differences.map { "\($0.counted("time difference"))," }
          ?? "\(found.ranges.counted("range")), \(found.events.counted("event")),")
        + " \(found.rejected.map(\.rows).reduce(0, +)) rejected",
    ]
    if let first = found.firstTime, let last = found.lastTime {
      lines.append(
        "time       \(first) to \(last) s"
          + (found.differences == nil
            ? ", \(found.outOfOrder.counted("range")) out of order" : ""))
    }
    lines.append(
      "tags       " + (found.tags.isEmpty ? "none" : found.tags.joined(separator: ", ")))
    lines.append(
      "anchors    "
        + (found.declaredAnchors.isEmpty
          ? "none declared" : found.declaredAnchors.joined(separator: ", "))
        + (found.anchorDistances.map {
          $0.count == 2
            ? "; \($0[0].text(decimals: 2)) to \($0[1].text(decimals: 2)) m apart" : ""
        } ?? ""))

    let columns = TextTable(
      ["column", "read as", "unit"],
      rows: found.columns.map { [$0.name, $0.meaning ?? "(ignored)", $0.unit ?? ""] })
    lines += ["", columns.text]

    let links = TextTable(
      [
        "tag", "anchor", "ranges#", "least m#", "median m#", "greatest m#", "rate Hz#",
        "longest gap s#", "held#", "duplicates#",
      ],
      rows: found.links.map { link in
        [
          link.tag, link.anchor, "\(link.ranges)", link.leastDistance.text(decimals: 2),
          link.medianDistance.text(decimals: 2), link.greatestDistance.text(decimals: 2),
          (link.medianRate ?? .nan).text(decimals: 2), (link.longestGap ?? .nan).text(decimals: 3),
          link.heldShare.map { "\((100 * $0).text(decimals: 1)) %" } ?? "-",
          "\(link.exactDuplicates)",
        ]
      })
    if !found.links.isEmpty { lines += ["", links.text] }

    if !found.rejected.isEmpty { lines += ["", TextTable(rejected: found.rejected).text] }
    if !found.diagnoses.isEmpty {
      lines += [""] + found.diagnoses.map { "warning: \($0.message): \($0.remedy)" }
    }
    if let remarks = found.remarks { lines += ["", "remarks: \(remarks)"] }
    if !found.notes.isEmpty { lines += [""] + found.notes.map { "note: \($0)" } }
    return lines.joined(separator: "\n")
  }
}
