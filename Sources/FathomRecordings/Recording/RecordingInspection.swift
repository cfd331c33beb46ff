import Fathom

/// What is in a recording: layout, links, rates, gaps, repetitions, rows set aside.
///
/// The data behind `fathom inspect`; encodes to JSON with units in the names of its keys.
public struct RecordingInspection: Sendable, Equatable, Codable {
  /// A column of the ranges file.
  public struct Column: Sendable, Equatable, Codable {
    /// The name in the file.
    public var name: String
    /// Fathom's own name for what it was recognised as; nil where it is ignored.
    public var meaning: String?
    /// The unit that its numbers are read in; nil where it has none.
    public var unit: String?
  }

  /// A reason for which rows were set aside.
  public struct Reason: Sendable, Equatable, Codable {
    /// What was wrong, without the text concerned.
    public var reason: String
    /// How many rows.
    public var rows: Int
    /// Line of the first of them.
    public var firstLine: Int

    enum CodingKeys: String, CodingKey {
      case reason, rows
      case firstLine = "first_line"
    }
  }

  /// The ranges between one tag and one anchor, in order of time.
  public struct Link: Sendable, Equatable, Codable {
    /// Name of the tag.
    public var tag: String
    /// Name of the anchor or accessory.
    public var anchor: String
    /// Number of ranges.
    public var ranges: Int
    /// Reciprocal of the median interval between different instants, hertz; nil below two instants.
    public var medianRate: Double?
    /// Longest interval between two ranges, seconds; nil below two ranges.
    public var longestGap: Double?
    /// Share of the steps from instant to instant on which the distance stayed exactly the same: a
    /// device that repeats its last value; nil below two instants.
    public var heldShare: Double?
    /// Ranges whose instant and distance are those of an earlier row.
    public var exactDuplicates: Int

    enum CodingKeys: String, CodingKey {
      case tag, anchor, ranges
      case medianRate = "median_rate_hz"
      case longestGap = "longest_gap_s"
      case heldShare = "held_share"
      case exactDuplicates = "exact_duplicates"
    }
  }

  /// The recording's name.
  public var name: String
  /// The ranges file as given.
  public var path: String
  /// Its size as stored, bytes.
  public var bytes: Int
  /// The format that was recognised; `csv` is the only one.
  public var format = "csv"
  /// What stands between fields.
  public var delimiter: Delimiter
  /// What stands between whole and fraction.
  public var decimalSeparator: DecimalSeparator
  /// The columns in the order of the file.
  public var columns: [Column]
  /// Rows of data read.
  public var rowsRead: Int
  /// Usable ranges.
  public var ranges: Int
  /// Events.
  public var events: Int
  /// Rows set aside, by reason, the most frequent first.
  public var rejected: [Reason]
  /// Names of the tags.
  public var tags: [String]
  /// Names of the declared anchors.
  public var declaredAnchors: [String]
  /// The links in the order of their names' first appearance.
  public var links: [Link]
  /// The earliest range, seconds from the recording's origin; nil without ranges.
  public var firstTime: Double?
  /// The latest range, seconds from the recording's origin; nil without ranges.
  public var lastTime: Double?
  /// Ranges that are earlier than one before them in the file.
  public var outOfOrder: Int
  /// Remarks from reading.
  public var notes: [String]
  /// What `recording.json` says about the recording in words.
  public var remarks: String?

  enum CodingKeys: String, CodingKey {
    case name, path, bytes, format, delimiter, columns, ranges, events, rejected, tags, links, notes
    case remarks
    case decimalSeparator = "decimal_separator"
    case rowsRead = "rows_read"
    case declaredAnchors = "declared_anchors"
    case firstTime = "first_time_s"
    case lastTime = "last_time_s"
    case outOfOrder = "out_of_order"
  }

  /// Reads and inspects the recording at `path`.
  ///
  /// Cost: that of reading, and of sorting the intervals of every link.
  ///
  /// - Parameters:
  ///   - path: a folder, a ranges file, or `-` for standard input.
  ///   - anchors: an anchors file, instead of the folder's own.
  ///   - options: names, units and separators that differ from what the header says.
  /// - Throws: what ``RecordingReader/read(_:anchors:options:threads:)`` throws.
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
    delimiter = layout.delimiter
    decimalSeparator = options.decimalSeparator
    columns = layout.header.names.indices.map { Self.column($0, layout) }
    rowsRead = recording.rowsRead
    ranges = recording.ranges.count
    events = recording.events.count
    rejected = Self.reasons(recording.rejected)
    tags = recording.tagNames
    declaredAnchors = Array(recording.anchorNames.prefix(recording.anchors.count))
    let outline = RecordingOutline(recording)
    firstTime = outline.first?.seconds
    lastTime = outline.last?.seconds
    outOfOrder = outline.outOfOrder
    links = Self.links(recording)
    notes = recording.notes
    remarks = recording.remarks
  }

  private static func column(_ field: Int, _ layout: RangesLayout) -> Column {
    let found = RangesColumn.allCases.first { layout[$0]?.field == field }
    return Column(
      name: layout.header.names[field], meaning: found.map { RangesColumn.names[$0.rawValue].name },
      unit: found.flatMap { layout.unit(of: $0) })
  }

  /// The rows by what their reasons say before the text concerned.
  private static func reasons(_ rows: [RejectedRow]) -> [Reason] {
    var places: [String: Int] = [:]
    var reasons: [Reason] = []
    for row in rows {
      let key = row.kind
      if let place = places[key] {
        reasons[place].rows += 1
      } else {
        places[key] = reasons.count
        reasons.append(Reason(reason: key, rows: 1, firstLine: row.line))
      }
    }
    return reasons.sorted { $0.rows == $1.rows ? $0.firstLine < $1.firstLine : $0.rows > $1.rows }
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
        .take(ranges.time[index], ranges.distance[index])
    }
    let keys = measures.keys.sorted { ($0.tag, $0.anchor) < ($1.tag, $1.anchor) }
    return keys.compactMap { key in
      measures[key]?.link(
        tag: recording.tagNames[Int(key.tag)], anchor: recording.anchorNames[Int(key.anchor)])
    }
  }
}

/// What is gathered about one link, range by range in order of time.
private struct LinkMeasure {
  private var count = 0
  private var last: (time: Timestamp, distance: Double)?
  private var intervals: [Double] = []
  private var held = 0
  private var duplicates = 0
  /// Distances at the instant of the last range.
  private var atInstant: Set<Double> = []

  mutating func take(_ time: Timestamp, _ distance: Double) {
    count += 1
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
    let half = sorted.count / 2
    let median: Double? =
      sorted.isEmpty
      ? nil : sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
    return RecordingInspection.Link(
      tag: tag, anchor: anchor, ranges: count, medianRate: median.map { 1 / $0 },
      longestGap: sorted.last ?? (count > 1 ? 0 : nil),
      heldShare: sorted.isEmpty ? nil : Double(held) / Double(sorted.count),
      exactDuplicates: duplicates)
  }
}
