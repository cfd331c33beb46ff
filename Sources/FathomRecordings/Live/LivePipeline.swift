import Fathom

/// Turns the measurements of a live stream into positions, distances and events as they arrive.
///
/// It uses the parsers and the pipelines of `process`: with the same calibration the positions are
/// the same. Memory is bounded by the numbers of tags and anchors.
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
    package var format = ResultFormat.csv
    /// Whether the stream was joined at an arbitrary byte.
    package var startsMidLine = false
    /// Whether the state of links is kept for ``links()``.
    package var keepsLinks = false

    /// Creates the default options.
    package init() {}
  }

  let options: Options
  var settings: ProcessingSettings
  private var site: LiveSite
  private(set) var lines: LiveLines
  var outline: RecordingOutline
  var tags: [LiveTag] = []
  private var zones: ZoneMonitor?
  private var formatter: LiveFormatter
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
  private var hasBegun = false
  /// Whether a recording is replayed, whose outline has all measurements.
  private var isReplayed = false
  /// Readings of tags that have had no range yet, and the number of those beyond the limit.
  var unaddressed: [LiveReading] = []
  var unaddressedCount = 0
  private var ordinal = 0
  /// Receives the rows; nil if they are not recorded.
  private var recorder: LiveRecorder?
  private var hasWrittenSite = false
  /// The first error in recording the rows, after which no more are recorded.
  package private(set) var recordingError: RecordingError?
  /// The newest time of any tag, and that at which silent tags were last visited.
  var newest: Timestamp?
  private var visited: Timestamp?

  /// Ranges of the first diagnosis.
  private static let firstDiagnosis = 1000
  /// Readings that wait for the first range of their tag.
  private static let mostUnaddressed = 4096
  /// Stream time between visits of all tags, in seconds.
  private static let visitInterval = 0.05

  /// Creates the pipeline of a stream at `site`.
  ///
  /// - Throws: ``RecordingError`` if a reference calibration is of other anchors.
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
      outline.excludedAnchors = reference.outline.excludedAnchors
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

  /// The names of the tags so far.
  package var tagNames: [String] { outline.tagNames }

  /// What contradicts what in the ranges so far.
  package var diagnoses: [Diagnosis] { outline.diagnoses }

  /// Whether text waits for the format to be recognised.
  package var isWaiting: Bool { lines.isWaiting }

  /// Whether a position waits for more ranges of its instant.
  package var isOpen: Bool { tags.contains { $0.isOpen } }

  // MARK: Input

  /// Processes the next bytes of the stream.
  ///
  /// - Parameters:
  ///   - bytes: the next part of the stream.
  ///   - isLast: whether the stream ends with it.
  ///   - isPause: whether nothing follows for some time.
  /// - Returns: The results.
  /// - Throws: ``RecordingError`` if the stream has no distances, or too many names.
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
  /// - Parameter isQuiet: whether nothing came for so long that an instant with fewer ranges
  ///   than usual is complete, too.
  /// - Returns: The results.
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
    if !hasBegun { begin(layout) }
    let table = batch.ranges
    let (tagCount, anchorCount) = (outline.tagNames.count, outline.anchorNames.count)
    record(batch)
    outline.addLive(
      table,
      differences: batch.readings.filter { $0.measurement.kind == .difference }
        .map(\.measurement.time))
    if outline.tagNames.count > tagCount || outline.anchorNames.count > anchorCount { know() }
    let ranges = table.ranges
    var rows = [[PositionRow]](repeating: [], count: tags.count)
    var found = [[RangeResult?]](repeating: [], count: tags.count)
    var events: [LinkZoneEvent] = []
    let readings = addressed(batch.readings)
    var entries = Self.inOrderOfArrival(ranges, table.events, readings)[...]
    while !entries.isEmpty {
      let part = entries.prefix(countUntilDiagnosis(entries))
      entries = entries.dropFirst(part.count)
      for (tag, results) in process(part, of: ranges, table.events, readings) {
        rows[tag] += results.positions
        found[tag] += results.ranges
        events += results.zoneEvents
      }
      diagnoseIfDue()
    }
    visitSilentTags(&rows)
    var results = results(rows, events)
    results.rangeCount = ranges.count
    finish(&results, ranges, found)
    return results
  }

  /// Processes entries of a batch, and returns the results of the tags that have some.
  private mutating func process(
    _ part: ArraySlice<LiveTag.Entry>, of ranges: RangeColumns, _ events: [RecordedEvent],
    _ readings: [LiveTag.Reading]
  ) -> [(tag: Int, LiveTag.Results)] {
    var entries = [[LiveTag.Entry]](repeating: [], count: tags.count)
    var touched: [Int] = []
    for entry in part {
      let tag: Int
      switch entry {
      case .range(let index):
        tag = Int(ranges.tag[index])
        newest = max(newest ?? ranges.time[index], ranges.time[index])
        rangeCount += 1
        addToSample(ranges, at: index)
      case .event(let index): tag = Int(events[index].tag)
      case .reading(let index):
        tag = readings[index].tag
        // Time differences alone are what moves the time of a stream on.
        if rangeCount == 0 {
          let time = readings[index].measurement.time
          newest = max(newest ?? time, time)
        }
      }
      if entries[tag].isEmpty { touched.append(tag) }
      entries[tag].append(entry)
    }
    defer { ordinal += part.count }
    return touched.map { tag in
      let steps = tags[tag].counts.clockSteps
      let results = tags[tag].process(
        entries[tag], of: ranges, events: events, measurements: readings, ordinal: ordinal,
        now: newest ?? Timestamp(nanoseconds: 0), calibrate: stageMaker(of: tag))
      if tags[tag].counts.clockSteps > steps { noteClockStep(of: tag) }
      if tags[tag].consumeIsCalibrated() { noteCalibration(of: tag) }
      return (tag, results)
    }
  }

  /// Adds what depends on the single ranges: the text of distances and the state of links.
  private mutating func finish(
    _ results: inout LiveResults, _ ranges: RangeColumns, _ found: [[RangeResult?]]
  ) {
    counts.add(found.joined().compactMap { $0 }, [])
    if options.keepsLinks { links.add(ranges, found) }
    guard options.tables.contains(.distances) else { return }
    results.text.distances = formatter.text(of: ranges, found, outline, settings)
  }

  /// Adopts the anchors that a device log states, and tells what was recognised.
  private mutating func begin(_ layout: RangesLayout?) {
    hasBegun = true
    if let found = lines.logAnchors {
      var recording = site.recording
      if found.isPlanar { recording.facts.complete(from: .inPlane) }
      recording.adopt(found.declared)
      site = LiveSite(recording, declared: found.declared.names, info: site.info)
      messages += found.notes
      outline = RecordingOutline(metadata: recording)
      outline.setNames(tags: [], anchors: found.declared.names)
      settings = options.settings
      settings.method = .filter
      settings.complete(from: outline)
      zones = ZoneMonitor(outline, settings)
    }
    guard let layout else { return }
    messages.append("format: \(layout.format.title), \(layout.reason)")
    messages += layout.notes
  }

  /// Creates what belongs to tags and anchors without ranges before.
  private mutating func know() {
    zones?.know(tagNames: outline.tagNames)
    if outline.anchors.isEmpty {
      for tag in tags.indices { tags[tag].know(anchorNames: outline.anchorNames) }
    }
    while tags.count < outline.tagNames.count { tags.append(makeTag(tags.count)) }
  }

  private func makeTag(_ tag: Int) -> LiveTag {
    let name = outline.tagNames[tag]
    var calibrates = false
    var adoptsReadings = false
    var stage: TagStage?
    if !outline.anchors.isEmpty {
      switch options.calibration {
      case .none: adoptsReadings = true
      case .running: (calibrates, adoptsReadings) = (true, true)
      case .recording(let reference):
        stage = reference.stage(of: name, settings, replaying: isReplayed ? (tag, outline) : nil)
        if stage == nil {
          (calibrates, adoptsReadings) = (true, true)
        }
      }
      if stage == nil {
        stage = TagStage(
          tag: tag, of: outline, calibrationRanges: [], settings,
          readings: isReplayed ? nil : SensorReadings())
      }
    }
    let (outline, settings) = (outline, settings)
    return LiveTag(
      stage: stage, anchors: outline.anchors, horizon: options.horizon, lag: options.lag,
      calibrates: calibrates, adoptsReadings: adoptsReadings && !isReplayed,
      replayed: isReplayed ? outline.readings(of: tag) : SensorReadings()
    ) { settings.pipeline(tag: tag, of: outline, stage: $0) }
  }

  func stageMaker(of tag: Int) -> LiveTag.StageMaker {
    let (outline, settings, common, isReplayed) = (outline, settings, common, isReplayed)
    var calibrates = true
    if case .none = options.calibration { calibrates = false }
    return { [calibrates] in
      TagStage(
        tag: tag, of: outline, calibrationRanges: $0, settings, common: common,
        readings: isReplayed ? nil : $1, calibrates: calibrates)
    }
  }

  /// Whether heights are known without those of poses.
  private var hasOtherHeights: Bool { outline.hasHeights || settings.heightM != nil }

  /// Returns the readings with the indices of their tags; those of tags that are not known yet wait.
  private mutating func addressed(_ readings: [LiveReading]) -> [LiveTag.Reading] {
    var result: [LiveTag.Reading] = []
    func address(_ reading: LiveReading, place: Int) -> Bool {
      let tag =
        reading.tag.isEmpty
        ? (outline.tagNames.count == 1 ? 0 : nil) : outline.tagNames.firstIndex(of: reading.tag)
      guard let tag else { return false }
      result.append(LiveTag.Reading(tag: tag, place: place, measurement: reading.measurement))
      return true
    }
    if !outline.tagNames.isEmpty, !unaddressed.isEmpty {
      unaddressed.removeAll { address($0, place: 0) }
    }
    for reading in readings {
      if reading.isOfPoses, hasOtherHeights, reading.measurement.kind == .height { continue }
      if address(reading, place: reading.place) { continue }
      if unaddressed.count < Self.mostUnaddressed {
        unaddressed.append(reading)
      } else {
        unaddressedCount += 1
      }
    }
    return result
  }

  /// Outputs what is due of tags without recent ranges.
  private mutating func visitSilentTags(_ rows: inout [[PositionRow]]) {
    guard let newest else { return }
    if let visited, newest >= visited, newest.seconds(since: visited) < Self.visitInterval {
      return
    }
    visited = newest
    for tag in tags.indices { rows[tag] += tags[tag].advance(to: newest) }
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

  /// Returns the entries in the order of their arrival.
  private static func inOrderOfArrival(
    _ ranges: RangeColumns, _ events: [RecordedEvent], _ readings: [LiveTag.Reading]
  ) -> [LiveTag.Entry] {
    var entries: [LiveTag.Entry] = []
    entries.reserveCapacity(ranges.count + events.count + readings.count)
    var next = 0
    var nextReading = 0
    for index in 0..<ranges.count {
      while nextReading < readings.count, readings[nextReading].place <= index {
        entries.append(.reading(nextReading))
        nextReading += 1
      }
      while next < events.count, events[next].line < ranges.line[index] {
        entries.append(.event(next))
        next += 1
      }
      entries.append(.range(index))
    }
    entries += events.indices[next...].map { .event($0) }
    return entries + readings.indices[nextReading...].map { .reading($0) }
  }
}
