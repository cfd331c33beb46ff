import Fathom

/// The properties of a recording besides its ranges, gathered block by block before processing.
struct RecordingOutline: Sendable {
  var name: String
  var sources: [SourceFile]
  var tagNames: [String] = []
  var anchorNames: [String] = []
  /// Declared anchors, parallel to ``anchorNames``; empty for a recording without anchors.
  var anchors: [Anchor]
  /// What the recording states of the tags.
  var facts: TagFacts
  /// Attitudes of the measuring device; nil without `poses.csv`.
  var attitudes: AttitudeTrack?
  /// Poses of the measuring device with positions in a frame of its own, in order of time.
  var poses: [TimedPose]
  /// Heights and odometry of the tags.
  var sensors: RecordedSensors
  /// Whether rows can have directions.
  private(set) var hasDirections = false
  /// Whether rows can have heights.
  private(set) var hasHeights = false
  var remarks: String?
  var notes: [String]
  /// Problems of the input that a user should look into.
  var warnings: [String]
  /// Whether the anchors have no heights: the problem is in the plane.
  var isPlanar = false
  /// The frame of anchors given by latitude and longitude.
  var plane: LocalPlane?
  /// Data rows read.
  var rowsRead = 0
  /// Number of usable ranges.
  private(set) var rangeCount = 0
  /// Ranges between tags, in the order of the file.
  private(set) var tagRanges = TagRangeColumns()
  /// Events, in order of time.
  private(set) var events: [RecordedEvent] = []
  /// Rejected rows.
  private(set) var rejected = RejectedRows()
  /// Times of the earliest and the latest range.
  private(set) var first: Timestamp?
  private(set) var last: Timestamp?
  /// Time of the latest range of each tag.
  private(set) var ends: [Timestamp?] = []
  /// Time of the last row of each tag in the file.
  private var latest: [Timestamp] = []
  /// Sum over all tags of the time between successive rows, in seconds; gaps count up to
  /// ``RecordingLimits/longestGridCoast``.
  private var spent = 0.0
  /// Ranges that follow a later one in the file.
  private(set) var outOfOrder = 0
  /// Largest lateness of a range relative to any range before it in the file, in nanoseconds.
  private(set) var greatestLateness: Int64 = 0
  /// What contradicts what; empty before ``diagnose(_:_:)``.
  var diagnoses: [Diagnosis] = []
  /// Whether anchors, a height or a unit contradict the ranges, which errors of all ranges imitate.
  var isLayoutWrong = false
  /// The ranges that are not used for positions.
  var excluded = ExcludedRanges()
  /// Decimals of the time stamps, in seconds.
  private(set) var timeDecimals = 0

  /// Creates the outline of `recording` before any row is read.
  init(metadata recording: Recording) {
    name = recording.name
    sources = recording.sources
    anchors = recording.anchors
    facts = recording.facts
    attitudes = recording.attitudes
    poses = recording.poses
    sensors = recording.sensors
    remarks = recording.remarks
    notes = recording.notes
    warnings = recording.warnings
    isPlanar = recording.isPlanar
    plane = recording.plane
  }

  /// Creates the outline of the complete `recording`.
  init(_ recording: Recording) {
    self.init(metadata: recording)
    add(
      ranges: recording.ranges, events: recording.events, rejected: recording.rejected,
      tags: recording.tagNames, anchors: recording.anchorNames)
    rowsRead = recording.rowsRead
    tagRanges = recording.tagRanges
    finish()
  }

  /// Updates the outline with the rows of the next block.
  mutating func add(_ file: ParsedRanges) {
    rowsRead += file.rowsRead
    tagRanges.append(contentsOf: file.tagRanges)
    add(
      ranges: file.ranges, events: file.events, rejected: file.rejected, tags: file.tagNames,
      anchors: file.anchorNames)
  }

