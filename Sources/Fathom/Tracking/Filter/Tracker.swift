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
/// A clock that steps back by more than ``TrackerConfiguration/clockStep`` resets the tracker once three
/// ranges in a row confirm it.
///
/// Over gaps longer than ``TrackerConfiguration/longestGap`` and over interruptions of the session,
/// the position is held, the velocity is reset, and the covariance grows with time.
///
/// ## Cost
/// No heap allocation after the start. A range takes a quarter of a microsecond with eight anchors.
public struct Tracker: Sendable {
  /// The anchors; ranges refer to them by index.
  public let anchors: [Anchor]
  /// The assumptions about the tag and its ranges.
  public let configuration: Configuration

  /// The time without ranges after which the track is coasting.
  let coastingDelay: TimeLimit
  /// The longest time without ranges over which the velocity is used.
  private let gapLimit: TimeLimit
  private var start: TrackInitiation
  /// The state estimates since the start; meaningless before it.
  var mixture: TrackMixture
  package private(set) var hasStarted = false
  var links: LinkSlots
  /// The time of the last range or direction.
  package internal(set) var time = Timestamp(nanoseconds: .min)
  /// The time of the last range that updated the estimate.
  var lastRange = Timestamp(nanoseconds: .min)
  /// The competing mirror image that explains the ranges equally well, while there is one.
  var ambiguity: MirrorAmbiguity?
  /// Where the tag is known to be, given the anchors with ranges so far; nil if nothing is known.
  var region: TagRegion?
  /// The number of anchors with ranges so far, and that at which the region is found again.
  var rangedAnchors = 0
  var regionIsDue = 1
  /// Whether the track has been away from the plane of its anchors since it was last close to it.
  var isAwayFromPlane = true
  /// The mirror in which the track last switched to its image, and the number of switches.
  var sideSwitch: (mirror: MirrorAmbiguity?, count: Int) = (nil, 0)
  var isInterrupted = false
  /// Whether the track must restart, because it diverged or the tag may be far away after a gap.
  private(set) var needsRestart = false
  var noiseScale = NoiseScale()
  /// The present factor on the assumed variance of ranges, at least 1; 1 if
  /// ``TrackerConfiguration/calibratesCovariance`` is off.
  public internal(set) var noiseFactor = 1.0
  var consistency: ConsistencyScale
  /// The assumed errors of ranges to these anchors.
  let errors: RangeErrors
  /// A height with a standard deviation; nil without one.
  let height: HeightConstraint?
  let persistent: PersistentErrors?
  /// The directions along which ``persistent`` acts.
  var ranged: RangedDirections
  /// The number of consecutive ranges with a large normalised innovation.
  var outlierStreak = 0
  /// The last range of each anchor, to detect repeated readings.
  var latest: [Latest?]
  /// The reading of the last range; nil if the filter did not process it.
  var reading: TrackMixture.Reading?
  /// The normalised innovation squared of the last range.
  package internal(set) var normalizedSquare: Double?
  /// The evidence that the clock has stepped back.
  private var clockStep = ClockStep()
  /// The history of processed directions.
  var directions = DirectionHistory()
  /// The differences of a start, and the transmission of the last difference.
  var differences = DifferenceInitiation()
  var transmission: (time: Timestamp, reference: Int)?
  /// The time of the last arrival at each anchor; empty without time differences.
  var arrived: [Timestamp?]
  /// The competing tracks of a tag that is tied to others.
  var rivals = RivalTracks()
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
    coastingDelay = TimeLimit(seconds: configuration.coastAfter)
    gapLimit = TimeLimit(seconds: configuration.longestGap)
    height = configuration.uncertainHeight.map { HeightConstraint($0, modes: configuration.modes) }
    errors = configuration.errors.surveyed(anchors)
    persistent = PersistentErrors(configuration.errors, isLevel: configuration.exactHeight != nil)
    ranged = RangedDirections(anchorCount: persistent == nil ? 0 : anchors.count)
    start = TrackInitiation(anchorCount: anchors.count)
    mixture = TrackMixture(
      Gaussian(mean: .zero, covariance: .zero), modes: configuration.modes, errors: errors,
      headingSigma: configuration.headingSigma?.radians ?? 0, heights: configuration.heights,
      odometry: configuration.odometry, inertial: configuration.inertial,
      hasArrival: configuration.usesDifferences)
    links = LinkSlots(anchorCount: anchors.count)
    consistency = ConsistencyScale(anchorCount: anchors.count)
    latest = [Latest?](repeating: nil, count: anchors.count)
    arrived = configuration.usesDifferences ? Array(repeating: nil, count: anchors.count) : []
  }

  /// Processes a range as ``update(distance:sigma:anchor:at:)`` does, and returns only its outcome.
  ///
  /// The small return value avoids copies; ``normalizedSquare`` has the innovation.
  package mutating func process(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    let outcome = updateAlone(distance: distance, sigma: sigma, anchor: anchor, at: time)
    if !rivals.isEmpty {
      updateRivals(isEvidence: true) {
        _ = $0.updateAlone(distance: distance, sigma: sigma, anchor: anchor, at: time)
      }
    }
    return outcome
  }

  /// Processes a range with the leading track.
  @inline(__always)
  private mutating func updateAlone(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    normalizedSquare = nil
    reading = nil
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
      if !needsRestart { self.time = time }
      return outcome
    }
    guard let outcome = advance(corrected, sigma: sigma, anchor: anchor, at: time) else {
      return .invalid
    }
    latest[anchor] = Latest(distance: distance, time: time)
    return outcome
  }

  /// Forgets all ranges: the next ones start a new track, at any time.
  public mutating func reset() { self = Tracker(among: anchors, validated: configuration) }

  /// Informs the tracker that ranging was interrupted: the following ranges form a new segment, and
  /// the tag may have moved arbitrarily before it.
  ///
  /// Before the start, the ranges stored so far are discarded.
  public mutating func interrupt() {
    if !hasStarted || needsRestart {
      let lastSeen = start.lastSeen
      start = TrackInitiation(anchorCount: anchors.count)
      start.lastSeen = lastSeen
    }
    if hasStarted { isInterrupted = true }
    if !rivals.isEmpty { updateRivals { $0.interrupt() } }
  }

  // MARK: - Kernel

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

  /// Ends a track that has diverged, and a track after a gap in which the tag may have moved too
  /// far for a linearisation at its last position.
  mutating func endTrackIfUnusable(at time: Timestamp) {
    guard hasStarted, !needsRestart else { return }
    let hasDiverged = mixture.hasDiverged
    guard hasDiverged || isFar(at: time) else { return }
    needsRestart = true
    start = TrackInitiation(anchorCount: anchors.count)
    start.lastSeen = hasDiverged ? nil : mixture.position
  }

  /// Returns whether the tag may have moved far in the gap before `time`; false without a gap.
  ///
  /// Inlined, because a call would copy the tracker.
  @inline(__always)
  private func isFar(at time: Timestamp) -> Bool {
    isGap(until: time)
      && time.seconds(since: self.time) * configuration.startVelocitySigma > Self.farAway
  }

  /// Possible displacement beyond which the track restarts, in metres.
  private static let farAway = 10.0

  /// Returns whether the step to `time` is a gap, over which the velocity is not used.
  @inline(__always)
  func isGap(until time: Timestamp) -> Bool {
    isInterrupted || gapLimit.isExceeded(from: self.time, to: time)
  }

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
    lastRange = time
    isInterrupted = false
    normalizedSquare = nil
    reading = nil
    return .started
  }

  /// Starts the track with a state estimate at `time`, and perhaps another position that explains the
  /// measurements equally well.
  mutating func start(at time: Timestamp, _ state: Gaussian<6>, alternative: Vector<3>?) {
    var fresh = TrackMixture(
      state, modes: configuration.modes, errors: errors,
      headingSigma: configuration.headingSigma?.radians ?? 0, heights: configuration.heights,
      odometry: configuration.odometry, inertial: configuration.inertial,
      hasArrival: configuration.usesDifferences)
    if hasStarted, !mixture.hasDiverged { fresh.inherit(from: mixture) }
    if let height { fresh.condition(on: height, over: .infinity) }
    mixture = fresh
    hasStarted = true
    links = LinkSlots(anchorCount: anchors.count)
    needsRestart = false
    isInterrupted = false
    ambiguity = nil
    rivals.restart()
    directions.restart()
    if let alternative {
      let position = Vector<3>([state.mean[0], state.mean[1], state.mean[2]])
      ambiguity = MirrorAmbiguity(
        between: position, and: alternative, anchorCount: anchors.count)
      if lastHeight != nil { resolveByHeight(at: time) }
    }
    self.time = time
    lastRange = time
  }

  /// Ends the track: it must start again.
  mutating func endTrack() {
    needsRestart = true
    start = TrackInitiation(anchorCount: anchors.count)
    differences = DifferenceInitiation()
  }
}

extension Tracker {
  /// The assumptions of a tracker about the tag and its ranges.
  public typealias Configuration = TrackerConfiguration
}
