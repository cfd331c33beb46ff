import Fathom

/// A summary of a recording's content: layout, links, rates, gaps, repeated values, rejected rows,
/// and what contradicts what.
///
/// This is the data of `fathom inspect`. It encodes to JSON with units in the keys.
public struct RecordingInspection: Sendable, Equatable, Codable {
  /// A column of the ranges file.
  public struct Column: Sendable, Equatable, Codable {
    /// Name in the file.
    public var name: String
    /// Fathom's name of the recognised column; nil when the column is ignored.
    public var meaning: String?
    /// Unit of its numbers; nil when it has none.
    public var unit: String?
  }

  /// A reason for which rows were rejected.
  public struct Reason: Sendable, Equatable, Codable {
    /// Problem, without the rows' text.
    public var reason: String
    /// Number of rows.
    public var rows: Int
    /// Line of the first row.
    public var firstLine: Int

    enum CodingKeys: String, CodingKey {
      case reason, rows
      case firstLine = "first_line"
    }
  }

  /// The ranges between a tag and an anchor, in order of time.
  public struct Link: Sendable, Equatable, Codable {
    /// Name of the tag.
    public var tag: String
    /// Name of the anchor or accessory.
    public var anchor: String
    /// Number of ranges.
    public var ranges: Int
    /// Reciprocal of the median interval between different instants, in hertz; nil below two
    /// instants.
    public var medianRate: Double?
    /// Longest interval between two ranges, in seconds; nil below two ranges.
    public var longestGap: Double?
    /// Fraction of steps between successive instants at which the distance stays exactly the same,
    /// as when a device repeats its last value; nil below two instants.
    public var heldShare: Double?
    /// Ranges with the time and distance of an earlier row.
    public var exactDuplicates: Int
    /// Least distance, in metres.
    public var leastDistance: Double
    /// Median distance, in metres.
    public var medianDistance: Double
    /// Greatest distance, in metres.
    public var greatestDistance: Double

    enum CodingKeys: String, CodingKey {
      case tag, anchor, ranges
      case medianRate = "median_rate_hz"
      case longestGap = "longest_gap_s"
      case heldShare = "held_share"
      case exactDuplicates = "exact_duplicates"
      case leastDistance = "least_distance_m"
      case medianDistance = "median_distance_m"
      case greatestDistance = "greatest_distance_m"
    }
  }

  /// Name of the recording.
  public var name: String
  /// Path of the ranges file as given.
  public var path: String
  /// Size of the ranges file as stored, in bytes.
  public var bytes: Int
  /// Format, as recognised or requested.
  public var format: LogFormat
  /// Why the format was recognised.
  public var formatReason: String
  /// Delimiter of fields.
  public var delimiter: Delimiter
  /// Decimal separator.
  public var decimalSeparator: DecimalSeparator
  /// Columns, in the order of the file.
  public var columns: [Column]
  /// Data rows read.
  public var rowsRead: Int
  /// Number of usable ranges.
  public var ranges: Int
  /// Number of usable time differences; nil for a recording with ranges.
  public var differences: Int?
  /// Number of usable ranges between tags; nil without any.
  public var tagRanges: Int?
  /// Number of events.
  public var events: Int
  /// Rejected rows by reason, the most frequent reason first.
  public var rejected: [Reason]
  /// Names of the tags.
  public var tags: [String]
  /// Names of the declared anchors.
  public var declaredAnchors: [String]
  /// Least and greatest distance between two declared anchors, in metres; nil below two anchors.
  public var anchorDistances: [Double]?
  /// Links, in the order in which the names first appear.
  public var links: [Link]
  /// Time of the earliest range, in seconds from the recording's origin; nil without ranges.
  public var firstTime: Double?
  /// Time of the latest range, in seconds from the recording's origin; nil without ranges.
  public var lastTime: Double?
  /// Ranges that are earlier than a range before them in the file.
  public var outOfOrder: Int
  /// What contradicts what.
  public var diagnoses: [Diagnosis]
  /// Notes from reading.
  public var notes: [String]
  /// Remarks in `recording.json`.
  public var remarks: String?

