import Fathom

/// A reader of trajectories in common layouts, detected by content.
public enum TrajectoryReader {
  /// Reads the trajectory at `path`, which may be compressed; `-` is standard input.
  ///
  /// ## Edge cases
  /// Invalid rows are in ``RecordedTrajectory/rejected``. A file without a usable row is an error.
  ///
  /// - Parameters:
  ///   - path: path of the file, or `-`.
  ///   - format: layout of the file; nil to detect it from the first row that is not a comment.
  ///   - options: columns, units and separators of a CSV file.
  ///   - times: path of the file with the times of KITTI poses; nil for other layouts.
  ///   - isTruth: whether names of columns for it begin with `truth.`.
  /// - Returns: The trajectory.
  /// - Throws: ``RecordingError`` when the file cannot be read, its header lacks a column, or no
  ///   row is usable.
  public static func read(
    _ path: String, format: TrajectoryFormat? = nil,
    options: RecordingOptions = RecordingOptions(), times: String? = nil, isTruth: Bool = false
  ) throws(RecordingError) -> RecordedTrajectory {
    try read(
      ByteSource(path: path), format: format, options: options, isTruth: isTruth,
      times: times.map { path throws(RecordingError) in try ByteSource(path: path) })
  }

  static func read(
    _ source: ByteSource, format: TrajectoryFormat? = nil,
    options: RecordingOptions = RecordingOptions(), isTruth: Bool = false,
    times: ByteSource? = nil
  ) throws(RecordingError) -> RecordedTrajectory {
    // Column names mean that the file has a header.
    let format =
      format ?? (options.columns.isEmpty ? Self.format(of: source.bytes) : .csv)
    // Positions of Fathom have keys of their own, which other programs do not write.
    let isTable =
      JSONObjects.begins(source.bytes)
      && !source.bytes.prefix(RecordingLimits.longestRow).contains("\"x_m\"".utf8)
    let trajectory =
      switch format {
      case .csv: try PositionsReader.read(source, options: options, isTruth: isTruth)
      case .jsonl where isTable: try PositionsReader.read(source.table(.truth), format: .jsonl)
      case .jsonl: PositionLinesReader.read(source)
      case .tum: TUMReader.read(source)
      case .euroc: EuRoCReader.read(source)
      case .kitti: try KITTIReader.read(source, times: times)
      }
    guard trajectory.tracks.isEmpty else { return trajectory }
    if let first = trajectory.rejected.first {
      throw .badData(
        path: source.path, line: first.line,
        reason: "no row is usable as \(format.rawValue); first reason: \(first.reason)")
    }
    let reason = source.bytes.isEmpty ? "the file is empty" : "the file has no rows"
    throw .badData(path: source.path, line: nil, reason: reason)
  }

  /// Detects the layout of `bytes`.
  ///
  /// A JSON object begins JSON Lines or an array; twelve numbers separated by blanks are KITTI, other numbers separated by blanks are TUM; numbers separated by commas,
  /// beginning with an integer, are EuRoC; everything else is CSV.
  static func format(of bytes: [UInt8]) -> TrajectoryFormat {
    var row = HeaderlessRow(bytes)
    guard row.next(separatedBy: .blanks) else { return .csv }
    if bytes[row.row.lowerBound] == UInt8(ascii: "{") || JSONObjects.begins(bytes) { return .jsonl }
    if row.fields.count == 12, row.fields.allSatisfy({ row.isNumber($0) }) { return .kitti }
    if row.fields.count >= 4, row.fields.allSatisfy({ row.isNumber($0) }) { return .tum }
    row = HeaderlessRow(bytes)
    guard row.next(separatedBy: .commas), row.fields.count >= 4,
      row.fields.prefix(4).allSatisfy({ row.isNumber($0) }),
      bytes[row.fields[0]].allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
    else { return .csv }
    return .euroc
  }
}
