import Fathom

@testable import FathomRecordings

/// The text of whole recordings in all formats, written row by row from the columns, to compare with
/// that of ``ResultFormatter``.
extension ResultWriter {
  /// Returns the complete tables and tracks of `processed`.
  ///
  /// - Parameters:
  ///   - processed: the results.
  ///   - formats: the requested formats.
  ///   - tags: the names of the located objects.
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
      appendLines(columns, timeDecimals: timeDecimals, to: &text.positionLines)
      appendLines(
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

  /// Appends the rows of `columns` as JSON Lines.
  static func appendLines(
    _ columns: PositionColumns, timeDecimals: Int, to text: inout CSVBuffer
  ) {
    let rows = JSONLines<PositionField>()
    var times = TimeColumn(decimals: timeDecimals)
    var names = NameFields(JSONString.bytes)
    for index in 0..<columns.count {
      let name = names.place(of: columns.tag[index])
      let row = LocatedRow(columns.row(at: index), name: name, textWith: nil)
      rows.append(row, { _ in names.table }, &times, to: &text)
    }
  }

  /// Appends the rows of `columns` as JSON Lines.
  static func appendLines(
    _ columns: DistanceColumns, timeDecimals: Int, to text: inout CSVBuffer
  ) {
    let rows = JSONLines<DistanceField>()
    var times = TimeColumn(decimals: timeDecimals)
    var (tags, anchors) = (NameFields(JSONString.bytes), NameFields(JSONString.bytes))
    for index in columns.time.indices {
      let row = columns.row(
        at: index, tag: tags.place(of: columns.tag[index]),
        anchor: anchors.place(of: columns.anchor[index]))
      rows.append(row, { $0 == .tag ? tags.table : anchors.table }, &times, to: &text)
    }
  }
}
