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
  package init?(
    path: String, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) {
    guard let head = Self.head(path) else { return nil }
    let kind = Self.kind(of: head, at: path, options)
    guard kind != nil || Self.canBeTrajectory(head) else { return nil }
    let source = try ByteSource(path: path)
    if kind == nil {
      // Numbers can be anything: most rows must fit.
      guard let read = try? TrajectoryReader.read(source), 2 * read.rejected.total < read.rowsRead
      else { return nil }
    }
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

  /// Returns the kind of the file at `path`, by its beginning; nil for ranges, for another file, and if it
  /// cannot be read.
  package static func kind(ofFileAt path: String) -> Kind? {
    head(path).flatMap { kind(of: $0, at: path, RecordingOptions()) }
  }

  /// Whether the first row of the file at `path` names the columns of ranges.
  package static func hasRanges(_ path: String) -> Bool {
    guard let head = head(path) else { return false }
    let sample = RowSample(head, delimiter: nil, columns: [:])
    return TableKind.of(keys: sample.firstCells, renames: [:]) == .ranges
  }

  /// Returns the beginning of a regular file, decompressed; nil if it cannot be read.
  ///
  /// Files can be larger than memory, and a refusal must come at once.
  private static func head(_ path: String) -> [UInt8]? {
    guard path != "-", FoundFile.isRegular(path), !ArchivedPath.isFolder(path),
      let input = try? StoredInput(path: path)
    else { return nil }
    return try? RecognisedFormat.head(of: input)
  }

  /// Returns the kind of a file that begins with `head`, by its name in a recording or by the names of its
  /// columns.
  private static func kind(
    of head: [UInt8], at path: String, _ options: RecordingOptions
  ) -> Kind? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if let table = TableKind.allCases.first(where: { $0.fileNames.contains(name) }) {
      return Kind(rawValue: table.rawValue)
    }
    let names = RowSample(head, delimiter: options.delimiter, columns: [:]).firstCells
    guard names.count > 2, let table = TableKind.of(keys: names, renames: [:]) else {
      guard AnchorsReader.names(ofFirst: names) != nil else { return nil }
      return (try? AnchorsReader.read(path, options: options)) != nil ? .anchors : nil
    }
    // Only estimates have covariances.
    if table == .truth, names.contains("sxx") || names.contains("status") { return .positions }
    return Kind(rawValue: table.rawValue)
  }

  /// Whether a file that begins with `head` can be a trajectory without a header.
  private static func canBeTrajectory(_ head: [UInt8]) -> Bool {
    let format = TrajectoryReader.format(of: head)
    return format != .csv && format != .kitti
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
  /// With `keepsCounts`, rows, rejected rows, tags and times are those found here.
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
