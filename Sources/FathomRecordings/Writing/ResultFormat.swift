/// In which form positions and distances are written.
///
/// Rows set aside and the summary have one form only.
public enum ResultFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// Comma-separated values with a header: `NAME.positions.csv`, `NAME.distances.csv`.
  case csv
  /// One JSON object per row: `NAME.positions.jsonl`, `NAME.distances.jsonl`.
  case jsonl
  /// Trajectories as in the TUM RGB-D benchmark, positions only: `NAME.positions.tum`, or
  /// `NAME.positions.TAG.tum` per tag where there are several.
  case tum
}

/// A table that a recording's results are written to.
enum ResultTable: Sendable, Hashable {
  /// All positions; not in ``ResultFormat/tum``.
  case positions(ResultFormat)
  /// All distances; not in ``ResultFormat/tum``.
  case distances(ResultFormat)
  /// Zones on the floor plan entered and left; in CSV whatever the form of the others.
  case zones
  /// The trajectory of what stands at this place of ``LocatedNames/names``.
  case track(Int)
}

/// Where the text of the results goes.
protocol ResultOutput {
  /// Takes the bytes of `table` that follow.
  ///
  /// - Parameters:
  ///   - bytes: whole rows.
  ///   - table: what they belong to.
  /// - Throws: ``RecordingError``, where they cannot be written.
  func append(_ bytes: UnsafeRawBufferPointer, to table: ResultTable) throws(RecordingError)
}
