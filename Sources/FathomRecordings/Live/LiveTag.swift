import Fathom

/// One tag of a live stream: its links, its track, and its recent measurements.
struct LiveTag: Sendable {
  /// A measurement or an event of a batch.
  enum Entry: Sendable {
    /// The range at an index of the batch.
    case range(Int)
    /// The event at an index of the batch.
    case event(Int)
    /// The measurement at an index of the batch that is no range.
    case reading(Int)
  }

  /// A measurement of a batch that is no range.
  struct Reading: Sendable {
    /// Index of the tag.
    var tag: Int
    /// The number of ranges of the batch that came before.
    var place: Int
    var measurement: TimedMeasurement
  }

  /// Returns a stage that is calibrated on ranges and other measurements.
  typealias StageMaker = @Sendable ([RangeMeasurement], SensorReadings) -> TagStage

  /// How measurements were used that did not simply come in order.
  struct Counts: Sendable {
    /// Ranges that came late, within the horizon, and were sorted in.
    var reordered = 0
    /// Ranges older than the horizon.
    var late = 0
    /// Other measurements that came too late, or long before the ranges of their time.
    var unusedReadings = 0
    /// Steps back of the clock.
    var clockSteps = 0
  }

  /// The results for a batch of ranges.
  struct Results {
    /// The result of each range of the tag in the batch; nil for rejected ones.
    var ranges: [RangeResult?] = []
    var positions: [PositionRow] = []
    var zoneEvents: [LinkZoneEvent] = []
  }

  private var pipeline: any TagPipeline
  /// Whether the pipeline has a stage; comparing the stage with nil would copy it.
  private let isLocated: Bool
  /// The recent ranges; nil without anchors, and with directions, which are not reordered.
  private var history: LiveHistory?
  /// The positions that wait to be smoothed; nil without a lag.
  private var lag: LiveLag?
  private let hasLag: Bool
  /// The measurements of a recording that is replayed, for ``lag``.
  private var replayed: SensorQueue
  private let horizon: Double
  private let makePipeline: @Sendable (TagStage?) -> any TagPipeline
  /// The calibrated stage before any range, for a restart.
  private var fresh: TagStage?
  private(set) var newest: Timestamp?
  /// The newest time of the stream when the tag had a range last.
  private var lastRanged = Timestamp(nanoseconds: .min)
  private var clockStep = ClockStep()
  /// Limit of a step of the clock, in seconds, as in `TrackerConfiguration`.
  private static let clockStepLimit = TrackerConfiguration().clockStep
  /// The last position that was output.
  private var last: PositionRow?
  /// The time up to which the stage outputs positions again that were output before.
  private var recomputedUpTo: Timestamp?
  private(set) var counts = Counts()
  /// Number of ranges at the newest instant, and the usual number at one.
  private var atInstant = 0
  private var usual: Int?
  /// Whether the position of the newest instant is still to be output.
  private(set) var isOpen = false

  /// Ranges for the calibration.
  private(set) var thinned: ThinnedRanges
  private var schedule = CalibrationSchedule(first: Self.firstCalibration)
  private var pending: PendingCalibration<TagStage>?
  private let calibrates: Bool
  /// The first measurements that are no ranges, for the calibration.
  private var readings = SensorReadings()
  /// The kinds of ``readings`` on which the stage is calibrated.
  private var kinds: Set<TimedMeasurement.Kind> = []
  private let adoptsReadings: Bool
  /// Whether the tag has had ranges, and the number of its time differences before.
  private var hasRanges = false
  private var differenceCount = 0
  /// Whether a measurement was inserted that the stage has not processed.
  private var isStale = false

  /// Ranges of the first calibration: a second and a half of eight anchors at 10 Hz.
  private static let firstCalibration = 128
  /// Measurements of each kind, other than ranges, that are kept for calibrations: those of the time in
  /// which the ranges of a calibration come.
  private static let mostReadings = 20_000

