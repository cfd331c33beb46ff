import Fathom

/// One tag of a live stream: its links, its track, and its recent measurements.
struct LiveTag: Sendable {
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

  private var pipeline: any TagPipeline
  /// Whether the pipeline has a stage; comparing the stage with nil would copy it.
  private let isLocated: Bool
  /// The recent ranges; nil without anchors, and with directions, which are not reordered.
  private var history: LiveHistory?
  private var output: LiveOutput
  private let horizon: Double
  private let makePipeline: @Sendable (TagStage?) -> any TagPipeline
  /// The calibrated stage before any range, for a restart.
  private var fresh: TagStage?
  private(set) var newest: Timestamp?
  /// The newest time of the stream when a measurement last made a position due.
  private var lastRanged = Timestamp(nanoseconds: .min)
  /// The newest time of the stream.
  private var now = Timestamp(nanoseconds: .min)
  private var clockStep = ClockStep()
  /// Limit of a step of the clock, in seconds, as in `TrackerConfiguration`.
  private static let clockStepLimit = TrackerConfiguration().clockStep
  private(set) var counts = Counts()
  private var instant = LiveInstant()
  private var calibration: LiveTagCalibration
  /// Whether a measurement was inserted that the stage has not processed.
  private var isStale = false

  /// Creates a tag, whose positions are computed by `stage`, nil without anchors.
  ///
  /// Ranges may be late by `horizon` seconds. Positions wait for `lag` seconds to be smoothed, if
  /// any. With `calibrates`, the stage is calibrated while ranges come; with `adoptsKinds`, a new
  /// stage is made for measurements of a kind that did not exist before. The stage has the
  /// measurements `replayed` from the beginning.
  init(
    stage: TagStage?, anchors: [Anchor], horizon: Double, lag: Double?, calibrates: Bool,
    adoptsKinds: Bool, replayed: SensorReadings,
    makePipeline: @escaping @Sendable (TagStage?) -> any TagPipeline
  ) {
    self.horizon = horizon
    self.makePipeline = makePipeline
    isLocated = stage != nil
    fresh = stage
    pipeline = makePipeline(stage)
    calibration = LiveTagCalibration(
      anchorCount: anchors.count, isRunning: calibrates && stage != nil,
      adoptsKinds: adoptsKinds && stage != nil)
    output = LiveOutput(
      lag: stage.flatMap { stage in lag.map { LiveLag($0, of: stage, anchors: anchors) } },
      replayed: replayed)
    if let stage, !stage.takesDirections { history = LiveHistory(horizon: horizon, stage: stage) }
  }

  /// Sets the names of the anchors of a stream without declared anchors.
  mutating func know(anchorNames: [String]) { pipeline.anchorNames = anchorNames }

  /// The estimated motion and range-error parameters.
  func calibrationSummary(anchorNames: [String]) -> RecordingSummary.Calibration? {
    pipeline.stage?.findings(anchorNames: anchorNames).calibration
  }

  /// The ranges for the calibration.
  var calibrationRanges: [RangeMeasurement] { calibration.thinned.ranges }

  /// Whether the tag has had ranges; one with time differences alone has its positions at their instants.
  var hasRanges: Bool { calibration.hasRanges }

  /// Whether the position of the newest instant is still to be output.
  var isOpen: Bool { instant.isOpen }

  // MARK: Ranges

