import Fathom

/// The rows of a slice of results as text, in the forms that were asked for.
struct FormattedResults: Sendable {
  /// Rows of the tables in CSV.
  var positions = CSVBuffer(rows: 0, of: 0)
  var distances = CSVBuffer(rows: 0, of: 0)
  /// Rows of the tables in JSON Lines.
  var positionLines = TextBuffer()
  var distanceLines = TextBuffer()
  /// Rows of the zones on the floor plan.
  var zones = CSVBuffer(rows: 0, of: 0)
  /// Rows of the trajectories.
  var tracks = TUMTrajectories()

  /// Writes all of it to `output`.
  ///
  /// - Parameter output: where it goes.
  /// - Throws: what `output` throws.
  func write(to output: some ResultOutput) throws(RecordingError) {
    try positions.withBytes { bytes throws(RecordingError) in
      if bytes.count > 0 { try output.append(bytes, to: .positions(.csv)) }
    }
    try distances.withBytes { bytes throws(RecordingError) in
      if bytes.count > 0 { try output.append(bytes, to: .distances(.csv)) }
    }
    try positionLines.withBytes { bytes throws(RecordingError) in
      if bytes.count > 0 { try output.append(bytes, to: .positions(.jsonl)) }
    }
    try distanceLines.withBytes { bytes throws(RecordingError) in
      if bytes.count > 0 { try output.append(bytes, to: .distances(.jsonl)) }
    }
    try zones.withBytes { bytes throws(RecordingError) in
      if bytes.count > 0 { try output.append(bytes, to: .zones) }
    }
    for track in tracks.tracks {
      try track.text.withBytes { bytes throws(RecordingError) in
        try output.append(bytes, to: .track(track.place))
      }
    }
  }
}

/// A table that a recording's results are written to.
enum ResultTable: Sendable, Hashable {
  /// All positions; not in ``ResultFormat/tum``.
  case positions(ResultFormat)
  /// All distances; not in ``ResultFormat/tum``.
  case distances(ResultFormat)
  /// Zones on the floor plan entered and left; in CSV whatever the form of the others.
  case zones
  /// The trajectory of what stands at this place of ``TargetNames/names``.
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
