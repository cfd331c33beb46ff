import Fathom

extension Recording {
  /// Returns the recording with a table in memory beside its ranges, read as the file of that name.
  ///
  /// Time differences without any range are the recording, as `tdoa.csv` alone.
  ///
  /// `name` is `heights`, `odometry`, `imu`, `tdoa` or `poses`. The table is in CSV or JSON,
  /// compressed or not, and replaces the recording's own; the ranges are shared. Throws for another
  /// name, for a table that the reader of the file would refuse, and for one that needs anchors
  /// where there are none.
  package func with(table name: String, _ text: [UInt8]) throws(RecordingError) -> Recording {
    func fail(_ reason: String) -> RecordingError {
      .badData(path: name, line: nil, reason: reason)
    }
    let kinds: [TableKind] = [.heights, .odometry, .inertial, .differences, .poses]
    guard let kind = TableKind(rawValue: name), kinds.contains(kind) else {
      let known = kinds.map(\.rawValue).joined(separator: ", ")
      throw fail("there is no such table beside ranges: it is one of \(known)")
    }
    guard kind == .poses || !anchors.isEmpty else {
      throw fail("the table needs anchors: without them there is no track")
    }
    var recording = self
    let source = try ByteSource(path: kind.fileName, stored: text)
    switch kind {
    case .differences:
      recording.sensors.removeDifferences()
      let declared = Array(anchorNames.prefix(anchors.count))
      try recording.readDifferences(
        source, RecordingOptions(), declared: declared, hasRanges: rowsRead > 0)
      if let found = recording.sensors.onlyDifferences {
        (recording.rowsRead, recording.rejected) = (found.rowsRead, found.rejected)
      }
    default:
      try recording.readSensor(kind, source)
      if kind == .poses, !anchors.isEmpty { recording.sensors.poses = recording.poses }
    }
    return recording
  }
}
