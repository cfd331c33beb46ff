import Fathom

/// A measurement in a stream that is no range.
struct LiveReading: Sendable {
  /// The name of the tag; empty if the object has no name.
  var tag: String
  /// The number of ranges of the batch that came before.
  var place: Int
  var measurement: TimedMeasurement
  /// Whether it is the motion of the poses of the only tag.
  var isOfPoses = false
}

/// JSON objects that arrive piece by piece, as the rows of CSV that they stand for.
///
/// The columns of a table are those of its first objects, and its usual columns besides, since a later
/// object may have more keys than the first.
struct LiveObjects {
  /// The next objects of one kind.
  enum Run {
    /// Ranges, and objects of no kind, the first below a header.
    case ranges([UInt8])
    /// Measurements of another kind, and the text of their rows.
    case readings([LiveReading], TableKind, [UInt8])
  }

  private let name: String
  private let declared: [String]
  private var transcoder: JSONTranscoder
  /// Text of objects that are not transcoded.
  private var text: [UInt8] = []
  /// Bytes of an incomplete object when it was last scanned.
  private var stalled = 0
  /// Whether an end of an object has come since.
  private var mayEnd = false
  /// Runs that were transcoded but not returned.
  private var waiting: [(kind: TableKind, rows: JSONTable.Rows)] = []
  /// The headers of tables other than ranges, with their lines.
  private var headers: [TableKind: [UInt8]] = [:]
  private var odometry = OdometryReader.Tail()
  private var motion = PoseMotion()
  /// Rows of other tables that were rejected, since they were last removed.
  private var rejected = RejectedRows()
  /// The number of readings, and of objects that a stream does not use, by kind.
  private var counts: [TableKind: Int] = [:]
  private var unused: [TableKind: Int] = [:]

  /// Creates a transcoder of the stream called `name`.
  init(name: String, options: RecordingOptions, declared: [String]) {
    (self.name, self.declared) = (name, declared)
    let rules = JSONPlan.Rules(renames: options.columns, declared: declared)
    transcoder = JSONTranscoder(live: rules, path: name)
  }

  /// The factors that turns of odometry may have.
  var turnFactors: [Double] { odometry.turnFactors }

  /// Whether an object is incomplete.
  var isInside: Bool { text.contains { $0 > 0x20 } }

