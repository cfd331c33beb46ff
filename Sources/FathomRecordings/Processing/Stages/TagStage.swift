import Fathom

/// Computes the positions of one tag of a recording with anchors by the chosen method.
struct TagStage {
  /// The method, which tells which of the three stages exists.
  ///
  /// Comparing a stage with nil would copy it.
  private let method: PositionMethod
  private var fix: FixStage?
  private var filter: FilterStage?
  private var smooth: SmoothStage?
  /// Whether the stage uses the directions of ranges.
  private(set) var takesDirections = false
  /// The RSSI-dependent range bias that is subtracted from each range; nil for no correction.
  private var rssiBiasCurve: RSSIBiasCurve?
  /// When positions are output.
  private var schedule: OutputSchedule
  /// Whether rows can have heights, and the time of the last one that was used.
  private let hasHeights: Bool
  private var lastHeight: Timestamp?
  /// The time differences of a tag without ranges.
  private var differences: [TimedDifference] = []
  /// The tag and its last pose, if its poses are odometry.
  private var framedTag: (name: String, pose: TimedPose?)?
  /// Indices of the anchors whose ranges are not used.
  private let excluded: Set<Int>
  /// The number of ranges so far, and which of them were left out, for ``decisions``.
  private var arrived = 0
  private var leftOut: [Int] = []
  /// The number of ranges whose decisions were taken.
  private var decided = 0

  /// Creates a stage for the tag at index `tag` of `outline`, calibrated on its first ranges.
  ///
  /// The method `fix` takes the errors of ranges from `errors`; the others take what the tag has in
  /// common with others from `common`, or calibrate it by itself. In a stream, whose outline has no
  /// measurements but ranges, `readings` are those on which the stage is calibrated; without `calibrates`
  /// they are used with their usual errors.
  init(
    tag: Int, of outline: RecordingOutline, calibrationRanges: [RangeMeasurement],
    _ settings: ProcessingSettings, variant: PositionVariant = .standard,
    errors: RangeErrorEstimate? = nil, common: CommonCalibration? = nil,
    readings: SensorReadings? = nil, calibrates: Bool = true
  ) {
    let name = outline.tagNames[tag]
    method = settings.method
    excluded = outline.excludedAnchors
    // A file of heights replaces those of the rows.
    hasHeights = outline.hasHeights && variant == .standard && outline.sensors.heights.isEmpty
    schedule = OutputSchedule(
      end: outline.ends[tag], rateHz: settings.rateHz, continuesInGaps: method != .fix)
    if outline.sensors.onlyDifferences != nil {
      differences = outline.readings(of: tag).differences
    }
    if method == .fix {
      var sigma = settings.rangeSigma(errors)
      if !differences.isEmpty, settings.rangeSigmaIsGiven != true {
        let settings = settings.tracker(height: settings.heightM)
        sigma =
          TrackerCalibration(configuration: settings)
          .withDifferences(differences, anchors: outline.anchors).configuration.errors.sigma
      }
      fix = FixStage(
        anchors: outline.anchors, height: settings.heightM,
        heightSigma: settings.heightSigmaM, side: settings.side,
        bounds: settings.boundsM.flatMap(TagBounds.box),
        window: settings.epochWindowS ?? 0, sigma: sigma,
        loss: variant == .gaussian ? .squared : .cauchy,
        errors: errors, bias: settings.rangeBiasM ?? 0)
      if let attitudes = outline.usableAttitudes, variant != .linear {
        fix = fix?.withDirections(attitudes, settings)
      }
      if variant == .standard { fix = fix?.withHeights(outline.readings(of: tag).heights) }
      takesDirections = fix?.directions != nil
      return
    }
    let found = StageCalibration(
      tag: tag, of: outline, on: outline.usable(calibrationRanges), settings, variant: variant,
      common: common, readings: readings, calibrates: calibrates, hasRowHeights: hasHeights)
    var calibration = found.calibration
    let sensors = found.sensors
    rssiBiasCurve = calibration.rssiBiasCurve
    if found.usesPoses { framedTag = (name, outline.sensors.lastPose) }
    if method == .filter {
      let directions = outline.usableAttitudes.map { TagDirections($0, settings) }
      if directions != nil {
        calibration.configuration.headingSigma = settings.headingSigmaRad.map {
          Angle(radians: $0)
        }
      }
      filter = FilterStage(
        tag: name, anchors: outline.anchors, calibration: calibration, directions: directions,
        sensors: sensors)
      takesDirections = directions != nil
    } else {
      smooth = SmoothStage(
        tag: name, anchors: outline.anchors, calibration: calibration, sensors: sensors)
    }
  }

