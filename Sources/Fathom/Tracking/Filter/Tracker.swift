/// Tracks one tag with an extended Kalman filter that processes one range at a time, in two modes
/// of motion.
///
/// The state contains position and velocity in the world frame and one time-correlated error per
/// link. If ``RangeErrors`` allows them, it also contains a bias and a scale common to all ranges.
/// Each range is processed alone, at its own time, on arrival; the filter needs no complete set.
/// The track starts from the first ranges that determine a position (``Trilateration``).
///
/// Three mechanisms make the filter robust:
///
/// - **Weights.** Range errors follow a Student-t distribution with ν degrees of freedom. A range
///   with the normalised innovation squared s has the weight (ν + 1) / (ν + s), at most 1. Unlike a
///   gate, such a weight cannot lock the filter out permanently.
/// - **Noise scale.** If ranges scatter more than assumed, because they are biased or noisier,
///   their variance is scaled up until half of the innovations are below their expected median.
/// - **Outlier streaks.** If ten ranges in a row deviate by more than four standard deviations, the
///   filter is wrong rather than the ranges. Its covariance is multiplied by four.
///
/// While the measurements leave more than one place, such as the image behind the plane of the anchors,
/// each is followed by a filter of its own, and one is reported. The covariance then is that of
/// the error, whichever is right, and the status ``TrackEstimate/Status/ambiguous`` while the odds are
/// below 400 to 1.
///
/// A clock that steps back by more than ``TrackerConfiguration/clockStep`` resets the tracker once three
/// ranges in a row confirm it.
///
/// Over gaps longer than ``TrackerConfiguration/longestGap`` and over interruptions of the session,
/// the position is held, the velocity is reset, and the covariance grows with time.
///
/// ## Cost
/// No heap allocation after the start. A range takes a quarter of a microsecond with eight anchors, for
/// every place in question.
public struct Tracker: Sendable {
  /// The anchors; ranges refer to them by index.
  public let anchors: [Anchor]
  /// The assumptions about the tag and its ranges.
  public let configuration: Configuration

  /// The filter of the likeliest hypothesis.
  var leading: TrackFilter
  /// The other hypotheses.
  var hypotheses = TrackHypotheses()
  package private(set) var hasStarted = false
  /// Whether the track must restart, because it diverged or the tag may be far away after a gap.
  private(set) var needsRestart = false
  /// The number of starts.
  private(set) var starts = 0

  private var start: TrackInitiation
  /// The differences of a start.
  var differences = DifferenceInitiation()
  /// The last range of each anchor, to detect repeated readings.
  var latest: [Latest?]
  /// The history of directions.
  var directions = DirectionHistory()
  /// The evidence that the clock has stepped back.
  private var clockStep = ClockStep()
  /// The number of anchors with ranges so far, and that at which the region is found again.
  private var rangedAnchors = 0
  private var regionIsDue = 1
  /// The plane of the anchors if a tag may be on both sides of it, and when a track crosses it.
  private(set) var openPlane: AnchorPlane?
  var crossing = PlaneCrossing()
  /// The tags with recent ranges.
  var neighbours: [Neighbour] = []
  /// The heading of odometry relative to its start.
  var odometry = OdometryHeading()
  /// The attitude of the inertial sensor.
  var level = LevelAttitude()
  /// The last measured height and its standard deviation, in metres.
  var lastHeight: (time: Timestamp, metres: Double, sigma: Double)?

  struct Latest: Sendable {
    var distance: Double
    var time: Timestamp
  }

  /// Creates a tracker of a tag with unknown position.
  ///
  /// - Parameters:
  ///   - anchors: The anchors.
  ///   - configuration: The assumptions about the tag and its ranges.
  /// - Throws: ``ConfigurationError`` for a setting or an anchor with which it cannot work.
  public init(
    anchors: [Anchor], configuration: Configuration = Configuration()
  ) throws(ConfigurationError) {
    try configuration.validate(for: anchors)
    self.init(among: anchors, validated: configuration)
  }