  enum CodingKeys: String, CodingKey {
    case name, path, bytes, format, delimiter, columns, ranges, events, rejected, tags, links, notes
    case remarks, diagnoses, differences
    case tagRanges = "tag_ranges"
    case formatReason = "format_reason"
    case decimalSeparator = "decimal_separator"
    case rowsRead = "rows_read"
    case declaredAnchors = "declared_anchors"
    case anchorDistances = "anchor_distances_m"
    case firstTime = "first_time_s"
    case lastTime = "last_time_s"
    case outOfOrder = "out_of_order"
  }

  /// Reads and inspects the recording at `path`.
  ///
  /// The cost is that of reading and of sorting the intervals of every link.
  ///
  /// - Parameters:
  ///   - path: path of a folder or a ranges file, or `-` for standard input.
  ///   - anchors: path of an anchors file that replaces the folder's own.
  ///   - options: column names, units and separators that override the header.
  /// - Throws: The errors of
  ///   ``RecordingReader/read(_:anchors:options:threads:findsAnchors:acceptsUnsurveyed:)``.
  public init(
    path: String, anchors: String? = nil, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) {
    let (recording, layout) = try RecordingReader.readWithLayout(
      path, anchors: anchors, options: options)
    self.init(recording, layout, options)
  }

  init(_ recording: Recording, _ layout: RangesLayout, _ options: RecordingOptions) {
    name = recording.name
    path = recording.sources.first?.path ?? ""
    bytes = recording.sources.first?.bytes ?? 0
    format = layout.format
    formatReason = layout.reason
    delimiter = layout.delimiter
    decimalSeparator = layout.decimalSeparator
    differences = recording.sensors.onlyDifferences?.count
    columns =
      recording.sensors.onlyDifferences?.columns.map {
        Column(name: $0.name, meaning: $0.meaning, unit: $0.unit)
      } ?? layout.header.names.indices.map { Self.column($0, layout) }
    rowsRead = recording.rowsRead
    ranges = recording.ranges.count
    events = recording.events.count
    rejected = Self.reasons(recording.rejected.reasons)
    tags = recording.tagNames
    declaredAnchors = Array(recording.anchorNames.prefix(recording.anchors.count))
    var outline = RecordingOutline(recording)
    var settings = ProcessingSettings()
    settings.method = .fix
    let timeline = Timeline(recording)
    settings = settings.completed(for: recording, timeline: timeline)
    outline.diagnose(recording.rangeSample(timeline), settings)
    let errors = recording.rangeErrors(settings, timeline: timeline, of: outline)
    diagnoses = (outline.diagnoses + (errors.map(Diagnosis.commonErrors) ?? [])).inOrder
    firstTime = outline.first?.seconds
    lastTime = outline.last?.seconds
    outOfOrder = outline.outOfOrder
    links = Self.links(recording)
    anchorDistances = Self.anchorDistances(recording.anchors)
    tagRanges = recording.tagRanges.count > 0 ? recording.tagRanges.count : nil
    notes = recording.notes + recording.warnings
    if let tagRanges {
      let named = Set(recording.tagRanges.other).sorted().map { recording.tagNames[Int($0)] }
      notes.append(
        "\(tagRanges == 1 ? "1 range is" : "\(tagRanges) ranges are") between tags: the column anchor names"
          + " \(Excerpt.list(named))")
    }
    remarks = recording.remarks
  }

  private static func column(_ field: Int, _ layout: RangesLayout) -> Column {
    if let column = layout.anchorColumns.first(where: { $0.field == field }) {
      return Column(
        name: layout.header.names[field], meaning: "distance to \(column.anchor)",
        unit: (column.unit ?? layout.distanceUnit).rawValue)
    }
    let found = RangeField.allCases.first { layout[$0]?.field == field }
    return Column(
      name: layout.header.names[field], meaning: found?.name,
      unit: found.flatMap { layout.unit(of: $0) })
  }