  /// Processes a range, and returns how the filter used it.
  ///
  /// For `fix` and `smooth` this is known only at the end, see ``decisions``.
  mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision {
    arrived += 1
    if !excluded.isEmpty, excluded.contains(anchor) {
      leftOut.append(arrived - 1)
      return .unused
    }
    writeDown(before: time)
    schedule.expect(time)
    switch method {
    case .filter:
      return filter?.add(distance: distance, sigma: sigma, anchor: anchor, at: time) ?? .unused
    case .fix: fix?.add(distance: distance, sigma: sigma, anchor: anchor, at: time)
    case .smooth: smooth?.add(distance: distance, sigma: sigma, anchor: anchor, at: time)
    }
    return .used
  }

  /// Processes the range in row `index` of `ranges`.
  mutating func add(at index: Int, of ranges: RangeColumns) -> DistanceColumns.Decision {
    if hasHeights { addHeight(at: index, of: ranges) }
    let sigma = ranges[.sigma]?[index] ?? .nan
    let distance =
      rssiBiasCurve?.corrected(ranges.measurement(at: index)).distance ?? ranges.distance[index]
    return add(
      distance: distance, sigma: sigma.isNaN ? nil : sigma, anchor: Int(ranges.anchor[index]),
      at: ranges.time[index])
  }

  /// Processes a range as ``add(at:of:)`` does.
  mutating func add(_ range: RangeMeasurement) -> DistanceColumns.Decision {
    add(
      distance: rssiBiasCurve?.corrected(range).distance ?? range.distance, sigma: range.sigma,
      anchor: range.anchor, at: range.time)
  }

  /// Processes a range as ``add(at:of:)`` does, with the height of its row.
  mutating func add(_ range: RangeMeasurement, height: Double?) -> DistanceColumns.Decision {
    if let height { add(height: height, at: range.time) }
    return add(range)
  }

  /// Adds a measurement of a stream that is no range, and is processed in order of time.
  mutating func add(_ reading: TimedMeasurement) { filter?.add(reading) }

  /// Replaces the measurements that are not processed yet.
  mutating func setReadings(_ readings: SensorReadings) {
    differences = []
    filter?.setReadings(readings)
  }

  /// Returns an empty smoother behind the head of the filter's track.
  ///
  /// It takes ranges as ``usable(_:)`` returns them.
  func lagSmoother(_ lag: Double, anchors: [Anchor]) -> FixedLagTrackSmoother {
    let calibration =
      filter?.calibration ?? TrackerCalibration(configuration: TrackerConfiguration())
    return FixedLagTrackSmoother(
      among: calibration.corrected(anchors), validated: calibration.configuration, lag: lag)
  }

  /// Whether the positions are those of a filter.
  var hasFilter: Bool { method == .filter }

  /// Calls `body` with the tracker of the filter; nil without one.
  @discardableResult
  mutating func withTracker<Result>(_ body: (inout Tracker) -> Result) -> Result? {
    filter?.withTracker(body)
  }

  /// Outputs the positions before `time`, and then one at `time`, where the tag has no range to an anchor.
  mutating func expect(at time: Timestamp) {
    writeDown(before: time)
    schedule.expect(time)
  }

  /// Counts a range between tags.
  mutating func count(_ outcome: TrackUpdate.Outcome, square: Double?, at time: Timestamp) {
    filter?.count(outcome, square: square, at: time)
  }

  /// The tag and its measurements for a joint smoother; nil for other methods.
  var smootherInput: TiedSmoother.Tag? { smooth?.input }

  /// Sets the track of a joint smoother, with the ranges between tags that it used.
  mutating func setTrack(_ track: SmoothedTrack?, with between: [(Timestamp, RangeVerdict)]) {
    smooth?.setTrack(track, with: between)
  }

  /// Returns the range as the filter gets it; nil for one that it does not get.
  func usable(_ range: RangeMeasurement) -> RangeMeasurement? {
    excluded.contains(range.anchor) ? nil : rssiBiasCurve?.corrected(range) ?? range
  }

  /// Processes the height in row `index` of `ranges`, once for all rows of an instant.
  private mutating func addHeight(at index: Int, of ranges: RangeColumns) {
    guard let height = ranges[.height]?[index], !height.isNaN else { return }
    add(height: height, at: ranges.time[index])
  }

  private mutating func add(height: Double, at time: Timestamp) {
    guard lastHeight.map({ $0 < time }) ?? true else { return }
    // Positions before come first.
    writeDown(before: time)
    lastHeight = time
    let measurement = HeightMeasurement(time: time, height: height)
    switch method {
    case .filter: filter?.add(measurement)
    case .fix: fix?.add(measurement)
    case .smooth: smooth?.add(measurement)
    }
  }