  /// Creates a tag.
  ///
  /// - Parameters:
  ///   - stage: the stage that computes positions; nil without anchors.
  ///   - anchors: the anchors.
  ///   - horizon: time by which ranges may be late, in seconds.
  ///   - lag: time by which positions wait to be smoothed, in seconds; nil for none.
  ///   - calibrates: whether the stage is calibrated while ranges come.
  ///   - adoptsReadings: whether a new stage is made for measurements of a kind that were not there before.
  ///   - replayed: the measurements that the stage has from the beginning.
  ///   - makePipeline: returns a pipeline with the stage.
  init(
    stage: TagStage?, anchors: [Anchor], horizon: Double, lag: Double?, calibrates: Bool,
    adoptsReadings: Bool, replayed: SensorReadings,
    makePipeline: @escaping @Sendable (TagStage?) -> any TagPipeline
  ) {
    self.horizon = horizon
    self.calibrates = calibrates && stage != nil
    self.adoptsReadings = adoptsReadings && stage != nil
    self.makePipeline = makePipeline
    isLocated = stage != nil
    fresh = stage
    pipeline = makePipeline(stage)
    thinned = ThinnedRanges(
      anchorCount: anchors.count, limit: TrackerCalibration.greatestCorrectionCount)
    hasLag = lag != nil && stage != nil
    self.replayed = SensorQueue(hasLag ? replayed : SensorReadings())
    if let lag, let stage { self.lag = LiveLag(lag, of: stage, anchors: anchors) }
    if let stage, !stage.takesDirections { history = LiveHistory(horizon: horizon, stage: stage) }
  }

  /// Sets the names of the anchors of a stream without declared anchors.
  mutating func know(anchorNames: [String]) { pipeline.anchorNames = anchorNames }

  /// The estimated motion and range-error parameters.
  func calibration(anchorNames: [String]) -> RecordingSummary.Calibration? {
    pipeline.stage?.calibration(anchorNames: anchorNames)
  }

  /// The sums over the filter's innovations.
  var innovations: InnovationSums? { pipeline.stage?.innovations }

  // MARK: Ranges

  /// Processes the entries of a batch that belong to the tag, in the order of their arrival.
  ///
  /// - Parameters:
  ///   - entries: the measurements and events of the tag.
  ///   - ranges: the ranges of the batch.
  ///   - events: its events.
  ///   - measurements: its measurements that are no ranges.
  ///   - ordinal: the number of entries of the stream before the batch.
  ///   - now: the newest time of the stream, with this batch.
  ///   - calibrate: returns a calibrated stage.
  /// - Returns: The results.
  mutating func process(
    _ entries: [Entry], of ranges: RangeColumns, events: [RecordedEvent],
    measurements: [Reading], ordinal: Int, now: Timestamp,
    calibrate: @escaping StageMaker
  ) -> Results {
    lastRanged = now
    var results = Results()
    var run: [Timeline.Entry] = []
    var runPlaces: [Int] = []
    var isReordering = false
    for entry in entries {
      switch entry {
      case .event(let index):
        flush(&run, &runPlaces, ranges, events, ordinal, isReordering, &results)
        isReordering = false
        apply(.event(index), events[index], ranges, events, ordinal, &results)
      case .reading(let index):
        flush(&run, &runPlaces, ranges, events, ordinal, isReordering, &results)
        isReordering = false
        add(measurements[index].measurement, &results, calibrate)
      case .range(let index):
        let time = ranges.time[index]
        let place = results.ranges.count
        results.ranges.append(nil)
        switch admit(time) {
        case .next: break
        case .late:
          counts.late += 1
          continue
        case .reordered:
          counts.reordered += 1
          isReordering = true
        case .clockStep:
          flush(&run, &runPlaces, ranges, events, ordinal, isReordering, &results)
          isReordering = false
          restart(&results)
          newest = time
        }
        count(at: time)
        hasRanges = true
        if hasLag, let range = pipeline.stage?.usable(ranges.measurement(at: index)) {
          while let reading = replayed.next(upTo: range.time) { lag?.add(reading) }
          lag?.add(range)
        }
        run.append(.range(index))
        runPlaces.append(place)
        if calibrates {
          differenceCount = 0
          thinned.add(ranges.measurement(at: index))
          if calibrationIsDue {
            flush(&run, &runPlaces, ranges, events, ordinal, isReordering, &results)
            isReordering = false
            moveOutput(into: &results)
            advanceCalibration(calibrate)
          }
        }
      }
    }
    flush(&run, &runPlaces, ranges, events, ordinal, isReordering, &results)
    catchUp(&results)
    moveOutput(into: &results)
    return results
  }