  /// Returns the reasons, the most frequent first.
  static func reasons(_ found: [RejectedRows.Reason]) -> [Reason] {
    found.map { Reason(reason: $0.reason, rows: $0.rows, firstLine: $0.firstLine) }
      .sorted { $0.rows == $1.rows ? $0.firstLine < $1.firstLine : $0.rows > $1.rows }
  }

  /// Returns the least and the greatest distance between two of `anchors`.
  static func anchorDistances(_ anchors: [Anchor]) -> [Double]? {
    // All pairs of very many anchors would take minutes.
    let anchors = anchors.prefix(2000)
    var (least, greatest) = (Double.infinity, 0.0)
    for (index, first) in anchors.enumerated() {
      for second in anchors[(index + 1)...] {
        let distance = (first.position - second.position).length
        (least, greatest) = (min(least, distance), max(greatest, distance))
      }
    }
    return least.isFinite ? [least, greatest] : nil
  }

  private static func links(_ recording: Recording) -> [Link] {
    struct Key: Hashable {
      var tag: Int32
      var anchor: Int32
    }
    let ranges = recording.ranges
    var measures: [Key: LinkMeasure] = [:]
    let order = ranges.orderByTime()
    for step in 0..<ranges.count {
      let index = order?[step] ?? step
      measures[Key(tag: ranges.tag[index], anchor: ranges.anchor[index]), default: .init()]
        .add(ranges.time[index], ranges.distance[index])
    }
    let keys = measures.keys.sorted { ($0.tag, $0.anchor) < ($1.tag, $1.anchor) }
    return keys.compactMap { key in
      measures[key]?.link(
        tag: recording.tagNames[Int(key.tag)], anchor: recording.anchorNames[Int(key.anchor)])
    }
  }
}

/// Statistics of one link, accumulated range by range in order of time.
private struct LinkMeasure {
  private var count = 0
  private var last: (time: Timestamp, distance: Double)?
  private var intervals: [Double] = []
  private var distances: [Double] = []
  private var held = 0
  private var duplicates = 0
  /// Distances at the time of the last range.
  private var atInstant: Set<Double> = []

  mutating func add(_ time: Timestamp, _ distance: Double) {
    count += 1
    distances.append(distance)
    if let last, last.time == time {
      if !atInstant.insert(distance).inserted { duplicates += 1 }
    } else {
      if let last {
        intervals.append(time.seconds(since: last.time))
        if last.distance == distance { held += 1 }
      }
      atInstant.removeAll(keepingCapacity: true)
      atInstant.insert(distance)
    }
    last = (time, distance)
  }

  func link(tag: String, anchor: String) -> RecordingInspection.Link {
    let sorted = intervals.sorted()
    let median = Self.median(sorted)
    let distances = distances.sorted()
    return RecordingInspection.Link(
      tag: tag, anchor: anchor, ranges: count, medianRate: median.map { 1 / $0 },
      longestGap: sorted.last ?? (count > 1 ? 0 : nil),
      heldShare: sorted.isEmpty ? nil : Double(held) / Double(sorted.count),
      exactDuplicates: duplicates, leastDistance: distances.first ?? .nan,
      medianDistance: Self.median(distances) ?? .nan, greatestDistance: distances.last ?? .nan)
  }

  fileprivate static func median(_ sorted: [Double]) -> Double? {
    let half = sorted.count / 2
    if sorted.isEmpty { return nil }
    return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }
}

extension Recording {
  /// The number of time differences of a recording that has no ranges; nil with ranges.
  package var timeDifferenceCount: Int? { sensors.onlyDifferences?.count }

  /// Reports on the inertial sensor of each tag, by name; the name is empty for a file without tags.
  package var inertialReports: [(tag: String, report: InertialSensorReport)] {
    sensors.inertial.sorted { $0.key < $1.key }.map { ($0.key, InertialSensorReport($0.value)) }
  }
}