  /// Processes the direction in row `index` of `ranges`, whose range was processed last.
  mutating func addDirection(at index: Int, of ranges: RangeColumns) {
    if excluded.contains(Int(ranges.anchor[index])) { return }
    if method == .filter {
      filter?.addDirection(at: index, of: ranges)
    } else {
      fix?.addDirection(at: index, of: ranges)
    }
  }

  /// The number of ranges that have a direction with and without an attitude; nil if no attitude is
  /// known.
  var directionCounts: (found: Int, missing: Int)? {
    (fix?.directions ?? filter?.directions).map { ($0.found, $0.missing) }
  }

  /// Processes an event: an interruption of all links of the tag starts a new segment of its track.
  mutating func apply(_ event: RecordedEvent) {
    writeDown(before: event.time)
    guard event.event.isInterruption, event.anchor == nil else { return }
    // The motion of the tag during the interruption is unknown, so no positions are output.
    schedule.interrupt()
    filter?.interrupt()
    smooth?.interrupt(at: event.time)
  }

  /// Reserves capacity for `count` positions, so that output does not allocate.
  mutating func reserveCapacity(_ count: Int) { filter?.reserveCapacity(count) }

  /// Outputs the last position if it is due, and all positions of the method `smooth`; call after the
  /// last range.
  mutating func finish() {
    locateByDifferences()
    if let instant = schedule.last() { emit(at: instant) }
    smooth?.finish()
  }

  /// Outputs a position at every instant with time differences, for a tag without ranges.
  private mutating func locateByDifferences() {
    let all = differences
    differences = []
    if method == .fix {
      fix?.locate(all)
      return
    }
    for (index, difference) in all.enumerated()
    where index + 1 == all.count || all[index + 1].time > difference.time {
      writeDown(before: difference.time)
      schedule.expect(difference.time)
    }
  }

  /// Returns the positions output since the last call, in order of time.
  mutating func removePositions() -> [PositionRow] {
    fix?.removePositions() ?? filter?.removePositions() ?? smooth?.removePositions() ?? []
  }

  /// How `fix` or `smooth` used the ranges, in the order of arrival; nil for `filter`, which
  /// returns this for each range.
  var decisions: [DistanceColumns.Decision]? {
    guard let used = fix?.decisions ?? smooth?.decisions, !leftOut.isEmpty else {
      return fix?.decisions ?? smooth?.decisions
    }
    var copy = self
    return copy.woven(used)
  }

  /// Returns decisions in the order of arrival with those of ranges that were left out among them, as
  /// far as all ranges before have theirs.
  private mutating func woven(_ used: [DistanceColumns.Decision]) -> [DistanceColumns.Decision] {
    var result: [DistanceColumns.Decision] = []
    result.reserveCapacity(used.count)
    var next = used[...]
    var left = leftOut[...]
    defer { leftOut = Array(left) }
    while decided < arrived {
      if left.first == decided {
        left.removeFirst()
        result.append(.unused)
      } else if let decision = next.popFirst() {
        result.append(decision)
      } else {
        break
      }
      decided += 1
    }
    return result
  }

  /// Returns the decisions of `fix` that are final at `time`; see ``FixStage/removeDecisions(before:)``.
  mutating func removeDecisions(before time: Timestamp?) -> [DistanceColumns.Decision] {
    let used = fix?.removeDecisions(before: time) ?? []
    return excluded.isEmpty ? used : woven(used)
  }

  /// The sums over a filter's innovations.
  var innovations: InnovationSums? { filter?.innovations }

  /// Returns the estimated motion and range-error parameters.
  func calibration(anchorNames: [String]) -> RecordingSummary.Calibration? {
    filter?.calibrationSummary(anchorNames: anchorNames)
      ?? smooth?.calibrationSummary(anchorNames: anchorNames)
  }

  /// The frame of the poses among the anchors at the end, for the method `filter`.
  var poseFrame: RecordingSummary.PoseFrame? {
    guard let framedTag, let pose = framedTag.pose else { return nil }
    var copy = filter
    return copy?.poseFrame(of: framedTag.name, at: pose)
  }

  /// Number of epochs that determine no position, for the method `fix`.
  var undetermined: Int? { fix?.undetermined }

  // MARK: Output

  /// Outputs the positions due before `time`; all later ranges are at `time` or after.
  mutating func writeDown(before time: Timestamp) {
    while let instant = schedule.next(before: time) { emit(at: instant) }
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
  /// Whether the tag may have moved unobserved before the next range.
  var isInterruption: Bool {
    switch self {
    case .suspended, .stopped, .removed, .invalidated: true
    case .started, .resumed: false
    }
  }
}
