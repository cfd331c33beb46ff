import Fathom

/// A layout that trajectories are written in.
public enum TrajectoryFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// CSV with a header, as Fathom writes positions: see ``PositionsReader``.
  case csv
  /// Lines of `timestamp tx ty tz qx qy qz qw`: see ``TUMReader``.
  case tum
  /// CSV of time stamps in nanoseconds without a header proper: see ``EuRoCReader``.
  case euroc
}

/// A file of positions over time, whoever estimated or measured them.
public struct RecordedTrajectory: Sendable, Equatable {
  /// The path as given.
  public var path: String
  /// How it was read.
  public var format: TrajectoryFormat
  /// The tracks by tag; the name is empty where the file names no tag.
  public var tracks: [String: EstimatedTrack] = [:]
  /// Rows of data in the file.
  public var rowsRead = 0
  /// Rows that could not be used, in the order of the file.
  public var rejected: [RejectedRow] = []

  /// The file taken for truth; rows without a position are left out.
  public var truth: Truth {
    let known = tracks.mapValues { track in
      let rows = track.times.indices.filter { track.positions[$0].isFinite }
      return PositionTrack(
        times: rows.map { track.times[$0] }, positions: rows.map { track.positions[$0] })
    }
    return Truth(tracks: known.filter { $0.value.count > 0 }, rejected: rejected)
  }
}

/// Reads trajectories in the layouts that are in use, recognised by their content.
public enum TrajectoryReader {
  /// Reads the trajectory at `path`, which may be compressed; `-` is standard input.
  ///
  /// ## Edge cases
  /// Rows that cannot be used are in ``RecordedTrajectory/rejected``; a file without a usable row is an error.
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

  /// The layout of `bytes`: numbers divided by blanks are TUM, numbers divided by commas that begin with
  /// a whole one are EuRoC, everything else is CSV.
  static func format(of bytes: [UInt8]) -> TrajectoryFormat {
    var row = PlainRow(bytes)
    guard row.next(separatedBy: .blanks) else { return .csv }
    if row.fields.count >= 4, row.fields.allSatisfy({ row.isNumber($0) }) { return .tum }
    row = PlainRow(bytes)
    guard row.next(separatedBy: .commas), row.fields.count >= 4,
      row.fields.prefix(4).allSatisfy({ row.isNumber($0) }),
      bytes[row.fields[0]].allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
    else { return .csv }
    return .euroc
  }
}

/// Puts the rows of a file together to tracks.
struct TrajectoryColumns {
  private var times: [String: [Timestamp]] = [:]
  private var positions: [String: [Vector<3>]] = [:]
  private var covariances: [String: [Matrix<3, 3>]] = [:]

  /// Adds a row; rows have a covariance all or none.
  mutating func append(
    _ time: Timestamp, tag: String = "", _ position: Vector<3>,
    covariance: Matrix<3, 3>? = nil
  ) {
    times[tag, default: []].append(time)
    positions[tag, default: []].append(position)
    if let covariance { covariances[tag, default: []].append(covariance) }
  }

  /// The tracks by tag.
  var tracks: [String: EstimatedTrack] {
    var tracks: [String: EstimatedTrack] = [:]
    for (tag, times) in times {
      tracks[tag] = EstimatedTrack(
        times: times, positions: positions[tag] ?? [], covariances: covariances[tag])
    }
    return tracks
  }
}
