import Fathom

/// The rows of a slice of results as text, in the requested formats.
struct FormattedResults: Sendable {
  /// Rows of the CSV tables.
  var positions = CSVBuffer(rows: 0, of: 0)
  var distances = CSVBuffer(rows: 0, of: 0)
  /// Rows of the JSON Lines tables.
  var positionLines = CSVBuffer(rows: 0, of: 0)
  var distanceLines = CSVBuffer(rows: 0, of: 0)
  /// Rows of the events of zones on the floor plan.
  var zones = CSVBuffer(rows: 0, of: 0)
  /// Rows of the trajectories.
  var tracks = TUMTrajectories()

  /// Writes all rows to `output`.
  func write(to output: some ResultOutput) throws(RecordingError) {
    let tables: [(text: CSVBuffer, table: ResultTable)] = [
      (positions, .positions(.csv)), (distances, .distances(.csv)),
      (positionLines, .positions(.jsonl)), (distanceLines, .distances(.jsonl)), (zones, .zones),
    ]
    for (text, table) in tables + tracks.tracks.map({ ($0.text, .track($0.place)) })
    where !text.isEmpty {
      try text.withBytes { bytes throws(RecordingError) in try output.append(bytes, to: table) }
    }
  }
}

/// A table of a recording's results.
enum ResultTable: Sendable, Hashable {
  /// All positions; not available in ``ResultFormat/tum``.
  case positions(ResultFormat)
  /// All distances; not available in ``ResultFormat/tum``.
  case distances(ResultFormat)
  /// Events of zones on the floor plan, in CSV for every format.
  case zones
  /// The trajectory of the object at this index of ``TargetNames/names``.
  case track(Int)
}

/// A destination for the text of the results.
protocol ResultOutput {
  /// Appends whole rows to `table`.
  func append(_ bytes: UnsafeRawBufferPointer, to table: ResultTable) throws(RecordingError)
}
