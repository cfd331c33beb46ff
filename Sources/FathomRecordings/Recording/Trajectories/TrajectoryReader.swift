import Fathom

/// Reads trajectories in the layouts that are in use, recognised by their content.
public enum TrajectoryReader {
  /// Reads the trajectory at `path`, which may be compressed; `-` is standard input.
  ///
  /// ## Edge cases
  /// Rows that cannot be used are in ``RecordedTrajectory/rejected``; a file without a usable row
  /// is an error.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - format: its layout; nil: recognised by the first row that is no comment.
  /// - Returns: the trajectory.
  /// - Throws: ``RecordingError`` where the file cannot be read, its header lacks a column, or none of
  ///   its rows can be used.
  public static func read(
    _ path: String, format: TrajectoryFormat? = nil
  ) throws(RecordingError) -> RecordedTrajectory {
    try read(ByteSource(path: path), format: format)
  }

  static func read(
    _ source: ByteSource, format: TrajectoryFormat? = nil
  ) throws(RecordingError) -> RecordedTrajectory {
    let format = format ?? Self.format(of: source.bytes)
    let trajectory =
      switch format {
      case .csv: try PositionsReader.read(source)
      case .jsonl: PositionLinesReader.read(source)
      case .tum: TUMReader.read(source)
      case .euroc: EuRoCReader.read(source)
      }
    guard trajectory.tracks.isEmpty else { return trajectory }
    if let first = trajectory.rejected.first {
      throw .badData(
        path: source.path, line: first.line,
        reason: "no row can be used as \(format.rawValue); the first: \(first.reason)")
    }
    let reason = source.bytes.isEmpty ? "the file is empty" : "the file has no rows"
    throw .badData(path: source.path, line: nil, reason: reason)
  }

  /// The layout of `bytes`: a brace begins JSON Lines, numbers divided by blanks are TUM, numbers divided
  /// by commas that begin with a whole one are EuRoC, everything else is CSV.
  static func format(of bytes: [UInt8]) -> TrajectoryFormat {
    var row = HeaderlessRow(bytes)
    guard row.next(separatedBy: .blanks) else { return .csv }
    if bytes[row.row.lowerBound] == UInt8(ascii: "{") { return .jsonl }
    if row.fields.count >= 4, row.fields.allSatisfy({ row.isNumber($0) }) { return .tum }
    row = HeaderlessRow(bytes)
    guard row.next(separatedBy: .commas), row.fields.count >= 4,
      row.fields.prefix(4).allSatisfy({ row.isNumber($0) }),
      bytes[row.fields[0]].allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
    else { return .csv }
    return .euroc
  }
}
