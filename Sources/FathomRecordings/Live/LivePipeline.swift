import Fathom

/// Turns the measurements of a live stream into positions, distances and events as they arrive.
///
/// It uses the parsers and the pipelines of `process`: with the same calibration the positions are
/// the same. Memory is bounded by the numbers of tags and anchors; tags that are silent are forgotten.
package struct LivePipeline {
  /// How a stream is processed.
  package struct Options: Sendable {
    /// Options for reading lines.
    package var reading = RecordingOptions()
    /// Processing settings; the method is always `filter`.
    package var settings = ProcessingSettings()
    /// Time by which ranges may be late and are still sorted in, in seconds; 0 for none.
    package var horizon = 0.5
    /// Time by which positions wait to be smoothed with later ranges, in seconds; nil for none.
    package var lag: Double?
    /// How trackers are calibrated.
    package var calibration = LiveCalibration.running
    /// The tables whose text is wanted.
    package var tables: Set<LiveTable> = [.positions]
    /// The format of the text.
    package var format = LiveFormat.csv
    /// Whether the stream was joined at an arbitrary byte.
    package var startsMidLine = false
    /// The silence after which a tag is forgotten, in seconds of the clock of this machine; infinity for
    /// never.
    ///
    /// A tag that comes again starts anew.
    package var forgetsAfter = 3600.0
    /// The most tags that are kept; of more, those that were silent longest are forgotten.
    ///
    /// Each takes about 25 kB before its start and 70 kB after it: half as many would be fewer than a large site
    /// has, twice as many take 2 GB.
    package var mostTags = 16_384
    /// Whether the state of links is kept for ``links()``.
    package var keepsLinks = false

    /// Creates the default options.
    package init() {}
  }

  let options: Options
  var settings: ProcessingSettings
  private var site: LiveSite
  var lines: LiveLines
  var outline: RecordingOutline
  var tags: [LiveTag] = []
  /// The stage that tags have before their first measurement; nil until two tags exist.
  var shared: SharedStage?
  var zones: ZoneMonitor?
  var formatter: LiveFormatter
  package internal(set) var links = LiveLinks()
  var sample = RangeSample()
  var diagnosis = CalibrationSchedule(first: Self.firstDiagnosis)
  var pendingDiagnosis: PendingCalibration<LiveFindings>?
  /// What the tags have in common, as last found; nil before, and while there is one tag.
  var common: CommonCalibration?
  /// The number of ranges that were processed.
  private(set) var rangeCount = 0
  var said: [String: String] = [:]
  var messages: [String] = []
  var counts = ResultCounts()
  /// The number of layouts with a message.
  private var layoutCount = 0
  private var hasAdoptedAnchors = false
  /// Whether a recording is replayed, whose outline has all measurements.
  private(set) var isReplayed = false
  /// Readings of tags that have had no range yet, and the number of those beyond the limit.
  var unaddressed: [LiveReading] = []
  var unaddressedCount = 0
  /// The number of tags when readings last found their tags.
  var addressedCount = 0
  /// Indices of the tags by their names.
  var places: [String: Int] = [:]
  private var ordinal = 0
  /// Seconds of the clock of this machine at which the next bytes come; set it before they are processed.
  package var arrivalTime = 0.0
  var roster = LiveRoster()
  /// The counts of the tags that were forgotten.
  var forgottenCounts = LiveTag.Counts()
  /// The number of batches so far.
  private(set) var batchNumber = 0
  /// Receives the rows; nil if they are not recorded.
  private var recorder: LiveRecorder?
  private var hasWrittenSite = false
  /// The first error in recording the rows, after which no more are recorded.
  package private(set) var recordingError: RecordingError?
  /// The time of the stream, by which silent tags coast, and that at which they were last visited.
  var clock = LiveClock()
  private var visited: Timestamp?

  /// Ranges of the first diagnosis; it takes effect a quarter later, and costs some 10 ms on another core.
  ///
  /// In 5 of 39 recordings a diagnosis before range 1000 was one that later ranges took back; two of them
  /// left an anchor out meanwhile. Half as many ranges do not show exchanged anchors; with twice as many an
  /// anchor that reads 20 m too much is used for 312 ranges.
  private static let firstDiagnosis = 125
  /// Ranges from which on it is found what the tags have in common; of fewer, each has too small a part.
  static let firstCommonCalibration = 1000
  /// Stream time between visits of all tags, in seconds.
  private static let visitInterval = 0.05

  /// Creates the pipeline of a stream at `site`; throws if a reference calibration is of other
  /// anchors.
  package init(
    at site: LiveSite, _ options: Options
  ) throws(RecordingError) {
    self.options = options
    self.site = site
    outline = RecordingOutline(metadata: site.recording)
    outline.setNames(tags: [], anchors: site.declared)
    settings = options.settings
    settings.method = .filter
    settings.complete(from: outline)
    lines = LiveLines(
      name: site.recording.name, declared: site.declared, options: options.reading,
      startsMidLine: options.startsMidLine)
    if case .recording(let reference) = options.calibration {
      guard reference.outline.anchors == outline.anchors,
        reference.outline.anchors.isEmpty || reference.outline.anchorNames == site.declared
      else {
        throw .badData(
          path: reference.outline.name, line: nil,
          reason: "its anchors differ from those of the stream; a calibration needs the same")
      }
      outline.excluded = reference.outline.excluded
      outline.isLayoutWrong = reference.outline.isLayoutWrong
    }
    zones = ZoneMonitor(outline, settings)
    formatter = LiveFormatter(options.tables, options.format)
  }

  /// The header lines of the tables, once the columns are known.
  package var headers: LiveText { formatter.headers(outline, settings) }

  /// The zones on the floor plan.
  package var zoneAreas: [ZoneSettings.Area] {
    outline.anchors.isEmpty ? [] : settings.zones?.areas ?? []
  }

  /// The declared anchors with their names; empty for a stream without anchors.
  package var anchors: [(name: String, anchor: Anchor)] {
    outline.anchors.isEmpty ? [] : Array(zip(outline.anchorNames, outline.anchors))
  }

  /// The picture of the floor plan; nil without one.
  package var floorPlan: LiveSite.PlacedPicture? { site.floorPlan }

  /// The names of the tags so far; empty for those that were forgotten.
  package var tagNames: [String] { outline.tagNames }

  /// What contradicts what in the ranges so far.
  package var diagnoses: [Diagnosis] { outline.diagnoses }

  /// Whether text waits for the format to be recognised.
  package var isWaiting: Bool { lines.isWaiting }

  /// Whether more rows follow in the text that was given: call ``process(_:isLast:isPause:)`` again without
  /// bytes.
  package var hasMore: Bool { lines.hasMore }

  /// Why no line can be used yet; nil once the format is recognised.
  package var unrecognised: LiveRejection? {
    lines.reasonUnrecognised.map { LiveRejection(kind: "unrecognised", reason: $0, line: nil) }
  }

  /// Whether a position waits for more ranges of its instant.
  package var isOpen: Bool { tags.contains { $0.isOpen } }

  // MARK: Input

  /// Processes the next bytes of the stream.
  ///
  /// With `isPause`, nothing follows for some time. Returns the results up to the next header with
  /// other columns, where ``hasMore`` becomes true. Throws if the stream ends and has no distances,
  /// or has too many names.
  package mutating func process(
    _ bytes: [UInt8], isLast: Bool = false, isPause: Bool = false
  ) throws(RecordingError) -> LiveResults {
    guard let batch = try lines.parse(bytes, isLast: isLast, isPause: isPause) else {
      return LiveResults()
    }
    outline.sensors.turnFactors = lines.turnFactors
    outline.sensors.streamsPoses = lines.usesPoses.odometry
    outline.sensors.streamsPoseHeights = lines.usesPoses.heights && !hasOtherHeights
    return process(batch, layout: lines.layout)
  }

  /// Records all rows from now on.
  package mutating func record(to recorder: LiveRecorder) { self.recorder = recorder }

  private mutating func record(_ batch: LiveBatch) {
    guard let recorder, recordingError == nil else { return }
    do throws(RecordingError) {
      if !hasWrittenSite { try recorder.write(site) }
      hasWrittenSite = true
      try recorder.append(batch)
    } catch {
      recordingError = error
      messages.append("warning: the recording stops: \(error)")
    }
  }

  /// Discards an incomplete line, because the connection ended.
  package mutating func cut(losesLine: Bool) { lines.cut(losesLine: losesLine) }

  /// Processes ranges that are in memory.
  mutating func process(_ table: ParsedRanges) -> LiveResults {
    process(LiveBatch(ranges: table), layout: nil)
  }

  /// Adopts the names and the decimals of a recording that is replayed.
  mutating func adopt(_ other: RecordingOutline) {
    isReplayed = true
    outline.setNames(
      tags: other.tagNames, anchors: other.anchorNames, decimals: other.timeDecimals)
    know()
  }

  /// Outputs positions of instants that may be complete, because no line waits to be read.
  ///
  /// With `isQuiet`, nothing came for so long that an instant with fewer ranges than usual is
  /// complete, too.
  package mutating func settle(isQuiet: Bool) -> LiveResults {
    var rows = [[PositionRow]](repeating: [], count: tags.count)
    for tag in tags.indices where tags[tag].isOpen {
      rows[tag] = tags[tag].outputNewest(onlyComplete: !isQuiet)
    }
    return results(rows, [])
  }

  /// Outputs the last positions; call once, at the end.
  package mutating func finish() -> LiveResults {
    var rows: [[PositionRow]] = []
    for tag in tags.indices { rows.append(tags[tag].finish()) }
    return results(rows, [])
  }

  // MARK: Processing

  private mutating func process(_ batch: LiveBatch, layout: RangesLayout?) -> LiveResults {
    if layoutCount < lines.layoutCount { begin(layout) }
    let table = batch.ranges
    let (tagCount, anchorCount) = (outline.tagNames.count, outline.anchorNames.count)
    record(batch)
    outline.addLive(
      table,
      differences: batch.readings.filter { $0.measurement.kind == .difference }
        .map(\.measurement.time))
    if outline.tagNames.count > tagCount || outline.anchorNames.count > anchorCount { know() }
    batchNumber += 1
    if !roster.free.isEmpty { knowAgain() }
    let ranges = table.ranges
    var rows = [[PositionRow]](repeating: [], count: tags.count)
    var found = [[RangeResult?]](repeating: [], count: tags.count)
    var events: [LinkZoneEvent] = []
    let own = LiveTagBatch(
      ranges, events: table.events, readings: addressed(batch.readings))
    var entries = own.entries()[...]
    while !entries.isEmpty {
      let part = entries.prefix(countUntilDiagnosis(entries))
      entries = entries.dropFirst(part.count)
      for (tag, results) in process(part, of: own) {
        rows[tag] += results.positions
        found[tag] += results.ranges
        events += results.zoneEvents
      }
      diagnoseIfDue()
    }
    visitSilentTags(&rows)
    let forgotten = tagsToForget(&rows)
    var results = results(rows, events)
    results.rangeCount = ranges.count
    results.usedCount = batch.usedCount
    results.rejectedCount = table.rejected.total
    results.rejections = LiveRejection.firsts(of: table.rejected)
    finish(&results, ranges, found)
    results.forgotten = forget(forgotten)
    return results
  }

  /// Processes entries of a batch, and returns the results of the tags that have some.
  private mutating func process(
    _ part: ArraySlice<LiveTagBatch.Entry>, of batch: LiveTagBatch
  ) -> [(tag: Int, LiveTagBatch.Results)] {
    var entries = [[LiveTagBatch.Entry]](repeating: [], count: tags.count)
    var touched: [Int] = []
    for entry in part {
      let tag: Int
      switch entry {
      case .range(let index):
        tag = Int(batch.ranges.tag[index])
        let time = batch.ranges.time[index]
        clock.advance(to: time, of: tag)
        rangeCount += 1
        addToSample(batch.ranges, at: index)
      case .event(let index): tag = Int(batch.events[index].tag)
      case .reading(let index):
        tag = batch.readings[index].tag
        advance(to: batch.readings[index].measurement, of: tag)
      }
      if entries[tag].isEmpty { touched.append(tag) }
      entries[tag].append(entry)
    }
    defer { ordinal += part.count }
    for tag in touched { roster.hear(tag, at: arrivalTime, batch: batchNumber) }
    return touched.map { tag in
      let steps = tags[tag].counts.clockSteps
      let results = tags[tag].process(
        entries[tag], of: batch, ordinal: ordinal, now: clock.now ?? Timestamp(nanoseconds: 0),
        calibrate: stageMaker(of: tag))
      if tags[tag].counts.clockSteps > steps { noteClockStep(of: tag) }
      if tags[tag].consumeIsCalibrated() { noteCalibration(of: tag) }
      return (tag, results)
    }
  }

  /// Moves the time of the stream on by a measurement that is no range.
  ///
  /// So a tag without ranges has positions while its odometry comes. Ranges may still come late by the
  /// horizon. A measurement far ahead has another clock.
  private mutating func advance(to reading: TimedMeasurement, of tag: Int) {
    if reading.kind == .difference, !tags[tag].hasRanges {
      clock.advance(to: reading.time, of: tag)
      return
    }
    clock.follow(reading.time.advanced(bySeconds: -options.horizon), of: tag)
  }

  /// Adds what depends on the single ranges: the text of distances and the state of links.
  private mutating func finish(
    _ results: inout LiveResults, _ ranges: RangeColumns, _ found: [[RangeResult?]]
  ) {
    counts.add(found.joined().compactMap { $0 }, [])
    if options.keepsLinks { links.add(ranges, found, outline.excluded) }
    guard options.tables.contains(.distances) else { return }
    results.text.distances = formatter.text(of: ranges, found, outline, settings)
  }

  /// Adopts the anchors that a device log states, and tells what was recognised.
  private mutating func begin(_ layout: RangesLayout?) {
    layoutCount = lines.layoutCount
    if let found = lines.logAnchors, !hasAdoptedAnchors {
      hasAdoptedAnchors = true
      var recording = site.recording
      if found.isPlanar { recording.facts.complete(from: .inPlane) }
      recording.adopt(found.declared)
      site.adopt(recording, declared: found.declared.names)
      messages += found.notes
      outline = RecordingOutline(metadata: recording)
      outline.setNames(tags: [], anchors: found.declared.names)
      shared = nil
      settings = options.settings
      settings.method = .filter
      settings.complete(from: outline)
      zones = ZoneMonitor(outline, settings)
    }
    guard let layout else { return }
    messages.append("format: \(layout.format.title), \(layout.reason)")
    messages += layout.notes + layout.warnings.map { "warning: \($0)" }
  }

  /// Outputs what is due of tags without recent ranges.
  private mutating func visitSilentTags(_ rows: inout [[PositionRow]]) {
    guard let now = clock.now else { return }
    if let visited, now.seconds(since: visited) < Self.visitInterval { return }
    visited = now
    for tag in tags.indices { rows[tag] += tags[tag].advance(to: now) }
  }

  /// Returns the results of positions and events.
  private mutating func results(
    _ rows: [[PositionRow]], _ events: [LinkZoneEvent]
  ) -> LiveResults {
    var results = LiveResults()
    results.messages = messages
    messages = []
    let positions = PositionsByTag(rows)
    if positions.count > 0 {
      for rows in rows { counts.add([], rows) }
      let entered = zones?.process(positions)
      results.positions = PositionColumns(positions, names: TargetNames(outline))
      results.zoneEvents = entered ?? ZoneColumns()
      if options.tables.contains(.positions) {
        results.text.positions = formatter.text(of: positions, outline, settings)
      }
    }
    results.linkEvents = events.map(\.event)
    if options.tables.contains(.events) {
      results.text.events = formatter.text(
        of: results.zoneEvents, results.linkEvents, decimals: outline.timeDecimals)
    }
    return results
  }
}
