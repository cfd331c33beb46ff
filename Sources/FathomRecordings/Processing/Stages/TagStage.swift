import Fathom

/// Another way to compute positions than `fathom process` takes, to compare it with.
package enum PositionVariant: Sendable, Equatable {
  /// What `process` does.
  case standard
  /// Every epoch by the linearised equations alone.
  case linear
  /// A filter with a single mode of motion and independent errors of fixed size.
  case singleMode
  /// A fix or a filter whose ranges all have their full weight, however far off they are.
  case gaussian
}

/// The positions of one tag of a recording with anchors, by the method that was asked for.
///
/// Decides when a position is written down: when the last range of an instant has come, every second of
/// a silence, or at every step of a fixed grid.
struct TagStage {
  /// Which of the three is there.
  ///
  /// To compare one with nil would copy it.
  private let method: PositionMethod
  private var fix: FixStage?
  private var filter: FilterStage?
  private var smooth: SmoothStage?
  /// Whether the directions of ranges are wanted.
  private(set) var takesDirections = false
  /// What is taken off each range by the strength of its signal before it comes here; nil for nothing.
  private(set) var rssiBiasCurve: RSSIBiasCurve?
  /// The instant of the last range, whose position is still to be written down, on a grid also where
  /// time has gone on.
  private var pending: Timestamp?
  /// The last instant with ranges that was written down, after which the tag has been silent.
  private var silentSince: Timestamp?
  /// Seconds of the silence that were written down.
  private var silence = 0
  /// The instant of the tag's last range of all, after which nothing is written down.
  private let end: Timestamp
  /// Step of the grid, nanoseconds; nil for one position per instant.
  private let step: Int64?
  /// The last grid instant that was written down.
  private var written: Timestamp?

  /// A track without ranges is written down for so many seconds at most.
  private static let longestHold = 60

  /// A stage for the tag at place `tag` of `outline`, whose ranges begin with `calibrationRanges`.
  init(
    tag: Int, of outline: RecordingOutline, calibrationRanges: [RangeMeasurement],
    _ settings: ProcessingSettings, variant: PositionVariant = .standard
  ) {
    let name = outline.tagNames[tag]
    method = settings.method
    end = outline.ends[tag] ?? Timestamp(nanoseconds: .max)
    step = settings.rateHz.map { max(1, Int64((1e9 / $0).rounded())) }
    if method == .fix {
      fix = FixStage(
        anchors: outline.anchors, height: settings.heightM,
        heightSigma: settings.heightSigmaM, bounds: settings.boundsM.flatMap(TagBounds.box),
        window: settings.epochWindowS ?? 0, sigma: settings.rangeSigmaM,
        isLinear: variant == .linear, loss: variant == .gaussian ? .squared : .cauchy)
      if let attitudes = outline.usableAttitudes, variant != .linear {
        fix = fix?.withDirections(attitudes, settings)
      }
      takesDirections = fix?.directions != nil
      return
    }
    var calibration = Self.calibration(
      calibrationRanges, anchors: outline.anchors, settings: settings, variant: variant)
    var calibrationRanges = calibrationRanges
    if variant == .standard {
      calibration = calibration.withRSSIBiasCurve(
        on: calibrationRanges, anchors: outline.anchors,
        from: settings.tracker(height: settings.heightM))
      rssiBiasCurve = calibration.rssiBiasCurve
      if let rssiBiasCurve { calibrationRanges = calibrationRanges.map(rssiBiasCurve.corrected) }
      calibration = calibration.weighingOffsets(on: calibrationRanges, anchors: outline.anchors)
    }
    if method == .filter {
      if variant == .standard {
        calibration = calibration.withIndependentErrors(
          on: calibrationRanges, anchors: outline.anchors
        )
        .withCorrections(on: calibrationRanges, anchors: outline.anchors)
      }
      let directions = outline.usableAttitudes.map { TagDirections($0, settings) }
      if directions != nil {
        calibration.configuration.headingSigma = settings.headingSigmaRad.map {
          Angle(radians: $0)
        }
      }
      filter = FilterStage(
        tag: name, anchors: outline.anchors, calibration: calibration, directions: directions)
      takesDirections = directions != nil
    } else {
      smooth = SmoothStage(tag: name, anchors: outline.anchors, calibration: calibration)
    }
  }

  /// The settings to track a tag with: what its ranges speak for, or those of the variant.
  private static func calibration(
    _ calibrationRanges: [RangeMeasurement], anchors: [Anchor], settings: ProcessingSettings,
    variant: PositionVariant
  ) -> TrackerCalibration {
    var configuration = settings.tracker(height: settings.heightM)
    if variant == .standard {
      return TrackerCalibration.calibrated(
        on: calibrationRanges, anchors: anchors, from: configuration)
    }
    configuration.modes.processNoiseRatio = 1
    configuration.errors.correlatedShare = 0
    configuration.errors.repetitionTime = 0
    configuration.errors.commonModeSigma = 0
    configuration.calibratesCovariance = false
    if variant == .gaussian { configuration.errors.degreesOfFreedom = .infinity }
    return TrackerCalibration(configuration: configuration)
  }

  /// Takes in a range and says what the filter made of it; what `fix` and `smooth` made of it shows only
  /// at the end, see ``decisions``.
  mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision {
    writeDown(before: time)
    pending = time
    switch method {
    case .filter:
      return filter?.add(distance: distance, sigma: sigma, anchor: anchor, at: time) ?? .unused
    case .fix: fix?.add(distance: distance, sigma: sigma, anchor: anchor, at: time)
    case .smooth: smooth?.add(distance: distance, sigma: sigma, anchor: anchor, at: time)
    }
    return .used
  }

