import Fathom

/// The positions of all tags of a recording with anchors, by the method that was asked for.
///
/// Decides when a position is written down: when the last range of an instant has come, or at every
/// step of a fixed grid.
struct TagStages {
  /// One per tag for the method `fix`, otherwise empty.
  private var fixes: [FixStage] = []
  /// One per tag for the method `filter`, otherwise empty.
  private var filters: [FilterStage] = []
  /// One per tag for the method `smooth`, otherwise empty.
  private var smoothers: [SmoothStage] = []
  /// What ``solve()`` found for each of them; nil for a tag without a track.
  private var tracks: [SmoothedTrack?] = []
  private var isSolved = false
  /// The instant of each tag from which on positions are still to be written down: that of its last
  /// range, on a grid also where an event has come since.
  private var pending: [Timestamp?]
  private let anchorNames: [String]
  /// Step of the grid, nanoseconds; nil for one position per instant.
  private let step: Int64?
  /// The last grid instant of each tag that was written down.
  private var written: [Timestamp?]

  /// A track without ranges is written down as often as this, seconds.
  private static let longestSilence = 1.0
  /// For so long at most, seconds.
  private static let longestHold = 60.0
  /// How long a grid goes on without ranges, seconds: a damaged time stamp must not fill the disk.
  private static let longestCoast = 10.0

  init(
    _ recording: Recording, _ settings: ProcessingSettings, variant: PositionVariant = .standard
  ) {
    switch settings.method {
    case .fix:
      fixes = recording.tagNames.map { name in
        FixStage(
          tag: name, anchors: recording.anchors, height: settings.heightM,
          window: settings.epochWindowS ?? 0, sigma: settings.rangeSigmaM,
          isLinear: variant == .linear, loss: variant == .gaussian ? .squared : .cauchy)
      }
    case .filter:
      filters = recording.tagNames.indices.map { tag in
        FilterStage(
          tag: recording.tagNames[tag], anchors: recording.anchors,
          calibration: Self.calibration(
            of: tag, in: recording, settings: settings, variant: variant))
      }
    case .smooth:
      smoothers = recording.tagNames.indices.map { tag in
        SmoothStage(
          tag: recording.tagNames[tag], anchors: recording.anchors,
          calibration: Self.calibration(
            of: tag, in: recording, settings: settings, variant: variant))
      }
    }
    anchorNames = recording.anchorNames
    pending = Array(repeating: nil, count: recording.tagNames.count)
    written = pending
    step = settings.rateHz.map { max(1, Int64((1e9 / $0).rounded())) }
  }

  /// The settings to track a tag with: what its ranges speak for, or those of the variant.
  private static func calibration(
    of tag: Int, in recording: Recording, settings: ProcessingSettings, variant: PositionVariant
  ) -> TrackerCalibration {
    var configuration = settings.tracker(height: settings.heightM)
    if variant == .standard {
      return TrackerCalibration.calibrated(
        on: recording.ranges(ofTag: tag), anchors: recording.anchors, from: configuration)
    }
    configuration.modes.liveliness = 1
    configuration.errors.correlatedShare = 0
    configuration.calibratesCovariance = false
    if variant == .gaussian { configuration.errors.degreesOfFreedom = .infinity }
    return TrackerCalibration(configuration: configuration)
  }

  /// Takes in a range of a tag and says what the filter made of it; what `fix` made of it shows only
  /// at the end, see ``isUnused(_:)``.
  mutating func add(
    tag: Int, distance: Double, sigma: Double?, anchor: Int, at time: Timestamp, index: Int
  ) -> DistanceColumns.Decision {
    writeDown(tag, before: time)
    pending[tag] = time
    if !filters.isEmpty {
      return filters[tag].add(distance: distance, sigma: sigma, anchor: anchor, at: time)
    }
    if fixes.isEmpty {
      smoothers[tag].add(distance: distance, sigma: sigma, anchor: anchor, at: time, index: index)
    } else {
      fixes[tag].add(distance: distance, sigma: sigma, anchor: anchor, at: time, index: index)
    }
    return .used
  }

  /// Takes in an event: an interruption of all links of a tag starts a new segment of its track.
  mutating func apply(_ event: RecordedEvent) {
    let tag = Int(event.tag)
    writeDown(tag, before: event.time)
    if event.event.isInterruption, event.anchor == nil {
      if !filters.isEmpty { filters[tag].interrupt() }
      if !smoothers.isEmpty { smoothers[tag].interrupt(at: event.time) }
    }
  }