  /// Updates names, counts and decimals with the next rows of a stream without end.
  ///
  /// Events and the ends of tags are left out: the former are applied as they come, and the latter
  /// are unknown. `differences` are the times of time differences.
  mutating func addLive(_ file: ParsedRanges, differences: [Timestamp]) {
    setNames(tags: file.tagNames, anchors: file.anchorNames)
    rowsRead += file.rowsRead
    rangeCount += file.ranges.count
    hasDirections = hasDirections || file.ranges.hasDirections
    hasHeights = hasHeights || file.ranges[.height] != nil
    rejected.append(contentsOf: file.rejected)
    timeDecimals = decimals(for: file.ranges.time, atLeast: timeDecimals)
    timeDecimals = decimals(for: differences, atLeast: timeDecimals)
  }

  /// Adopts the names of a stream without end, whose tags have no known ends.
  mutating func setNames(tags: [String], anchors: [String], decimals: Int = 0) {
    tagNames = tags
    anchorNames = anchors
    timeDecimals = max(timeDecimals, decimals)
    ends += Array(repeating: nil, count: tags.count - ends.count)
  }

  /// The outline for a stream of the same tags, of which neither the end nor the attitudes are known.
  var ofStream: Self {
    var result = self
    result.ends = Array(repeating: nil, count: ends.count)
    result.hasDirections = false
    return result
  }

  /// Sorts the events; call after the last block.
  mutating func finish() {
    events.sort { ($0.time, $0.line) < ($1.time, $1.line) }
    addTagRanges()
    if let differences = sensors.onlyDifferences { add(differences) }
    if !sensors.isEmpty { warnings += sensors.warnings(tags: tagNames) }
  }

  /// Extends the times of the recording and of tags by those of the ranges between tags.
  private mutating func addTagRanges() {
    guard tagRanges.count > 0, !anchors.isEmpty else { return }
    timeDecimals = decimals(for: tagRanges.time, atLeast: timeDecimals)
    for index in 0..<tagRanges.count {
      let time = tagRanges.time[index]
      (first, last) = (min(first ?? time, time), max(last ?? time, time))
      for tag in [Int(tagRanges.tag[index]), Int(tagRanges.other[index])] where tag < ends.count {
        ends[tag] = max(ends[tag] ?? time, time)
      }
    }
    let isLate = zip(tagRanges.time, tagRanges.time.dropFirst()).count { $1 < $0 }
    outOfOrder += isLate
  }

  /// Sets the indices of the tags that responded, from the names of ``RecordingOptions/tagAnchors``; call
  /// before ``finish()``.
  mutating func resolveTagRanges(_ names: [String]) {
    tagRanges.resolve(names, tags: tagNames)
  }

  /// Takes tags, times and rows from the time differences of a recording without ranges.
  private mutating func add(_ file: DifferencesFile) {
    tagNames = file.tagNames
    rowsRead = file.rowsRead
    rejected = file.rejected
    ends = tagNames.map { sensors.differences[$0]?.last?.time }
    let times = sensors.differences.values.joined().map(\.time)
    (first, last) = (times.min(), times.max())
    timeDecimals = decimals(for: times, atLeast: timeDecimals)
    for differences in sensors.differences.values {
      for (one, next) in zip(differences, differences.dropFirst()) {
        spent += min(next.time.seconds(since: one.time), RecordingLimits.longestGridCoast)
      }
    }
  }

  /// The number of rows that are used: ranges, also between tags, and events, or time differences without
  /// ranges.
  var usedCount: Int {
    rangeCount + tagRanges.count + events.count + (sensors.onlyDifferences?.count ?? 0)
  }

  /// Returns the heights and odometry of the tag at index `tag`.
  func readings(of tag: Int) -> SensorReadings {
    sensors.isEmpty
      ? SensorReadings()
      : sensors.readings(of: tagNames[tag], isOnlyTag: tagNames.count == 1)
  }

  /// The poses by which accessories are located; empty with anchors, and for several devices, to which
  /// poses do not belong.
  var accessoryPoses: [TimedPose] { anchors.isEmpty && tagNames.count == 1 ? poses : [] }