  /// Adds a measurement that is no range, which the stage processes before the next range.
  private mutating func add(
    _ reading: TimedMeasurement, _ results: inout Results, _ calibrate: @escaping StageMaker
  ) {
    guard isLocated else { return }
    let (kind, time) = (reading.kind, reading.time)
    // A tag without ranges has its positions at the instants of time differences.
    let isInstant = kind == .difference && !hasRanges
    if isInstant, let newest, time < newest, admit(time) == .clockStep {
      restart(&results)
      self.newest = nil
    }
    let isKept = readings.count(of: kind) < Self.mostReadings
    guard newest.map({ time.seconds(since: $0) <= Self.longestSilence }) ?? isKept else {
      return counts.unusedReadings += 1
    }
    switch history?.add(reading) ?? (newest.map { time < $0 } ?? false ? .late : .next) {
    case .next: pipeline.stage?.add(reading)
    case .reordered: isStale = true
    case .late: return counts.unusedReadings += 1
    }
    if isKept { readings.add(reading) }
    if hasLag { lag?.add(reading) }
    if adoptsReadings, kinds.insert(kind).inserted { restart(with: calibrate, &results) }
    guard isInstant else { return }
    differenceCount += 1
    expect(at: time, &results)
    if calibrates, calibrationIsDue {
      catchUp(&results)
      moveOutput(into: &results)
      advanceCalibration(calibrate)
    }
  }

  /// Makes a position due at `time`.
  private mutating func expect(at time: Timestamp, _ results: inout Results) {
    if newest == time {
      count(at: time)
      pipeline.stage?.expect(at: time)
      return
    }
    let entry = LiveHistory.Entry(instant: time)
    if let newest, time < newest {
      if history?.insert(entry) == true { isStale = true }
      return
    }
    catchUp(&results)
    newest = time
    count(at: time)
    pipeline.stage?.expect(at: time)
    history?.append(entry)
  }

  /// Computes the stage again if measurements were inserted before the newest range.
  private mutating func catchUp(_ results: inout Results) {
    guard isStale else { return }
    isStale = false
    moveOutput(into: &results)
    if let replayed = history?.replayed({ _, _ in }) { pipeline.stage = replayed }
    recomputedUpTo = last?.time
  }

  /// Replaces the stage by one for the kinds of measurements that there are now.
  private mutating func restart(with calibrate: @escaping StageMaker, _ results: inout Results) {
    catchUp(&results)
    moveOutput(into: &results)
    let (ranges, readings) = (calibrates ? thinned.ranges : [], readings)
    adopt(calibrate(ranges, readings))
    // The calibration that runs does not know them.
    if pending != nil { pending = PendingCalibration { calibrate(ranges, readings) } }
  }

  /// Outputs the positions that are due when the newest time of the stream is `now`.
  ///
  /// The time since the last range of the tag counts, so that a tag may have a clock of its own.
  mutating func advance(to now: Timestamp) -> [PositionRow] {
    guard isLocated, let newest else { return [] }
    let silence = min(now.seconds(since: lastRanged), Self.longestSilence)
    guard silence > 0 else { return [] }
    return output(before: newest.advanced(bySeconds: silence))
  }

  /// Longest silence in which positions are predicted, in seconds; beyond a minute there are none.
  private static let longestSilence = 90.0

  private mutating func output(before time: Timestamp) -> [PositionRow] {
    pipeline.stage?.writeDown(before: time)
    isOpen = false
    return output(pipeline.removePositions(), at: time)
  }

  /// Outputs the position of the newest instant, if it is still to be output.
  ///
  /// - Parameter onlyComplete: whether the instant must have as many ranges as usual.
  /// - Returns: The rows, at most one.
  mutating func outputNewest(onlyComplete: Bool) -> [PositionRow] {
    guard isOpen, let newest else { return [] }
    if onlyComplete, atInstant < usual ?? .max { return [] }
    return output(before: Timestamp(nanoseconds: newest.nanoseconds &+ 1))
  }

