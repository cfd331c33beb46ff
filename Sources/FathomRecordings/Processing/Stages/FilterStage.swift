import Fathom

/// Positions of one tag, followed by a ``Tracker``.
struct FilterStage {
  private let tag: String
  /// What was found out about motion and ranges before.
  private let calibration: TrackerCalibration
  private var tracker: Tracker
  /// The directions that the tag measured; nil where nobody knows how it was held.
  private(set) var directions: TagDirections?
  private var used = 0
  private var rejected = 0
  /// The positions written down since they were last taken, in order of time.
  private(set) var positions: [PositionRow] = []
  private(set) var innovations = InnovationSums()

  /// A stage that tracks with the settings that `calibration` found.
  ///
  /// - Parameters:
  ///   - tag: its name.
  ///   - anchors: the anchors.
  ///   - calibration: what was found out about motion and ranges.
  ///   - directions: the directions that the tag measured; nil for ranges alone.
  init(
    tag: String, anchors: [Anchor], calibration: TrackerCalibration,
    directions: TagDirections? = nil
  ) {
    self.tag = tag
    self.directions = directions
    self.calibration = calibration
    tracker = Tracker(
      anchors: calibration.corrected(anchors), configuration: calibration.configuration)
  }

  /// What was found out about motion and ranges.
  func calibrationSummary(anchorNames: [String]) -> RecordingSummary.Calibration {
    let named = Dictionary(zip(anchorNames, calibration.offsets)) { first, _ in first }
    let bias = tracker.bias.map { calibration.whole(bias: $0) }
    let scale = tracker.scale.map { calibration.whole(scale: $0) }
    return RecordingSummary.Calibration(
      tag: tag,
      accelerationDensity: tracker.configuration.modes.motion.horizontalDensity,
      rangeSigmaM: tracker.configuration.errors.sigma,
      lastingShare: tracker.configuration.errors.correlatedShare,
      biasEvidence: calibration.biasEvidence, biasM: bias?.value, biasSigmaM: bias?.sigma,
      scale: scale?.value, scaleSigma: scale?.sigma, offsetsM: named.isEmpty ? nil : named,
      signals: RecordingSummary.SignalBias(calibration),
      covarianceFactor: tracker.covarianceFactor)
  }

  /// Takes in a range and says what was made of it.
  mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision {
    let outcome = tracker.take(distance: distance, sigma: sigma, anchor: anchor, at: time)
    if let square = tracker.normalizedSquare {
      innovations.count += 1
      innovations.normalizedSquares += square
      innovations.noiseFactors += tracker.noiseFactor
      innovations.timeline.add(square, at: time)
    }
    switch outcome {
    case .used:
      used += 1
      return .used
    case .discounted:
      used += 1
      return .discounted
    case .started, .starting:
      used += 1
      return .starting
    case .duplicate:
      rejected += 1
      return .duplicate
    case .late, .invalid:
      rejected += 1
      return .unused
    }
  }

  /// Takes in the direction that row `index` of `ranges` measured, whose range was just taken in.
  mutating func addDirection(at index: Int, of ranges: RangeColumns) {
    guard let observation = directions?.observation(at: index, of: ranges),
      let sigma = directions?.sigma
    else { return }
    _ = tracker.update(
      azimuth: observation.azimuth, elevation: observation.elevation, attitude: observation.axes,
      sigma: Angle(radians: sigma), anchor: Int(ranges.anchor[index]), at: ranges.time[index])
  }

  /// Makes room for the positions of `count` ranges.
  mutating func reserveCapacity(_ count: Int) {
    // That of the instant before may still be due.
    positions.reserveCapacity(count + 1)
    innovations.timeline.reserveCapacity()
  }

  /// The positions written down since they were last asked for, in order of time.
  mutating func takePositions() -> [PositionRow] { positions.taken() }

  /// Tells the tracker of an interruption of the session.
  mutating func interrupt() { tracker.interrupt() }

  /// Writes down the estimate at `time`, with the counts since the last one.
  mutating func emit(at time: Timestamp) {
    defer { (used, rejected) = (0, 0) }
    guard tracker.hasStarted, time >= tracker.time else {
      positions.append(.starting(at: time, used: used, rejected: rejected))
      return
    }
    positions.append(
      PositionRow(tracker.estimateInPlace(at: time), used: used, rejected: rejected))
  }
}