  /// Processes the entries of a batch that belong to the tag, in the order of their arrival.
  ///
  /// `ordinal` is the number of entries of the stream before these, `now` the newest time of the
  /// stream with them. `calibrate` returns a calibrated stage.
  mutating func process(
    _ entries: [LiveTagBatch.Entry], of batch: LiveTagBatch, ordinal: Int, now: Timestamp,
    calibrate: @escaping LiveTagCalibration.StageMaker
  ) -> LiveTagBatch.Results {
    self.now = now
    let ranges = batch.ranges
    var results = LiveTagBatch.Results()
    var run = LiveTagBatch.Run()
    for entry in entries {
      switch entry {
      case .event(let index):
        flush(&run, batch, ordinal, &results)
        apply(batch.events[index], ordinal)
      case .reading(let index):
        flush(&run, batch, ordinal, &results)
        add(batch.readings[index].measurement, &results, calibrate)
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
          run.isReordering = true
        case .clockStep:
          flush(&run, batch, ordinal, &results)
          restart(&results)
          newest = time
        }
        count(at: time)
        let range = ranges.measurement(at: index)
        if output.hasLag, let range = pipeline.stage?.usable(range) { output.add(range) }
        run.append(index, at: place)
        calibration.add(range)
        if calibration.isDue {
          flush(&run, batch, ordinal, &results)
          advanceCalibration(calibrate, &results)
        }
      }
    }
    flush(&run, batch, ordinal, &results)
    moveOutput(into: &results)
    return results
  }

  /// Adds a measurement that is no range, which the stage processes before the next range.
  private mutating func add(
    _ reading: TimedMeasurement, _ results: inout LiveTagBatch.Results,
    _ calibrate: @escaping LiveTagCalibration.StageMaker
  ) {
    guard isLocated else { return }
    let (kind, time) = (reading.kind, reading.time)
    let isInstant = kind == .difference && !hasRanges
    if isInstant, let newest, time < newest, admit(time) == .clockStep {
      restart(&results)
      self.newest = nil
    }
    guard
      newest.map({ time.seconds(since: $0) <= Self.longestSilence }) ?? calibration.keeps(kind)
    else { return counts.unusedReadings += 1 }
    switch history?.add(reading) ?? (newest.map { time < $0 } ?? false ? .late : .next) {
    case .next: pipeline.stage?.add(reading)
    case .reordered: isStale = true
    case .late: return counts.unusedReadings += 1
    }
    output.add(reading)
    if calibration.add(reading) {
      catchUp(&results)
      moveOutput(into: &results)
      adopt(calibration.stageOfKinds(calibrate))
    }
    guard isInstant else { return }
    expect(at: time, &results)
    if calibration.isDue { advanceCalibration(calibrate, &results) }
  }

  /// Makes a position due at `time`.
  private mutating func expect(at time: Timestamp, _ results: inout LiveTagBatch.Results) {
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
  private mutating func catchUp(_ results: inout LiveTagBatch.Results) {
    guard isStale else { return }
    isStale = false
    moveOutput(into: &results)
    if let replayed = history?.replayed({ _, _ in }) { pipeline.stage = replayed }
    output.expectRepetition()
  }

  /// Outputs the positions that are due when the time of the stream is `now`.
  ///
  /// The time since the last range of the tag counts, so that a tag may have a clock of its own.
  mutating func advance(to now: Timestamp) -> [PositionRow] {
    guard isLocated, let newest else { return [] }
    let silence = min(now.seconds(since: lastRanged), Self.longestSilence)
    guard silence > 0 else { return [] }
    return rows(before: newest.advanced(bySeconds: silence))
  }

  /// Longest silence in which positions are predicted, in seconds; beyond a minute there are none.
  private static let longestSilence = 90.0

  private mutating func rows(before time: Timestamp) -> [PositionRow] {
    pipeline.stage?.emit(before: time)
    instant.close()
    return output.rows(pipeline.removePositions(), at: time)
  }

  /// Outputs the position of the newest instant, if it is still to be output, as at most one row.
  ///
  /// With `onlyComplete`, the instant must have as many ranges as usual.
  mutating func outputNewest(onlyComplete: Bool) -> [PositionRow] {
    guard isOpen, let newest, !onlyComplete || instant.isComplete else { return [] }
    return rows(before: Timestamp(nanoseconds: newest.nanoseconds &+ 1))
  }

  /// Outputs the last position.
  mutating func finish() -> [PositionRow] {
    pipeline.stage?.finish()
    return output.rows(pipeline.removePositions(), at: newest) + output.finish()
  }

  /// Adds the positions and events that the pipeline has output to `results`.
  private mutating func moveOutput(into results: inout LiveTagBatch.Results) {
    results.positions += output.rows(pipeline.removePositions(), at: newest)
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

  /// Counts a measurement at which a position is due.
  private mutating func count(at time: Timestamp) {
    lastRanged = now
    if isLocated, newest.map({ time >= $0 }) ?? true { instant.add(at: time) }
  }

  /// Passes the ranges of `run` through the pipeline.
  private mutating func flush(
    _ run: inout LiveTagBatch.Run, _ batch: LiveTagBatch, _ ordinal: Int,
    _ results: inout LiveTagBatch.Results
  ) {
    catchUp(&results)
    guard let last = run.rows.last else { return }
    let ranges = batch.ranges
    let slice = RecordingSlice(
      of: ranges, events: [], entries: run.rows.map { .range($0) }, ordinal: ordinal,
      watermark: run.isReordering ? Timestamp(nanoseconds: .min) : ranges.time[last])
    let places = Array(0..<Int32(run.rows.count))
    var found: [RangeResult]
    if run.isReordering {
      // Before the stage is replaced by one that computes the same again.
      moveOutput(into: &results)
      let stage = pipeline.stage
      pipeline.stage = nil
      found = pipeline.process(slice, at: places)
      pipeline.stage = sortIn(run.rows, of: ranges, deciding: &found) ?? stage
      output.expectRepetition()
    } else {
      found = pipeline.process(slice, at: places)
      for row in run.rows { history?.append(ranges.entry(at: row)) }
    }
    for (index, place) in run.places.enumerated() { results.ranges[place] = found[index] }
    run.removeAll()
  }

  /// Inserts ranges into the history; returns the stage after all of them, nil if they all came too late.
  private mutating func sortIn(
    _ rows: [Int], of ranges: RangeColumns, deciding results: inout [RangeResult]
  ) -> TagStage? {
    guard var history else { return nil }
    self.history = nil
    defer { self.history = history }
    var isInserted = false
    for (index, row) in rows.enumerated() {
      if history.insert(ranges.entry(at: row, place: Int32(index))) {
        isInserted = true
      } else {
        results[index].decision = .unused
        counts.reordered -= 1
        counts.late += 1
      }
    }
    return isInserted ? history.replayed { results[$0].decision = $1 } : nil
  }

  /// Applies an event of the session.
  private mutating func apply(_ event: RecordedEvent, _ ordinal: Int) {
    let slice = RecordingSlice(
      of: RangeColumns(), events: [event], entries: [.event(0)], ordinal: ordinal,
      watermark: event.time)
    _ = pipeline.process(slice, at: [0])
    guard event.event.isInterruption, event.anchor == nil, let stage = pipeline.stage else {
      return
    }
    history?.interrupt(at: event.time, stage: stage)
    output.interrupt(at: event.time)
    instant.close()
  }

  // MARK: Restart and calibration

  /// Starts the tag again after a step of the clock.
  private mutating func restart(_ results: inout LiveTagBatch.Results) {
    catchUp(&results)
    pipeline.stage?.finish()
    moveOutput(into: &results)
    results.positions += output.finish()
    output.restart(fresh)
    counts.clockSteps += 1
    instant = LiveInstant()
    let names = pipeline.anchorNames
    pipeline = makePipeline(fresh)
    pipeline.anchorNames = names
    if let fresh, history != nil { history = LiveHistory(horizon: horizon, stage: fresh) }
  }

  private mutating func advanceCalibration(
    _ calibrate: @escaping LiveTagCalibration.StageMaker, _ results: inout LiveTagBatch.Results
  ) {
    catchUp(&results)
    moveOutput(into: &results)
    if let stage = calibration.advance(calibrate) { adopt(stage) }
  }

  /// Calibrates again before the next range, because the use of ranges has changed.
  mutating func calibrateAgain(_ calibrate: @escaping LiveTagCalibration.StageMaker) {
    calibration.repeatSoon(calibrate)
  }

  /// Continues the track with the settings of `stage`.
  private mutating func adopt(_ stage: TagStage) {
    fresh = stage
    if !calibration.readings.isEmpty { fresh?.setReadings(SensorReadings()) }
    output.adopt(stage)
    guard history != nil else { return }
    pipeline.stage = history?.adopt(stage)
    output.expectRepetition()
    isCalibrated = true
  }

  /// Whether a calibration has taken effect since this was last asked.
  private var isCalibrated = false
  mutating func consumeIsCalibrated() -> Bool {
    defer { isCalibrated = false }
    return isCalibrated
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