  /// Takes in the direction that row `index` of `ranges` measured, whose range was just taken in.
  mutating func addDirection(at index: Int, of ranges: RangeColumns) {
    if method == .filter {
      filter?.addDirection(at: index, of: ranges)
    } else {
      fix?.addDirection(at: index, of: ranges)
    }
  }

  /// How many ranges had a direction with and without an attitude; nil where no attitude is known.
  var directionCounts: (found: Int, missing: Int)? {
    (fix?.directions ?? filter?.directions).map { ($0.found, $0.missing) }
  }

  /// Takes in an event: an interruption of all links of the tag starts a new segment of its track.
  mutating func apply(_ event: RecordedEvent) {
    writeDown(before: event.time)
    guard event.event.isInterruption, event.anchor == nil else { return }
    // Where the tag goes from here nobody knows.
    silentSince = nil
    filter?.interrupt()
    smooth?.interrupt(at: event.time)
  }

  /// Makes room for `count` positions, so that writing them down does not allocate.
  mutating func reserveCapacity(_ count: Int) { filter?.reserveCapacity(count) }

  /// Writes down what is still due; call once, after the last range.
  mutating func finish() {
    guard let instant = pending else { return }
    if let step, gridInstant(from: instant, step: step) != instant { return }
    pending = nil
    emit(at: instant)
  }

  /// For the method `smooth`, the tracks that may go through all ranges of the tag.
  var alternatives: OffsetHypotheses? { smooth?.alternatives }

  /// Takes over the track that was chosen.
  mutating func finish(with track: SmoothedTrack?) { smooth?.finish(with: track) }

  /// The tracks of several tags that go best together, nil for those without; a tag that is not smoothed
  /// has none.
  static func solved(_ stages: [TagStage]) -> [SmoothedTrack?] {
    let alternatives = stages.map(\.alternatives)
    var chosen = OffsetHypotheses.chosen(alternatives.compactMap { $0 })[...]
    return alternatives.map { $0 == nil ? nil : chosen.removeFirst() }
  }

  /// The positions written down since they were last asked for, in order of time.
  mutating func takePositions() -> [PositionRow] {
    fix?.takePositions() ?? filter?.takePositions() ?? smooth?.takePositions() ?? []
  }

  /// What `fix` or `smooth` made of the ranges, in the order of their coming; nil for `filter`, which
  /// says so at once.
  var decisions: [DistanceColumns.Decision]? { fix?.decisions ?? smooth?.decisions }

  /// What a filter's innovations say.
  var innovations: InnovationSums? { filter?.innovations }

  /// What was found out about motion and ranges.
  func calibration(anchorNames: [String]) -> RecordingSummary.Calibration? {
    filter?.calibrationSummary(anchorNames: anchorNames)
      ?? smooth?.calibrationSummary(anchorNames: anchorNames)
  }

  /// Epochs that determine no position, for the method `fix`.
  var undetermined: Int? { fix?.undetermined }

  // MARK: Writing down

  /// Writes down what is due before `time`, up to which nothing more will come.
  mutating func writeDown(before time: Timestamp) {
    guard let step else {
      if let instant = pending, instant < time {
        pending = nil
        emit(at: instant)
        silentSince = method == .fix ? nil : instant
        silence = 0
      }
      if pending == nil, let silentSince { emitSilence(since: silentSince, before: time) }
      return
    }
    guard let instant = pending, instant < time, instant < end else { return }
    let limit = min(time, end, instant.advanced(bySeconds: RecordingLimits.longestGridCoast))
    while let next = gridInstant(from: instant, step: step), next < limit {
      emit(at: next)
      written = next
    }
  }

  /// Writes down a position every second of a period without ranges, as far as a track says where the
  /// tag is held to be.
  private mutating func emitSilence(since begin: Timestamp, before time: Timestamp) {
    // Mostly the tag goes on within the first second.
    let (second, isEndless) = begin.nanoseconds.addingReportingOverflow(1_000_000_000)
    if silence == 0, isEndless || time.nanoseconds <= second { return }
    while silence < Self.longestHold {
      let instant = begin.advanced(bySeconds: Double(silence + 1))
      guard instant < time, instant < end else { return }
      emit(at: instant)
      silence += 1
    }
    silentSince = nil
  }

  /// The first instant of the grid that is not before `instant` and not written down yet; nil where no
  /// time stamp can hold it.
  ///
  /// Grid instants are whole multiples of the step, so that grids of different tags coincide.
  private func gridInstant(from instant: Timestamp, step: Int64) -> Timestamp? {
    let sum: (partialValue: Int64, overflow: Bool)
    if let last = written, last >= instant {
      sum = last.nanoseconds.addingReportingOverflow(step)
    } else {
      let remainder = instant.nanoseconds % step
      sum = instant.nanoseconds.addingReportingOverflow(
        remainder > 0 ? step - remainder : -remainder)
    }
    return sum.overflow ? nil : Timestamp(nanoseconds: sum.partialValue)
  }

  private mutating func emit(at time: Timestamp) {
    switch method {
    case .filter: filter?.emit(at: time)
    case .smooth: smooth?.emit(at: time)
    case .fix: fix?.solve(at: time)
    }
  }
}

extension SessionEvent {
  /// Whether the tag may have moved unseen before the next range.
  var isInterruption: Bool {
    switch self {
    case .suspended, .stopped, .removed, .invalidated: true
    case .started, .resumed: false
    }
  }
}