  /// Creates a tracker with valid anchors and settings.
  package init(among anchors: [Anchor], validated configuration: Configuration) {
    self.anchors = anchors
    var configuration = configuration
    if configuration.exactHeight != nil { configuration.modes.motion.verticalDensity = 0 }
    self.configuration = configuration
    leading = TrackFilter(among: anchors, validated: configuration)
    start = TrackInitiation(anchorCount: anchors.count)
    latest = [Latest?](repeating: nil, count: anchors.count)
  }

  // MARK: - State

  /// The time of the last range or direction.
  package var time: Timestamp {
    @inline(__always) get { leading.time }
  }

  /// The present factor on the assumed variance of ranges, at least 1; 1 if
  /// ``TrackerConfiguration/calibratesCovariance`` is off.
  public var noiseFactor: Double { leading.noiseFactor }

  /// The normalised innovation squared of the last range.
  package var normalizedSquare: Double? { leading.normalizedSquare }

  /// Whether there is a track, supported by measurements.
  package var isTracking: Bool { hasStarted && !needsRestart && !leading.mixture.hasDiverged }

  // MARK: - Ranges

  /// Processes a range as ``update(distance:sigma:anchor:at:)`` does, and returns only its outcome.
  ///
  /// The small return value avoids copies; ``normalizedSquare`` has the innovation.
  package mutating func process(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    leading.normalizedSquare = nil
    leading.reading = nil
    let sigma = sigma ?? configuration.errors.sigma
    guard anchors.indices.contains(anchor), sigma > 0, sigma.isFinite,
      let distance = MeasuredDistance.validated(distance),
      let corrected = MeasuredDistance.validated(anchors[anchor].corrected(distance))
    else { return .invalid }
    if isEarly(time) { return .late }
    if isRepeated(distance, anchor: anchor, at: time) { return .duplicate }

    if latest[anchor] == nil { countAnchor(anchor) }
    endTrackIfUnusable(at: time)
    guard hasStarted, !needsRestart else {
      let outcome = begin(corrected, sigma: sigma, anchor: anchor, at: time)
      latest[anchor] = Latest(distance: distance, time: time)
      // A track that must restart keeps its position and time until then.
      if !needsRestart { leading.time = time }
      return outcome
    }
    guard let outcome = advance(corrected, sigma: sigma, anchor: anchor, at: time) else {
      return .invalid
    }
    latest[anchor] = Latest(distance: distance, time: time)
    return outcome
  }