  /// Outputs the last position.
  mutating func finish() -> [PositionRow] {
    pipeline.stage?.finish()
    let rows = output(pipeline.removePositions())
    return rows + (lag?.finish() ?? [])
  }

  /// Adds the positions and events that the pipeline has output to `results`.
  private mutating func moveOutput(into results: inout Results) {
    results.positions += output(pipeline.removePositions())
    results.zoneEvents += pipeline.removeZoneEvents()
  }

  private enum Admission { case next, reordered, late, clockStep }

  private mutating func admit(_ time: Timestamp) -> Admission {
    guard let newest, time < newest else {
      if clockStep.isPending { clockStep = ClockStep() }
      newest = time
      return .next
    }
    if newest.seconds(since: time) <= horizon {
      return history == nil || time < history?.floor ?? time ? .late : .reordered
    }
    let limit = max(horizon, Self.clockStepLimit)
    return clockStep.isConfirmed(by: time, newest: newest, limit: limit) ? .clockStep : .late
  }

  /// Counts the ranges of an instant, whose usual number tells when it is complete.
  private mutating func count(at time: Timestamp) {
    if let newest, time < newest { return }
    if isNewInstant(time) {
      // Falls slowly, so that an anchor that is lost at times does not make an instant look complete.
      let before = usual ?? 0
      if instant != nil { usual = max(atInstant, before - (atInstant < before ? 1 : 0)) }
      atInstant = 0
    }
    atInstant += 1
    instant = time
    isOpen = isLocated
  }

  private var instant: Timestamp?
  private func isNewInstant(_ time: Timestamp) -> Bool { instant != time }

  /// Passes the ranges of `run` through the pipeline.
  private mutating func flush(
    _ run: inout [Timeline.Entry], _ places: inout [Int], _ ranges: RangeColumns,
    _ events: [RecordedEvent], _ ordinal: Int, _ isReordering: Bool, _ results: inout Results
  ) {
    guard !run.isEmpty, let watermark = time(of: run[run.count - 1], ranges, events) else { return }
    defer {
      run.removeAll(keepingCapacity: true)
      places.removeAll(keepingCapacity: true)
    }
    catchUp(&results)
    let slice = RecordingSlice(
      of: ranges, events: events, entries: run, ordinal: ordinal,
      watermark: isReordering ? Timestamp(nanoseconds: .min) : watermark)
    var stage: TagStage?
    if isReordering {
      // Before the stage is replaced by one that computes the same again.
      moveOutput(into: &results)
      stage = pipeline.stage
      pipeline.stage = nil
    }
    var found = pipeline.process(slice, at: Array(0..<Int32(run.count)))
    if isReordering, var history {
      self.history = nil
      var isInserted = false
      for (index, entry) in run.enumerated() {
        guard case .range(let row) = entry else { continue }
        if history.insert(ranges.entry(at: row, place: Int32(index))) {
          isInserted = true
        } else {
          found[index].decision = .unused
          counts.reordered -= 1
          counts.late += 1
        }
      }
      let replayed = isInserted ? history.replayed { found[$0].decision = $1 } : nil
      self.history = history
      pipeline.stage = replayed ?? stage
      recomputedUpTo = last?.time
    } else if history != nil {
      for case .range(let row) in run { history?.append(ranges.entry(at: row)) }
    }
    for (index, place) in places.enumerated() { results.ranges[place] = found[index] }
  }

  private func time(
    of entry: Timeline.Entry, _ ranges: RangeColumns, _ events: [RecordedEvent]
  ) -> Timestamp? {
    switch entry {
    case .range(let index): ranges.time[index]
    case .event(let index): events[index].time
    }
  }

