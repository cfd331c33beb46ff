import Fathom

/// Heights, odometry and inertial data of a recording, beside its ranges.
struct RecordedSensors: Sendable, Equatable {
  /// Heights by tag; the name is empty for a file without the column `tag`.
  var heights: [String: [HeightMeasurement]] = [:]
  /// Increments of odometry by tag, as for ``heights``.
  var odometry: [String: [OdometryIncrement]] = [:]
  /// Inertial data by tag, as for ``heights``.
  var inertial: [String: [InertialMeasurement]] = [:]
  /// Time differences by tag, in order of time; see ``setDifferences(_:)``.
  private(set) var differences: [String: [TimedDifference]] = [:]
  /// The file of differences if there are no ranges; it takes the place of that of the ranges.
  var onlyDifferences: DifferencesFile?
  /// Poses of the device with positions in a frame of its own: the odometry and heights of the only tag
  /// if there are no others.
  var poses: [TimedPose] = [] {
    didSet { motion = PoseMotion(poses) }
  }
  private var motion = PoseMotion()
  /// Whether the odometry among the measurements of a stream is that of poses, and the heights are.
  var streamsPoses = false
  var streamsPoseHeights = false
  /// The factors that turns may have: which way is positive, and what the distance between the wheels
  /// means.
  var turnFactors = [1.0, -1.0]

  /// Whether there is nothing.
  var isEmpty: Bool {
    heights.isEmpty && odometry.isEmpty && differences.isEmpty && inertial.isEmpty
      && poses.isEmpty
  }

  /// Whether poses take the place of odometry.
  var usesPoses: Bool { !motion.odometry.isEmpty && odometry.isEmpty }

  /// Returns the readings of the tag called `name`.
  ///
  /// Those without a name belong to the only tag.
  func readings(of name: String, isOnlyTag: Bool) -> SensorReadings {
    func rows<Row>(_ tags: [String: [Row]]) -> [Row] {
      tags[name] ?? (isOnlyTag ? tags[""] : nil) ?? []
    }
    return SensorReadings(
      heights: rows(heights), odometry: rows(odometry), differences: rows(differences),
      inertial: rows(inertial))
  }

  /// Adds the motion of the poses to the readings of the only tag.
  ///
  /// With `takesHeights`, heights are unknown otherwise. Returns whether the heights are those of
  /// the poses.
  func addPoses(to readings: inout SensorReadings, takesHeights: Bool) -> Bool {
    guard usesPoses else { return false }
    readings.odometry = motion.odometry
    guard takesHeights, heights.isEmpty else { return false }
    readings.heights = motion.heights
    return true
  }

  /// The last pose of the motion.
  var lastPose: TimedPose? { motion.last }

  /// Removes all time differences.
  mutating func removeDifferences() { (differences, onlyDifferences) = ([:], nil) }

  /// Sets the time differences to those of a file.
  mutating func setDifferences(_ file: RecordedDifferences) {
    for row in file.rows.sortedByTime(\.time) {
      differences[file.tagNames[row.tag], default: []].append(
        TimedDifference(
          time: row.time, first: row.first, second: row.second, difference: row.difference))
    }
    for tag in differences.keys { differences[tag]?.turnToReferences() }
  }

  /// Returns warnings about rows that belong to none of the tags called `names`.
  func warnings(tags names: [String]) -> [String] {
    var warnings: [String] = []
    for (file, tags) in [
      ("heights.csv", heights.mapValues(\.count)), ("odometry.csv", odometry.mapValues(\.count)),
      ("imu.csv", inertial.mapValues(\.count)), ("tdoa.csv", differences.mapValues(\.count)),
    ] {
      if let count = tags[""], names.count > 1 {
        warnings.append(
          "\(file) is not used: it names no tag, and the recording has several (\(count) rows); add a"
            + " column tag")
      }
      let unknown = tags.keys.filter { !$0.isEmpty && !names.contains($0) }.sorted()
      if !unknown.isEmpty {
        warnings.append(
          "\(file): rows of \(Excerpt.list(unknown)) are not used, because the ranges have no such tag;"
            + " found \(Excerpt.list(names))")
      }
    }
    return warnings
  }
}

/// A column of a file: its name there, Fathom's name of it, and its unit.
struct FileColumn: Sendable, Equatable {
  var name: String
  var meaning: String?
  var unit: String?
}

/// What is known of a recording without ranges from its file of time differences.
struct DifferencesFile: Sendable, Equatable {
  var source: SourceFile
  /// Names of the tags, in the order of the file.
  var tagNames: [String]
  var rowsRead: Int
  /// Number of usable rows.
  var count: Int
  var rejected: RejectedRows
  var packedRejected: PackedRejectedRows
  var columns: [FileColumn]

  init(_ file: RecordedDifferences, _ source: SourceFile) {
    self.source = source
    (tagNames, rowsRead, count) = (file.tagNames, file.rowsRead, file.rows.count)
    (rejected, packedRejected, columns) = (file.rejected, file.packedRejected, file.columns)
  }
}

extension RecordedDifferences {
  /// A note for a recording that has ranges, too.
  var note: String {
    ["tdoa.csv: \(rows.count) time differences", rejected.note].compactMap { $0 }
      .joined(separator: "; ")
  }
}

/// The usable rows of a sensor file by tag, and the others.
struct SensorRows<Row: Sendable>: Sendable {
  private(set) var rows: [String: [Row]] = [:]
  private(set) var rejected = RejectedRows()
  private var rowsRead = 0
  /// Notes on the table.
  private let tableNotes: [String]

  /// Reads the rows of `table`: calls `parse` for each, which returns the tag and the row; nil for
  /// a row that only begins a series.
  init(
    _ table: inout NumericTable,
    _ parse: (NumericRow) throws(RowFault) -> (tag: String, row: Row)?
  ) {
    tableNotes = table.notes
    while table.next() {
      rowsRead += 1
      let row = table.row
      do throws(RowFault) {
        try row.check()
        guard let found = try parse(row) else { continue }
        rows[found.tag, default: []].append(found.row)
      } catch {
        rejected.append(table.rejected(error))
      }
    }
  }

  /// Throws if there are rows but none can be used.
  func requireUsable(_ path: String) throws(RecordingError) {
    if let error = rejected.unusable(path, rowsRead: rowsRead, used: rows.count) { throw error }
  }

  /// Returns a note on what was read and rejected.
  func note(_ name: String, _ what: String) -> String {
    let count = rows.values.reduce(0) { $0 + $1.count }
    return (["\(name): \(count) \(what)", rejected.note].compactMap { $0 } + tableNotes)
      .joined(separator: "; ")
  }
}