  /// Updates all hypotheses with a range with a corrected distance; nil, without a change by the range, if
  /// the update cannot be computed.
  @inline(__always)
  private mutating func advance(
    _ distance: Double, sigma: Double, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome? {
    if configuration.odometry != nil, odometry.isOver(at: time) {
      update { $0.mixture.endOdometry() }
    }
    if configuration.inertial != nil, level.isOver(at: time) { update { $0.mixture.endInertial() } }
    let reading = leading.update(
      distance, sigma: sigma, anchor: anchor, at: time, isAlone: hypotheses.isEmpty)
    if !hypotheses.isEmpty {
      compare(.anchor(anchor), at: anchors[anchor].position) {
        _ = $0.update(distance, sigma: sigma, anchor: anchor, at: time, isAlone: false)
      }
    }
    guard let reading else { return nil }
    if openPlane != nil { watchCrossing() }
    return TrackUpdate.Outcome(reading)
  }

  /// Forgets all ranges: the next ones start a new track, at any time.
  public mutating func reset() { self = Tracker(among: anchors, validated: configuration) }

  /// Informs the tracker that ranging was interrupted: the following ranges form a new segment, and
  /// the tag may have moved arbitrarily before it.
  ///
  /// Before the start, the ranges stored so far are discarded.
  public mutating func interrupt() {
    if !hasStarted || needsRestart {
      start.restart(lastSeen: start.lastSeen)
      differences.restart()
    }
    if hasStarted { update { $0.isInterrupted = true } }
  }

  // MARK: - Admission

  /// Returns whether a range is a repeated reading of its link.
  ///
  /// Inlined, because a call would copy the tracker.
  @inline(__always)
  private func isRepeated(_ distance: Double, anchor: Int, at time: Timestamp) -> Bool {
    guard let last = latest[anchor], last.distance == distance else { return false }
    return configuration.errors.isRepetition(after: time.seconds(since: last.time))
  }

  /// Returns whether `time` is before the last measurement and the clock has not stepped back to it; resets
  /// the tracker if the clock has.
  @inline(__always)
  mutating func isEarly(_ time: Timestamp) -> Bool {
    if time < self.time { return !confirmsStep(to: time) }
    if clockStep.isPending { clockStep = ClockStep() }
    return false
  }

  /// Returns whether the clock has stepped back to `time`, and resets the tracker if so.
  @inline(never)
  private mutating func confirmsStep(to time: Timestamp) -> Bool {
    guard clockStep.isConfirmed(by: time, newest: self.time, limit: configuration.clockStep) else {
      return false
    }
    reset()
    return true
  }

  /// Counts a new anchor, and finds the region again for the anchors with ranges.
  ///
  /// With many anchors only after an eighth more, so that the cost over all anchors stays linear.
  @inline(never)
  private mutating func countAnchor(_ anchor: Int) {
    rangedAnchors += 1
    guard rangedAnchors >= regionIsDue else { return }
    regionIsDue = rangedAnchors + max(1, rangedAnchors / 8)
    let measured = anchors.indices.filter { latest[$0] != nil || $0 == anchor }
    let region = TagRegion(of: measured.map { anchors[$0].position }, configuration)
    openPlane = region?.openPlane
    update { $0.region = region }
  }

  // MARK: - Start and end

  /// Ends a track that has diverged, and a track after a gap in which the tag may have moved too
  /// far for a linearisation at its last position.
  ///
  /// Differences cannot be linearised as far as ranges: they start again after any gap.
  @inline(__always)
  mutating func endTrackIfUnusable(at time: Timestamp, isDifference: Bool = false) {
    guard hasStarted, !needsRestart else { return }
    let hasDiverged = leading.mixture.hasDiverged
    guard hasDiverged || (isDifference ? leading.isGap(until: time) : isFar(at: time)) else {
      return
    }
    endTrack(lastSeen: hasDiverged ? nil : leading.mixture.position)
  }

  /// Returns whether the tag may have moved far in the gap before `time`; false without a gap.
  ///
  /// Inlined, because a call would copy the tracker.
  @inline(__always)
  private func isFar(at time: Timestamp) -> Bool {
    leading.isGap(until: time)
      && time.seconds(since: self.time) * configuration.startVelocitySigma > Self.farAway
  }

  /// Possible displacement beyond which the track restarts, in metres.
  private static let farAway = 10.0

  /// Starts the track if the ranges so far determine a position, and returns the outcome.
  @inline(never)
  private mutating func begin(
    _ distance: Double, sigma: Double, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    let range = RangeMeasurement(time: time, anchor: anchor, distance: distance, sigma: sigma)
    guard let found = start.add(range, anchors: anchors, configuration: configuration),
      let first = found.ranges.first
    else { return .starting }
    start(at: first.time, found.state, alternative: found.alternative)
    for range in found.ranges {
      _ = advance(
        range.distance, sigma: range.sigma ?? sigma, anchor: range.anchor, at: range.time)
    }
    update {
      $0.lastRange = time
      $0.isInterrupted = false
    }
    leading.normalizedSquare = nil
    leading.reading = nil
    return .started
  }

  /// Starts the track with a state estimate at `time`, and perhaps another position that explains the
  /// measurements equally well.
  mutating func start(at time: Timestamp, _ state: Gaussian<6>, alternative: Vector<3>?) {
    leading.start(at: time, state, inherits: hasStarted && !leading.mixture.hasDiverged)
    hasStarted = true
    needsRestart = false
    starts += 1
    hypotheses.restart()
    directions.restart()
    crossing = PlaneCrossing()
    let position = Vector<3>([state.mean[0], state.mean[1], state.mean[2]])
    guard let alternative, let mirror = Mirror(between: position, and: alternative) else { return }
    add(in: mirror, evidence: HypothesisEvidence())
    if lastHeight != nil { weighHeight(at: time) }
  }

  /// Ends the track: it must start again.
  mutating func endTrack(lastSeen: Vector<3>? = nil) {
    needsRestart = true
    start.restart(lastSeen: lastSeen)
    differences.restart()
  }
}

extension Tracker {
  /// The assumptions of a tracker about the tag and its ranges.
  public typealias Configuration = TrackerConfiguration
}