  /// Makes room for `count` positions of each tag, so that writing them down does not allocate.
  mutating func reserveCapacity(_ count: Int) {
    for index in filters.indices { filters[index].reserveCapacity(count) }
  }

  /// Finds the tracks of the method `smooth`, once all ranges are there.
  mutating func solve() {
    isSolved = true
    let alternatives = smoothers.map(\.alternatives)
    var chosen = SmoothedAlternatives.chosen(alternatives.compactMap { $0 })[...]
    tracks = alternatives.map { $0 == nil ? nil : chosen.removeFirst() }
  }

  /// Writes down what is still due, and returns all positions in order of time.
  mutating func finished() -> PositionColumns {
    for tag in pending.indices {
      guard let instant = pending[tag] else { continue }
      if let step, gridInstant(tag, from: instant, step: step) != instant { continue }
      emit(tag, at: instant)
    }
    if !isSolved { solve() }
    for tag in smoothers.indices { smoothers[tag].finish(with: tracks[tag]) }
    var all = PositionColumns()
    for positions in fixes.map(\.positions) + filters.map(\.positions)
      + smoothers.map(\.positions)
    {
      all.append(contentsOf: positions)
    }
    return all.sortedByTime()
  }

  /// Whether the method is `fix` and range `index` of the recording went into no position.
  func isUnused(_ index: Int) -> Bool {
    !fixes.isEmpty && !fixes.contains { $0.used.contains(index) }
  }

  /// What the method `smooth` made of each range, with its index in the recording; nothing for others.
  var smoothedDecisions: [(index: Int, decision: DistanceColumns.Decision)] {
    smoothers.flatMap(\.decisions)
  }

  /// Adds what the method has to say about itself.
  func describe(in summary: inout RecordingSummary) {
    if !smoothers.isEmpty {
      summary.calibration = smoothers.map { $0.found(anchorNames: anchorNames) }
    } else if fixes.isEmpty {
      let sums = filters.map(\.innovations).reduce(InnovationSums(), +)
      if sums.count > 0 {
        summary.consistency = RecordingSummary.Consistency(
          meanNormalizedSquare: sums.normalizedSquares / Double(sums.count),
          sigmaScale: (sums.noiseFactors / Double(sums.count)).squareRoot(),
          innovations: sums.count, timeline: sums.timeline.summary)
      }
      summary.calibration = filters.map(\.calibration)
    } else {
      summary.undeterminedEpochs = fixes.map(\.undetermined).reduce(0, +)
    }
  }

  /// Writes down what is due for `tag` before `time`.
  private mutating func writeDown(_ tag: Int, before time: Timestamp) {
    guard let instant = pending[tag], instant < time else { return }
    guard let step else {
      pending[tag] = nil
      emit(tag, at: instant)
      emitOver(tag, from: instant, to: time)
      return
    }
    let end = min(time, instant.advanced(bySeconds: Self.longestCoast))
    while let next = gridInstant(tag, from: instant, step: step), next < end {
      emit(tag, at: next)
      written[tag] = next
    }
  }

  /// Writes down a position every second of a stretch without ranges, as far as a track says where the
  /// tag is held to be.
  private mutating func emitOver(_ tag: Int, from begin: Timestamp, to end: Timestamp) {
    guard fixes.isEmpty, end.seconds(since: begin) > Self.longestSilence else { return }
    for second in 1...Int(Self.longestHold / Self.longestSilence) {
      let instant = begin.advanced(bySeconds: Double(second) * Self.longestSilence)
      guard instant < end else { return }
      emit(tag, at: instant)
    }
  }

  /// The first instant of the grid of `tag` that is not before `instant` and not written down yet;
  /// nil where no time stamp can hold it.
  ///
  /// Grid instants are whole multiples of the step, so that grids of different tags coincide.
  private func gridInstant(_ tag: Int, from instant: Timestamp, step: Int64) -> Timestamp? {
    let sum: (partialValue: Int64, overflow: Bool)
    if let last = written[tag], last >= instant {
      sum = last.nanoseconds.addingReportingOverflow(step)
    } else {
      let remainder = instant.nanoseconds % step
      sum = instant.nanoseconds.addingReportingOverflow(
        remainder > 0 ? step - remainder : -remainder)
    }
    return sum.overflow ? nil : Timestamp(nanoseconds: sum.partialValue)
  }

  private mutating func emit(_ tag: Int, at time: Timestamp) {
    if !filters.isEmpty {
      filters[tag].emit(at: time)
    } else if fixes.isEmpty {
      smoothers[tag].emit(at: time)
    } else {
      fixes[tag].solve(at: time)
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
