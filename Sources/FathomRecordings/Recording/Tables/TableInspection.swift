import Fathom

/// A summary of a file that is not one of ranges: anchors, truth, positions, or a table beside them.
///
/// This is what `fathom inspect` shows of such a file. It encodes to JSON with units in the keys.
package struct TableInspection: Sendable, Equatable, Codable {
  /// What a file is.
  package enum Kind: String, Sendable, Codable {
    case anchors, truth, positions, heights, odometry, imu, poses

    /// The words for the user.
    package var title: String {
      switch self {
      case .anchors: "positions of anchors"
      case .truth: "true positions"
      case .positions: "estimated positions"
      case .heights: "measured heights"
      case .odometry: "odometry"
      case .imu: "inertial measurements"
      case .poses: "poses of the measuring device"
      }
    }
  }

  /// A column and what its numbers span.
  package struct Column: Sendable, Equatable, Codable {
    /// Name in the file.
    package var name: String
    /// Fathom's name of the recognised column; nil when the column is ignored.
    package var meaning: String?
    /// Unit of its numbers; nil when it has none.
    package var unit: String?
    /// Least and greatest number, in that unit; nil without numbers.
    package var least: Double?
    package var greatest: Double?
  }

  package var path: String
  /// What the file is.
  package var kind: Kind
  /// Layout of the text: csv, json, or that of a trajectory such as tum.
  package var format: String
  /// Columns in the order of the file; the coordinates of a file without header.
  package var columns: [Column] = []
  /// Data rows read.
  package var rowsRead = 0
  /// Rejected rows by reason, the most frequent reason first.
  package var rejected: [RecordingInspection.Reason] = []
  /// Names of the anchors.
  package var anchors: [String] = []
  /// Least and greatest distance between two anchors, in metres; nil below two anchors.
  package var anchorDistances: [Double]?
  /// Names of the tags; empty if the file names none.
  package var tags: [String] = []
  /// Time of the earliest and the latest row, in seconds; nil without times.
  package var firstTime: Double?
  package var lastTime: Double?
  /// Notes from reading.
  package var notes: [String] = []

  enum CodingKeys: String, CodingKey {
    case path, kind, format, columns, rejected, anchors, tags, notes
    case rowsRead = "rows_read"
    case anchorDistances = "anchor_distances_m"
    case firstTime = "first_time_s"
    case lastTime = "last_time_s"
  }

  /// Reads and inspects the file at `path`; nil if neither the name nor the first row is that of such a
  /// file.
  ///
  /// - Parameters:
  ///   - path: path of a file.
  ///   - options: column names, units and separators that override the header.
  /// - Throws: ``RecordingError`` if it is and cannot be read.
  package init?(
    path: String, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) {
    guard path != "-", FoundFile.isRegular(path), !ArchivedPath.isFolder(path) else { return nil }
    let source = try ByteSource(path: path)
    let kind = Self.kind(of: source, options)
    let isTrajectory = kind == nil && Self.isTrajectory(source)
    guard kind != nil || isTrajectory else { return nil }
    self.path = path
    self.kind = kind ?? .truth
    format = JSONObjects.begins(source.bytes) ? "json" : "csv"
    switch self.kind {
    case .anchors: try readAnchors(source, options)
    case .truth, .positions: try readPositions(source, options)
    case .heights, .odometry, .imu, .poses: try readColumns(source, options)
    }
  }

  // MARK: Recognition

  /// Returns the kind of the file at `path`; nil for ranges, for another file, and if it cannot be read.
  package static func kind(ofFileAt path: String) -> Kind? {
    guard path != "-", FoundFile.isRegular(path), let source = try? ByteSource(path: path) else {
      return nil
    }
    return kind(of: source, RecordingOptions())
  }

  /// Whether the first row of the file at `path` names the columns of ranges.
  package static func hasRanges(_ path: String) -> Bool {
    guard path != "-", FoundFile.isRegular(path), let source = try? ByteSource(path: path) else {
      return false
    }
    let sample = RowSample(
      Array(source.bytes.prefix(RowSample.headCount)), delimiter: nil, columns: [:])
    return TableKind.of(keys: sample.firstCells, renames: [:]) == .ranges
  }

  /// Returns the kind of the file by its name in a recording, or by the names of its columns.
  private static func kind(of source: ByteSource, _ options: RecordingOptions) -> Kind? {
    if let table = TableKind.allCases.first(where: { $0.fileNames.contains(source.name) }) {
      return Kind(rawValue: table.rawValue)
    }
    let sample = RowSample(
      Array(source.bytes.prefix(RowSample.headCount)), delimiter: options.delimiter, columns: [:])
    let names = sample.firstCells
    guard names.count > 2, let table = TableKind.of(keys: names, renames: [:]) else {
      return AnchorsReader.names(ofFirst: names) != nil && isAnchors(source, options)
        ? .anchors : nil
    }
    // Only estimates have covariances.
    if table == .truth, names.contains("sxx") || names.contains("status") { return .positions }
    return Kind(rawValue: table.rawValue)
  }

  private static func isAnchors(_ source: ByteSource, _ options: RecordingOptions) -> Bool {
    (try? AnchorsReader.read(source, options: options)) != nil
  }

  private static func isTrajectory(_ source: ByteSource) -> Bool {
    let format = TrajectoryReader.format(of: source.bytes)
    guard format != .csv, format != .kitti, let read = try? TrajectoryReader.read(source) else {
      return false
    }
    return 2 * read.rejected.total < read.rowsRead
  }

  // MARK: Content

  private mutating func readAnchors(
    _ source: ByteSource, _ options: RecordingOptions
  ) throws(RecordingError) {
    let declared = try AnchorsReader.read(source, options: options, acceptsUnsurveyed: true)
    anchors = declared.names
    rowsRead = anchors.count
    notes = declared.notes
    let unknown = Set(declared.unsurveyed.map(\.index))
    let known = declared.anchors.indices.filter { !unknown.contains($0) }
    anchorDistances = RecordingInspection.anchorDistances(known.map { declared.anchors[$0] })
    if !unknown.isEmpty {
      notes.append(
        "without a position: \(Excerpt.list(unknown.sorted().map { declared.names[$0] })); fathom"
          + " calibrate --survey can find it")
    }
    if declared.isPlanar { notes.append("no heights: the anchors are in the plane z = 0") }
    try readColumns(AnchorsText.rows(of: source), options, keepsCounts: false)
  }

  private mutating func readPositions(
    _ source: ByteSource, _ options: RecordingOptions
  ) throws(RecordingError) {
    let read = try TrajectoryReader.read(source, options: options)
    format = read.format == .jsonl ? "json" : read.format.rawValue
    rowsRead = read.rowsRead
    rejected = RecordingInspection.reasons(read.rejected.reasons)
    tags = read.tracks.keys.filter { !$0.isEmpty }.sorted()
    notes = read.notes
    let times = read.tracks.values.flatMap(\.times)
    (firstTime, lastTime) = (times.min()?.seconds, times.max()?.seconds)
    if read.format == .csv {
      let kept = notes
      try readColumns(source, options, keepsCounts: false)
      notes = kept
      return
    }
    columns = ["x", "y", "z"].enumerated().map { axis, name in
      let values = read.tracks.values.flatMap(\.positions).map { $0[axis] }.filter(\.isFinite)
      return Column(
        name: name, meaning: name, unit: "m", least: values.min(), greatest: values.max())
    }
  }

  /// Reads the columns and what their numbers span.
  ///
  /// - Parameters:
  ///   - source: the text.
  ///   - options: names of columns, units and separators.
  ///   - keepsCounts: whether rows, rejected rows, tags and times are those found here.
  /// - Throws: ``RecordingError`` as for a header.
  private mutating func readColumns(
    _ source: ByteSource, _ options: RecordingOptions, keepsCounts: Bool = true
  ) throws(RecordingError) {
    guard let table = TableKind(rawValue: kind == .positions ? "truth" : kind.rawValue) else {
      return
    }
    // What is missing is an error of the table's own reader.
    let known = table.columns.map {
      ColumnName($0.name, $0.stems, $0.quantity, isRequired: false, guesses: $0.guesses)
    }
    var rows = try NumericTable(source, table, columns: known, options: options) {
      table == .anchors ? AnchorsReader.names(ofFirst: $0) : nil
    }
    var spans = [ClosedRange<Double>?](repeating: nil, count: known.count)
    let time = known.firstIndex { $0.quantity == .time }
    let tag = known.firstIndex { $0.name == "tag" }
    var (count, faults, names) = (0, RejectedRows(), Set<String>())
    var times: ClosedRange<Double>?
    var days = DayCounter()
    while rows.next() {
      count += 1
      let row = rows.row
      do throws(RowFault) {
        try row.check()
        if let time, rows.header.matches[time] != nil {
          let seconds = try row.time(time, &days).seconds
          times = Self.widened(times, by: seconds)
        }
        if let tag, !row.text(tag).isEmpty { names.insert(row.text(tag)) }
        for place in known.indices
        where place != time && place != tag && known[place].name != "id" {
          // An angle in degrees and minutes is no number.
          guard let value = try? row.optionalNumber(place) else { continue }
          spans[place] = Self.widened(spans[place], by: value)
        }
      } catch {
        faults.append(rows.rejected(error))
      }
    }
    columns = rows.header.names.indices.map { field in
      let place = known.indices.first { rows.header.matches[$0]?.field == field }
      let column = place.map { known[$0] }
      return Column(
        name: rows.header.names[field], meaning: column?.name,
        unit: column.flatMap { known in
          rows.header.matches[place ?? 0]?.unit ?? known.usualUnit
        },
        least: place.flatMap { spans[$0]?.lowerBound },
        greatest: place.flatMap { spans[$0]?.upperBound })
    }
    if keepsCounts {
      (rowsRead, tags, notes) = (count, names.sorted(), rows.notes)
      rejected = RecordingInspection.reasons(faults.reasons)
      (firstTime, lastTime) = (times?.lowerBound, times?.upperBound)
    }
  }

  private static func widened(
    _ range: ClosedRange<Double>?, by value: Double
  ) -> ClosedRange<Double> {
    guard let range else { return value...value }
    return min(range.lowerBound, value)...max(range.upperBound, value)
  }
}

extension ColumnName {
  /// The unit of numbers under a name without one; nil for a column without units.
  fileprivate var usualUnit: String? {
    if let unit = unit(of: name) { return unit }
    return switch quantity {
    case .time: "s"
    case .length: "m"
    case .angle: "rad"
    default: nil
    }
  }
}
