import Fathom

/// Computes the positions of one tag from all of its ranges with a `TrackSmoother`.
struct SmoothStage: PositionStage {
  private let smoother: TrackSmoother
  private let calibration: TrackerCalibration
  private var sensors: SensorReadings
  private var ranges: [RangeMeasurement] = []
  private var interruptions: [Timestamp] = []
  /// The instants of the positions to output.
  private var due: [Timestamp] = []
  /// The track; nil before ``finish()``, and if the ranges determine none.
  private var track: SmoothedTrack?
  /// Whether the track is that of a joint smoother, and the ranges between tags in order of time.
  private var isTied = false
  private var between: [(Timestamp, RangeVerdict)] = []
  /// The positions output since they were last taken, in order of time.
  private(set) var positions: [PositionRow] = []

  /// Creates a stage that smooths with the settings of `calibration`.
  init(
    anchors: [Anchor], calibration: TrackerCalibration,
    sensors: SensorReadings = SensorReadings()
  ) {
    self.sensors = sensors
    self.calibration = calibration
    smoother = TrackSmoother(
      among: calibration.corrected(anchors), validated: calibration.configuration)
  }

  /// Returns the positions output since the last call, in order of time.
  mutating func removePositions() -> [PositionRow] { positions.removed() }

  /// Adds a range; ranges must arrive in order of time.
  @discardableResult
  mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision {
    ranges.append(
      RangeMeasurement(time: time, anchor: anchor, distance: distance, sigma: sigma))
    return .used
  }

  /// Adds a height; heights must arrive in order of time.
  mutating func add(_ height: HeightMeasurement) { sensors.heights.append(height) }

  /// Records an interruption of the session at `time`.
  mutating func interrupt(at time: Timestamp) { interruptions.append(time) }

  /// Requests a position at `time`; times must be in order.
  mutating func emit(at time: Timestamp) { due.append(time) }

  /// The tag and its measurements, for a joint smoother.
  var input: TiedSmoother.Tag {
    TiedSmoother.Tag(smoother, ranges: ranges, sensors: sensors, interruptions: interruptions)
  }

  /// Sets the track of a joint smoother, with the times and verdicts of the ranges between tags.
  mutating func setTrack(_ track: SmoothedTrack?, with between: [(Timestamp, RangeVerdict)]) {
    self.track = track
    isTied = true
    self.between = between
  }

  /// Computes the track through all ranges unless a joint smoother has, and outputs the requested positions.
  mutating func finish() {
    if !isTied {
      track = smoother.smoothed(ranges, sensors: sensors, interruptions: interruptions)
    }
    var nextBetween = 0
    let sigma = smoother.configuration.errors.sigma
    var (next, nextDifference) = (0, 0)
    for time in due {
      var (used, rejected) = (0, 0)
      while nextDifference < sensors.differences.count,
        sensors.differences[nextDifference].time <= time
      {
        let difference = sensors.differences[nextDifference]
        if track != nil, difference.isUsable(among: smoother.anchors),
          !difference.isImpossible(among: smoother.anchors, sigma: sigma)
        {
          used += 1
        } else {
          rejected += 1
        }
        nextDifference += 1
      }
      while next < ranges.count, ranges[next].time <= time {
        switch track?.verdicts[next] {
        case .used, .discounted, .nonLineOfSight: used += 1
        case .duplicate, .invalid, nil: rejected += 1
        }
        next += 1
      }
      while nextBetween < between.count, between[nextBetween].0 <= time {
        switch between[nextBetween].1 {
        case .used, .discounted, .nonLineOfSight: used += 1
        case .duplicate, .invalid: rejected += 1
        }
        nextBetween += 1
      }
      let estimate = track?.estimate(at: time, configuration: smoother.configuration)
      positions.append(
        estimate.map { PositionRow($0, used: used, rejected: rejected) }
          ?? .starting(at: time, used: used, rejected: rejected))
    }
  }

  /// How the ranges were used, in the order of arrival.
  var decisions: [DistanceColumns.Decision] {
    guard let track else { return ranges.map { _ in .unused } }
    return track.verdicts.map { DistanceColumns.Decision($0) }
  }

  var lateDecisions: [DistanceColumns.Decision]? { decisions }

  func findings(of tag: String, anchorNames: [String]) -> StageFindings {
    var summary = RecordingSummary.Calibration(
      tag: tag, calibration, anchorNames: anchorNames, factor: track?.covarianceFactor ?? 1)
    // The smoother's own offsets are those of ranges that are already corrected.
    for (name, offset) in zip(anchorNames, track?.offsets ?? []) {
      guard let offset else { continue }
      summary.offsetsM = summary.offsetsM ?? [:]
      summary.offsetsM?[name, default: 0] += offset.value
    }
    var positions: [String: RecordingSummary.AnchorPosition] = [:]
    for (name, position) in zip(anchorNames, track?.anchorPositions ?? []) {
      positions[name] = position.map { RecordingSummary.AnchorPosition($0) }
    }
    summary.anchorPositions = positions.isEmpty ? nil : positions
    var findings = StageFindings()
    findings.calibration = summary
    return findings
  }
}

extension RecordingSummary.AnchorPosition {
  fileprivate init(_ found: Gaussian<3>) {
    positionM = (0..<3).map { found.mean[$0] }
    sigmaM = (0..<3).map { found.covariance[$0, $0].squareRoot() }
  }
}
