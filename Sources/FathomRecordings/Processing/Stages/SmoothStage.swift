import Fathom

/// Positions of one tag, from all of its ranges at once by a ``TrackSmoother``.
struct SmoothStage {
  private let tag: String
  private let smoother: TrackSmoother
  private let calibration: TrackerCalibration
  private var ranges: [RangeMeasurement] = []
  private var interruptions: [Timestamp] = []
  /// Instants at which positions are wanted.
  private var due: [Timestamp] = []
  /// The track; nil before ``finish(with:)``, and where the ranges determine none.
  private var track: SmoothedTrack?
  /// The positions written down since they were last taken, in order of time.
  private(set) var positions: [PositionRow] = []

  /// A stage that smooths with the settings that `calibration` found.
  init(tag: String, anchors: [Anchor], calibration: TrackerCalibration) {
    self.tag = tag
    self.calibration = calibration
    smoother = TrackSmoother(anchors: anchors, configuration: calibration.configuration)
  }

  /// The positions written down since they were last asked for, in order of time.
  mutating func takePositions() -> [PositionRow] { positions.taken() }

  /// Takes in a range; ranges come in order of time.
  mutating func add(distance: Double, sigma: Double?, anchor: Int, at time: Timestamp) {
    ranges.append(
      RangeMeasurement(time: time, anchor: anchor, distance: distance, sigma: sigma))
  }

  /// Notes an interruption of the session at `time`.
  mutating func interrupt(at time: Timestamp) { interruptions.append(time) }

  /// Notes that a position at `time` is wanted; times come in order.
  mutating func emit(at time: Timestamp) { due.append(time) }

  /// The tracks that may go through all ranges; nil where the ranges determine none.
  var alternatives: OffsetHypotheses? {
    smoother.offsetHypotheses(ranges, interruptions: interruptions)
  }

  /// Takes over a track, and writes down the positions that are wanted.
  mutating func finish(with track: SmoothedTrack?) {
    self.track = track
    var next = 0
    for time in due {
      var (used, rejected) = (0, 0)
      while next < ranges.count, ranges[next].time <= time {
        switch track?.verdicts[next] {
        case .used, .discounted, .nonLineOfSight: used += 1
        case .duplicate, .invalid, nil: rejected += 1
        }
        next += 1
      }
      let estimate = track?.estimate(at: time, configuration: smoother.configuration)
      positions.append(
        estimate.map { PositionRow($0, used: used, rejected: rejected) }
          ?? .starting(at: time, used: used, rejected: rejected))
    }
  }

  /// What was made of the ranges, in the order of their coming.
  var decisions: [DistanceColumns.Decision] {
    guard let track else { return ranges.map { _ in .unused } }
    return track.verdicts.map { verdict in
      switch verdict {
      case .used: .used
      case .discounted: .discounted
      case .nonLineOfSight: .nonLineOfSight
      case .duplicate: .duplicate
      case .invalid: .unused
      }
    }
  }

  /// What was found out about motion and ranges.
  func calibrationSummary(anchorNames: [String]) -> RecordingSummary.Calibration {
    var offsets: [String: Double] = [:]
    for (name, offset) in zip(anchorNames, track?.offsets ?? []) {
      if let offset { offsets[name] = offset.value }
    }
    var positions: [String: RecordingSummary.AnchorPosition] = [:]
    for (name, position) in zip(anchorNames, track?.anchorPositions ?? []) {
      positions[name] = position.map { RecordingSummary.AnchorPosition($0) }
    }
    let configuration = calibration.configuration
    return RecordingSummary.Calibration(
      tag: tag, accelerationDensity: configuration.modes.motion.horizontalDensity,
      rangeSigmaM: configuration.errors.sigma, lastingShare: configuration.errors.correlatedShare,
      biasEvidence: calibration.biasEvidence,
      biasM: track?.bias?.value, biasSigmaM: track?.bias?.sigma, scale: track?.scale?.value,
      scaleSigma: track?.scale?.sigma, offsetsM: offsets.isEmpty ? nil : offsets,
      signals: RecordingSummary.SignalBias(calibration),
      anchorPositions: positions.isEmpty ? nil : positions,
      covarianceFactor: track?.covarianceFactor ?? 1)
  }
}

extension RecordingSummary.AnchorPosition {
  fileprivate init(_ found: Gaussian<3>) {
    positionM = (0..<3).map { found.mean[$0] }
    sigmaM = (0..<3).map { found.covariance[$0, $0].squareRoot() }
  }
}