  /// Applies an event of the session.
  private mutating func apply(
    _ entry: Timeline.Entry, _ event: RecordedEvent, _ ranges: RangeColumns,
    _ events: [RecordedEvent], _ ordinal: Int, _ results: inout Results
  ) {
    let slice = RecordingSlice(
      of: ranges, events: events, entries: [entry], ordinal: ordinal, watermark: event.time)
    _ = pipeline.process(slice, at: [0])
    guard event.event.isInterruption, event.anchor == nil, let stage = pipeline.stage else {
      return
    }
    history?.interrupt(at: event.time, stage: stage)
    lag?.interrupt(at: event.time)
    isOpen = false
  }

  // MARK: Restart and calibration

  /// Starts the tag again after a step of the clock.
  private mutating func restart(_ results: inout Results) {
    pipeline.stage?.finish()
    moveOutput(into: &results)
    results.positions += lag?.finish() ?? []
    if let given = lag, let fresh { lag = given.restarted(fresh) }
    counts.clockSteps += 1
    (last, recomputedUpTo) = (nil, nil)
    (atInstant, usual, instant) = (0, nil, nil)
    let names = pipeline.anchorNames
    pipeline = makePipeline(fresh)
    pipeline.anchorNames = names
    if let fresh, history != nil { history = LiveHistory(horizon: horizon, stage: fresh) }
  }

  private var calibrationIsDue: Bool {
    let count = hasRanges ? thinned.ranges.count : differenceCount
    let isFull =
      hasRanges ? thinned.isFull : count > TrackerCalibration.greatestDifferenceCount
    if let effect = schedule.effect { return count >= effect || isFull }
    return count >= schedule.start && !isFull
  }

  private mutating func advanceCalibration(_ calibrate: @escaping StageMaker) {
    if schedule.effect == nil {
      schedule.begin()
      let (ranges, readings) = (thinned.ranges, readings)
      pending = PendingCalibration { calibrate(ranges, readings) }
    } else if let stage = pending?.wait() {
      schedule.end()
      pending = nil
      adopt(stage)
    }
  }

  /// Calibrates again before the next range, because what ranges are used for has changed.
  mutating func calibrateAgain(_ calibrate: @escaping StageMaker) {
    guard calibrates else { return }
    let (ranges, readings) = (thinned.ranges, readings)
    schedule.begin(at: hasRanges ? ranges.count : differenceCount)
    pending = PendingCalibration { calibrate(ranges, readings) }
  }

  /// Continues the track with the settings of `stage`.
  private mutating func adopt(_ stage: TagStage) {
    fresh = stage
    if !readings.isEmpty { fresh?.setReadings(SensorReadings()) }
    lag?.adopt(stage)
    guard history != nil else { return }
    pipeline.stage = history?.adopt(stage)
    recomputedUpTo = last?.time
    isCalibrated = true
  }

  /// Whether a calibration has taken effect since this was last asked.
  private var isCalibrated = false
  mutating func consumeIsCalibrated() -> Bool {
    defer { isCalibrated = false }
    return isCalibrated
  }

  // MARK: Output

  /// Returns the rows that are to be output: with a lag, those that have waited long enough.
  private mutating func output(
    _ rows: [PositionRow], at now: Timestamp? = nil
  ) -> [PositionRow] {
    let fresh = unseen(rows)
    guard hasLag else { return fresh }
    lag?.hold(fresh)
    guard let time = now ?? newest else { return [] }
    return lag?.release(at: time) ?? []
  }

  /// Returns the rows that were not output before; a row of the same instant as the last one
  /// replaces it, with all ranges of the instant.
  private mutating func unseen(_ rows: [PositionRow]) -> [PositionRow] {
    if rows.isEmpty { return [] }
    var result: [PositionRow] = []
    result.reserveCapacity(rows.count)
    for var row in rows {
      if let recomputedUpTo, row.time <= recomputedUpTo { continue }
      if let last, row.time <= last.time {
        if row.time < last.time { continue }
        row.used += last.used
        row.rejected += last.rejected
      }
      last = row
      result.append(row)
    }
    return result
  }
}

extension RangeColumns {
  /// Returns the range at `index` with the height of its row.
  fileprivate func entry(at index: Int, place: Int32 = -1) -> LiveHistory.Entry {
    let height = self[.height]?[index] ?? .nan
    return LiveHistory.Entry(
      measurement(at: index), height: height.isNaN ? nil : height, place: place)
  }
}