  /// Adds the next bytes of the stream.
  mutating func append(_ bytes: [UInt8]) {
    text += bytes
    mayEnd = mayEnd || bytes.contains { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "\n") }
  }

  /// Returns the next objects of one kind; nil when more bytes are needed or the stream ends.
  mutating func next(isLast: Bool) -> Run? {
    while true {
      if waiting.isEmpty {
        // An incomplete object is not scanned again for each of its parts.
        if !isLast, !mayEnd, text.count < 2 * stalled { return nil }
        guard let found = transcoder.nextRun(of: text, isLast: isLast) else {
          transcoder.removeBytes(from: &text)
          mayEnd = false
          stalled = text.count > LiveLines.shortRow ? text.count : 0
          return nil
        }
        waiting = found
      }
      let (kind, rows) = waiting.removeFirst()
      switch kind {
      case .ranges: return .ranges(rows.csv)
      case .heights, .odometry, .inertial, .differences, .poses:
        return .readings(readings(kind, rows), kind, rows.csv)
      case .anchors, .truth: unused[kind, default: 0] += rows.count
      }
    }
  }

  /// Removes and returns the rows of other tables that were rejected.
  mutating func removeRejected() -> RejectedRows {
    defer { rejected = RejectedRows() }
    return rejected
  }

  /// Forgets what is kept of the tags called `names`.
  mutating func forget(_ names: [String]) { odometry.forget(names) }

  /// Discards an incomplete object; returns whether there was one.
  mutating func cut() -> Bool {
    defer { text = [] }
    return text.contains { $0 > 0x20 }
  }

  /// Returns the readings in `rows`; those of a table without a header follow others.
  private mutating func readings(_ kind: TableKind, _ rows: JSONTable.Rows) -> [LiveReading] {
    var (csv, lines) = (rows.csv, rows.lines)
    if let header = headers[kind] {
      csv = header + csv
      lines = rows.lines.after(header.count { $0 == UInt8(ascii: "\n") })
    } else {
      var scanner = CSVScanner(csv, delimiter: .comma)
      _ = scanner.next()
      headers[kind] = Array(csv[..<scanner.position])
    }
    let source = ByteSource(
      csv, path: name, storedCount: csv.count, storedHash: ContentHash(), lines: lines)
    do throws(RecordingError) {
      let found = try measurements(kind, source)
      if kind != .poses, !found.isEmpty { counts[kind, default: 0] += found.count }
      return found
    } catch {
      guard case .badData(_, let line, let reason) = error else { return [] }
      rejected.append(
        RejectedRow(line: line ?? 1, column: "", reason: reason, text: Excerpt.text(csv[...])))
      return []
    }
  }

  private mutating func measurements(
    _ kind: TableKind, _ source: ByteSource
  ) throws(RecordingError) -> [LiveReading] {
    func readings<Row>(
      _ rows: [String: [Row]], _ measurement: (Row) -> TimedMeasurement
    ) -> [LiveReading] {
      rows.flatMap { tag, rows in
        rows.map { LiveReading(tag: tag, place: 0, measurement: measurement($0)) }
      }
    }
    switch kind {
    case .heights:
      let table = try HeightsReader.rows(of: source)
      rejected.append(contentsOf: table.rejected)
      return readings(table.rows) { .height($0) }
    case .odometry:
      // Names that never have ranges are not forgotten with their tags.
      if odometry.tagCount > RecordingLimits.mostTags { odometry.forget() }
      let (table, increments) = try OdometryReader.rows(of: source, after: &odometry)
      rejected.append(contentsOf: table.rejected)
      return readings(increments) { .odometry($0) }
    case .inertial:
      let table = try InertialReader.rows(withUnits: source)
      rejected.append(contentsOf: table.rejected)
      return readings(table.rows) { .inertial($0) }
    case .differences:
      let file = try TimeDifferencesReader.read(
        source, declared: declared, options: RecordingOptions(), isPart: true)
      rejected.append(contentsOf: file.rejected)
      return file.rows.map { row in
        LiveReading(
          tag: file.tagNames[row.tag], place: 0,
          measurement: .difference(
            TimedDifference(
              time: row.time, first: row.first, second: row.second, difference: row.difference)))
      }
    case .poses:
      let found = try PosesReader.read(source)
      rejected.append(contentsOf: found.rejected)
      counts[kind, default: 0] += found.poses.count
      for pose in found.poses { motion.append(pose) }
      let moved = motion.removeMotion()
      let odometry = usesPoses.odometry ? moved.odometry.map { TimedMeasurement.odometry($0) } : []
      let heights = usesPoses.heights ? moved.heights.map { TimedMeasurement.height($0) } : []
      return (odometry + heights).map {
        LiveReading(tag: "", place: 0, measurement: $0, isOfPoses: true)
      }
    case .ranges, .anchors, .truth: return []
    }
  }

  /// Whether odometry, and heights, are those of poses: there is no table of their own.
  var usesPoses: (odometry: Bool, heights: Bool) {
    counts[.poses] == nil
      ? (false, false) : (counts[.odometry] == nil, counts[.heights] == nil)
  }

  /// Notes for the user on the objects that are no ranges.
  var notes: [String] {
    func list(_ counts: [TableKind: Int]) -> String {
      TableKind.allCases.filter { counts[$0] != nil }
        .map { "\(counts[$0, default: 0]) of \($0.rawValue)" }.joined(separator: ", ")
    }
    var notes: [String] = []
    if !counts.isEmpty { notes.append("other measurements: \(list(counts))") }
    if !unused.isEmpty {
      notes.append(
        "warning: a stream does not use \(list(unused)): they belong to the folder of its anchors")
    }
    return notes
  }
}