  /// Attitudes for measured directions; nil when there are none, or when the recording has several
  /// tags and the measuring one is unknown.
  var usableAttitudes: AttitudeTrack? {
    hasDirections && tagNames.count == 1 ? attitudes : nil
  }

  /// Returns the approximate number of positions at an output rate of `rateHz`.
  func gridRows(_ rateHz: Double) -> Double {
    guard let first else { return 0 }
    // Rows that jump back and forth in time would count more time than has passed.
    let spans = ends.reduce(0.0) { $0 + ($1?.seconds(since: first) ?? 0) }
    return rateHz * min(spent, spans)
  }

  private mutating func add(
    ranges: RangeColumns, events: [RecordedEvent], rejected: RejectedRows, tags: [String],
    anchors: [String]
  ) {
    tagNames = tags
    anchorNames = anchors
    hasDirections = hasDirections || ranges.hasDirections
    hasHeights = hasHeights || ranges[.height] != nil
    rangeCount += ranges.count
    self.events += events
    self.rejected.append(contentsOf: rejected)
    timeDecimals = decimals(for: ranges.time, atLeast: timeDecimals)
    ends += Array(repeating: nil, count: tags.count - ends.count)
    guard var latest = last ?? ranges.time.first else { return }
    let unseen = Timestamp(nanoseconds: .min)
    self.latest += Array(repeating: unseen, count: tags.count - self.latest.count)
    var earliest = first ?? latest
    for index in 0..<ranges.count {
      let time = ranges.time[index]
      if time < latest {
        outOfOrder += 1
        let (lateness, overflow) = latest.nanoseconds.subtractingReportingOverflow(
          time.nanoseconds)
        greatestLateness = overflow ? .max : max(greatestLateness, lateness)
        if time < earliest { earliest = time }
      }
      latest = max(latest, time)
      let tag = Int(ranges.tag[index])
      ends[tag] = max(ends[tag] ?? time, time)
      let before = self.latest[tag]
      if before != unseen {
        spent += min(abs(time.seconds(since: before)), RecordingLimits.longestGridCoast)
      }
      self.latest[tag] = time
    }
    (first, last) = (earliest, latest)
  }
}

extension RecordingOutline {
  /// Throws if the recording has no usable row, if strict mode finds a rejected row, or if the output
  /// rate would give too many rows.
  func requireRows(
    _ settings: ProcessingSettings, isStrict: Bool
  ) throws(RecordingError) {
    let source = sources.first?.path ?? name
    guard rowsRead > 0 else {
      throw .badData(path: source, line: nil, reason: "there are no rows of data")
    }
    if !isStrict,
      let error = rejected.unusable(source, rowsRead: rowsRead, used: usedCount)
    {
      throw error
    }
    if let rateHz = settings.rateHz, !anchors.isEmpty,
      let reason = RecordingLimits.reasonTooMany(gridRows: gridRows(rateHz), of: usedCount)
    {
      throw .badData(path: source, line: nil, reason: reason)
    }
    if isStrict, let first = rejected.first {
      let more = rejected.total - 1
      let rows = more == 1 ? "1 more row" : "\(more) more rows"
      throw .badData(
        path: source, line: first.line,
        reason: first.reason + (more > 0 ? " (and \(rows) would be rejected)" : ""))
    }
  }
}

extension ProcessingSettings {
  /// Returns the settings with missing values filled in from the recording.
  func completed(for recording: Recording, timeline: Timeline) -> ProcessingSettings {
    var settings = self
    settings.complete(from: RecordingOutline(metadata: recording))
    if method == .fix, !recording.anchors.isEmpty, epochWindowS == nil {
      settings.epochWindowS = EpochWindow.seconds(
        for: recording, timeline: timeline, isOnGrid: rateHz != nil)
    }
    return settings
  }

  /// Fills in missing facts from the recording.
  mutating func complete(from outline: RecordingOutline) { facts.complete(from: outline.facts) }
}
