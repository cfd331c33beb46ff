import Fathom

/// What there is to know of a recording beside its ranges, gathered stretch by stretch before any of them
/// is processed.
struct RecordingOutline: Sendable {
  var name: String
  var sources: [SourceFile]
  var tagNames: [String] = []
  var anchorNames: [String] = []
  /// The declared anchors, parallel to ``anchorNames``; empty for a recording without anchors.
  var anchors: [Anchor]
  var height: Double?
  var heightSigma: Double?
  var bounds: [[Double]]?
  var zones: ZoneSettings?
  var deviceFrame: DeviceFrame?
  var headingSigma: Double?
  /// How the device that measured was held; nil without `poses.csv`.
  var attitudes: AttitudeTrack?
  /// Whether rows can have directions.
  private(set) var hasDirections = false
  var remarks: String?
  var notes: [String]
  /// Rows of data read.
  var rowsRead = 0
  /// Usable ranges.
  private(set) var rangeCount = 0
  /// The events in order of time.
  private(set) var events: [RecordedEvent] = []
  /// Rows set aside.
  private(set) var rejectedCount = 0
  /// The rows set aside by reason.
  private(set) var reasons: [String: Int] = [:]
  /// The first and the last instant with ranges.
  private(set) var first: Timestamp?
  private(set) var last: Timestamp?
  /// The last instant with ranges of each tag.
  private(set) var ends: [Timestamp?] = []
  /// The instant of the newest row of each tag.
  private var latest: [Timestamp] = []
  /// Seconds between the rows of every tag, of all tags together, longer gaps counted as
  /// ``RecordingLimits/longestGridCoast``.
  private var spent = 0.0
  /// Ranges that stand behind a later one in the file.
  private(set) var outOfOrder = 0
  /// By how much a range is earlier than one before it in the file, at most, nanoseconds.
  private(set) var greatestLateness: Int64 = 0
  /// Decimals that the time stamps have, in seconds.
  private(set) var timeDecimals = 0

  /// The outline of `recording` before anything is known of its rows.
  init(metadata recording: Recording) {
    name = recording.name
    sources = recording.sources
    anchors = recording.anchors
    height = recording.height
    heightSigma = recording.heightSigma
    bounds = recording.bounds
    zones = recording.zones
    deviceFrame = recording.deviceFrame
    headingSigma = recording.headingSigma
    attitudes = recording.attitudes
    remarks = recording.remarks
    notes = recording.notes
  }

  /// The outline of `recording`, whose ranges are all there.
  init(_ recording: Recording) {
    self.init(metadata: recording)
    take(
      ranges: recording.ranges, events: recording.events, rejected: recording.rejected,
      tags: recording.tagNames, anchors: recording.anchorNames)
    rowsRead = recording.rowsRead
    finish()
  }

  /// Takes note of the rows that follow in the file.
  mutating func take(_ file: RangesTable) {
    rowsRead += file.rowsRead
    take(
      ranges: file.ranges, events: file.events, rejected: file.rejected, tags: file.tagNames,
      anchors: file.anchorNames)
  }

  /// Puts in order what came; call after the last stretch.
  mutating func finish() {
    events.sort { ($0.time, $0.line) < ($1.time, $1.line) }
  }

  /// The attitudes that directions are seen under; nil where there are none, and where several tags
  /// could have measured them.
  var usableAttitudes: AttitudeTrack? {
    hasDirections && tagNames.count == 1 ? attitudes : nil
  }

  /// About how many positions a grid of `rateHz` per second has.
  func gridRows(_ rateHz: Double) -> Double {
    guard let first else { return 0 }
    // Rows that jump back and forth count more time than there is.
    let spans = ends.reduce(0.0) { $0 + ($1?.seconds(since: first) ?? 0) }
    return rateHz * min(spent, spans)
  }

  private mutating func take(
    ranges: RangeColumns, events: [RecordedEvent], rejected: [RejectedRow], tags: [String],
    anchors: [String]
  ) {
    tagNames = tags
    anchorNames = anchors
    hasDirections = hasDirections || ranges.hasDirections
    rangeCount += ranges.count
    self.events += events
    rejectedCount += rejected.count
    for row in rejected { reasons[row.kind, default: 0] += 1 }
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

extension ProcessingSettings {
  /// The settings with what the recording says itself filled in.
  func completed(for recording: Recording, timeline: Timeline) -> ProcessingSettings {
    var settings = self
    settings.complete(from: RecordingOutline(metadata: recording))
    if method == .fix, epochWindowS == nil {
      settings.epochWindowS = EpochWindow.seconds(
        for: recording, timeline: timeline, isOnGrid: rateHz != nil)
    }
    return settings
  }

  /// Fills in what the recording says about tags, floor and devices, as far as it was not given.
  mutating func complete(from outline: RecordingOutline) {
    if heightM == nil {
      heightM = outline.height
      heightSigmaM = heightM == nil ? nil : heightSigmaM ?? outline.heightSigma
    }
    boundsM = boundsM ?? outline.bounds
    zones = zones ?? outline.zones
    deviceFrame = deviceFrame ?? outline.deviceFrame
    headingSigmaRad = headingSigmaRad ?? outline.headingSigma
  }
}
