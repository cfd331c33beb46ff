import Fathom

/// A reader of `truth.csv`: `time_s,x,y[,z]` and optionally `tag`.
public enum TruthReader {
  /// Reads the truth of the recording in `folder`, with the offsets in its `recording.json`; a single file of
  /// mixed kinds can have truth, too.
  ///
  /// - Returns: The truth; nil when the folder has no file of truth, nor truth in a ranges file of mixed
  ///   kinds.
  /// - Throws: ``RecordingError`` when a file cannot be read, the header lacks a column, or
  ///   `recording.json` is invalid.
  public static func read(
    folder: String, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> Truth? {
    let info = try RecordingInfo(folder: folder) ?? RecordingInfo()
    if let path = try FoundFile.first(of: table.fileNames, in: folder) {
      return try read(path, info: info, options: options)
    }
    // A file of mixed kinds can have truth, too.
    let folder = try ArchivedPath.recording(at: folder)
    let ranges =
      FoundFile.isRegular(folder) && !FoundFile.isFolderOrArchive(folder)
      ? folder : try FoundFile.first(of: TableKind.ranges.fileNames, in: folder)
    guard let path = ranges, !path.hasSuffix(".csv"), !path.hasSuffix(".csv.gz"),
      let source = try JSONTables(rangesAt: path)?.source(table)
    else { return nil }
    return try read(source, info: info, options: options)
  }

  /// Reads the truth file at `path`, which may be compressed.
  ///
  /// ## Edge cases
  /// Invalid rows are in ``Truth/rejected``. A file without rows has no tracks. Without the column z,
  /// z is the height of the tags in `info`, or 0.
  ///
  /// - Parameters:
  ///   - path: path of the file.
  ///   - info: metadata of the recording, with offsets to add to the time stamps and positions.
  ///   - options: names of columns, and the decimal separator.
  /// - Returns: Tracks of the tags, and rejected rows.
  /// - Throws: ``RecordingError`` when the file cannot be read or its header lacks a column.
  public static func read(
    _ path: String, info: RecordingInfo = RecordingInfo(),
    options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> Truth {
    try read(ByteSource(path: path), info: info, options: options)
  }

  static let table = TableKind.truth

  static func read(
    _ source: ByteSource, info: RecordingInfo, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> Truth {
    var rows = try NumericTable(source, table, options: options)
    let header = rows.header
    let shift = info.truthOffset
    let offset: Vector<3> = Vector([shift[0], shift[1], shift[2]])
    var truth = Truth()
    truth.isPlanar = header.matches[3] == nil
    var samples: [String: (times: [Timestamp], positions: [Vector<3>])] = [:]
    var days = DayCounter()
    truth.notes = rows.notes
    while rows.next() {
      let row = rows.row
      do throws(RowFault) {
        try row.check()
        let time = try row.time(0, &days).advanced(bySeconds: info.truthTimeOffset)
        let position: Vector<3> = Vector([
          try row.coordinate(1), try row.coordinate(2),
          truth.isPlanar ? info.facts.heightM ?? 0 : try row.coordinate(3),
        ])
        let tag = row.text(4)
        samples[tag, default: ([], [])].times.append(time)
        samples[tag, default: ([], [])].positions.append(position + offset)
      } catch {
        truth.rejected.append(rows.rejected(error))
      }
    }
    truth.tracks = samples.mapValues { PositionTrack(times: $0.times, positions: $0.positions) }
    return truth
  }
}
