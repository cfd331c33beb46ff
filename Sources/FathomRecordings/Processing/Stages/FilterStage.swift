import Fathom

/// Estimates the positions of one tag with a `Tracker`.
package struct FilterStage: PositionStage {
  /// The motion and range-error parameters estimated before tracking.
  let calibration: TrackerCalibration
  private var tracker: Tracker
  /// Heights and odometry that the tracker has not processed.
  private var sensors: SensorQueue
  private var hasSensors: Bool
  /// The directions measured by the tag; nil if its attitude is unknown.
  private(set) var directions: TagDirections?
  private var used = 0
  private var rejected = 0
  /// The positions output since they were last taken, in order of time.
  private(set) var positions: [PositionRow] = []
  private(set) var innovations = InnovationSums()
  /// The last pose of a tag whose poses are odometry; nil otherwise.
  private let framedPose: TimedPose?

  /// Creates a stage that tracks with the settings of `calibration`.
  ///
  /// `directions` is nil to use only ranges; `framedPose` is the last pose of a tag whose poses are
  /// odometry, nil otherwise.
  init(
    anchors: [Anchor], calibration: TrackerCalibration,
    directions: TagDirections? = nil, sensors: SensorReadings = SensorReadings(),
    framedPose: TimedPose? = nil
  ) {
    self.framedPose = framedPose
    self.directions = directions
    self.calibration = calibration
    self.sensors = SensorQueue(sensors)
    hasSensors = !sensors.isEmpty
    tracker = Tracker(
      among: calibration.corrected(anchors), validated: calibration.configuration)
  }

  package func findings(of tag: String, anchorNames: [String]) -> StageFindings {
    var findings = StageFindings()
    findings.innovations = innovations
    findings.calibration = RecordingSummary.Calibration(
      tag: tag, calibration, anchorNames: anchorNames, factor: tracker.covarianceFactor)
    findings.directionCounts = directions.map { ($0.found, $0.missing) }
    if let framedPose {
      var copy = self
      findings.poseFrame = copy.poseFrame(of: tag, at: framedPose)
    }
    return findings
  }

  package var takesDirections: Bool { directions != nil }

  /// Updates the tracker with a range, and returns how the range was used.
  package mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision {
    if hasSensors { advanceSensors(to: time) }
    let outcome = tracker.process(distance: distance, sigma: sigma, anchor: anchor, at: time)
    count(outcome, square: tracker.normalizedSquare, at: time)
    return DistanceColumns.Decision(outcome)
  }

  /// Adds a measurement that is no range, which the tracker processes in order of time.
  package mutating func add(_ reading: TimedMeasurement) {
    sensors.add(reading)
    hasSensors = true
  }

  /// Replaces the measurements that the tracker has not processed.
  package mutating func setReadings(_ readings: SensorReadings) {
    sensors = SensorQueue(readings)
    hasSensors = !readings.isEmpty
  }

  /// Updates the tracker with the readings of sensors up to `time`.
  private mutating func advanceSensors(to time: Timestamp) {
    while let reading = sensors.next(upTo: time) {
      let update = tracker.update(reading)
      guard case .difference(let difference) = reading else { continue }
      if let square = update.innovation?.normalizedSquare { record(square, at: difference.time) }
      switch update.outcome {
      case .late, .invalid, .duplicate, .discounted(weight: 0): rejected += 1
      default: used += 1
      }
    }
  }

  /// Records the normalised square of an innovation.
  private mutating func record(_ square: Double, at time: Timestamp) {
    innovations.count += 1
    innovations.normalizedSquares += square
    innovations.noiseFactors += tracker.noiseFactor
    innovations.squares.add(square)
    innovations.timeline.add(square, at: time)
  }

  /// Calls `body` with the tracker, for ranges between tags.
  package mutating func withTracker<Result>(_ body: (inout Tracker) -> Result) -> Result? {
    body(&tracker)
  }

  /// Counts a range, with the normalised square of its innovation; of a range between tags only one
  /// tag has the square.
  package mutating func count(_ outcome: TrackUpdate.Outcome, square: Double?, at time: Timestamp) {
    if let square { record(square, at: time) }
    switch outcome {
    case .used, .discounted, .started, .starting: used += 1
    case .duplicate, .late, .invalid: rejected += 1
    }
  }

  /// Updates the tracker with a height.
  package mutating func add(_ height: HeightMeasurement) {
    if hasSensors { advanceSensors(to: height.time) }
    _ = tracker.update(height)
  }

  /// Updates the tracker with the direction in row `index` of `ranges`, whose range was processed
  /// last.
  package mutating func addDirection(at index: Int, of ranges: RangeColumns) {
    guard let direction = directions?.direction(at: index, of: ranges) else { return }
    _ = tracker.update(
      azimuth: direction.azimuth, elevation: direction.elevation, attitude: direction.attitude,
      sigma: direction.sigma, anchor: direction.anchor, at: direction.time)
  }

  /// Reserves capacity for the positions of `count` ranges.
  package mutating func reserveCapacity(_ count: Int) {
    // One more, because the position of the previous instant may still be pending.
    positions.reserveCapacity(count + 1)
    // Not for a tag of few ranges: there may be many such tags.
    if count > 64 { innovations.timeline.reserveCapacity() }
  }

  /// Returns the positions output since the last call, in order of time.
  package mutating func removePositions() -> [PositionRow] { positions.removed() }

  /// Informs the tracker of an interruption of the session.
  package mutating func interrupt(at time: Timestamp) { tracker.interrupt() }

  /// Outputs the estimate at `time`, with the counts since the last output.
  package mutating func emit(at time: Timestamp) {
    defer { (used, rejected) = (0, 0) }
    if hasSensors { advanceSensors(to: time) }
    guard tracker.hasStarted, time >= tracker.time else {
      positions.append(.starting(at: time, used: used, rejected: rejected))
      return
    }
    positions.append(
      PositionRow(tracker.estimateInPlace(at: time), used: used, rejected: rejected))
  }
}

extension FilterStage {
  /// Returns the frame of the poses of the tag in that of the anchors, with the last of them.
  mutating func poseFrame(
    of tag: String, at pose: TimedPose
  ) -> RecordingSummary.PoseFrame? {
    var frame = RecordingSummary.PoseFrame(tag: tag)
    if hasSensors { advanceSensors(to: pose.time) }
    guard let found = tracker.odometryFrame(with: pose) else { return frame }
    frame.headingRad = found.heading.radians
    frame.headingSigmaRad = found.headingSigma.radians
    frame.translationM = (0..<3).map { found.translation[$0] }
    frame.sigmaM = (0..<3).map { max(0, found.covariance[$0, $0]).squareRoot() }
    return frame
  }
}
