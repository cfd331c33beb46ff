/// Follows one tag from range to range: an extended Kalman filter with one update per range, in two
/// modes of motion at once.
///
/// State: position and velocity in the world frame, the error of each link that lasts, and where
/// ``RangeErrors`` allows them a bias and a scale common to all ranges. Each range is taken in at
/// its own time, alone, as it arrives; nothing waits for a complete set. The track starts from the
/// first ranges that determine a position (``Trilateration``).
///
/// Range errors are taken to follow a Student-t distribution: a range whose normalised innovation
/// squared is s is used with the weight (ν + 1) / (ν + s), at most 1. Unlike a gate, such a weight
/// cannot lock the filter out for good. Where ranges scatter more than assumed throughout, because
/// they are biased or noisier, their variance is scaled up until half of the innovations are as
/// small as they should be. And when ten ranges in a row lie more than four standard deviations
/// off, the filter is wrong rather than the ranges, and its covariance is multiplied by four.
///
/// Gaps longer than ``TrackerConfiguration/longestGap`` and interruptions of the session hold the
/// position, forget the velocity, and let the covariance grow with the time.
///
/// ## Cost
/// No heap allocation after the start. A range takes a quarter of a microsecond with eight anchors.
public struct Tracker: Sendable {
  /// The anchors; ranges refer to them by index.
  public let anchors: [Anchor]
  /// What is assumed about tag and ranges.
  public let configuration: Configuration

  /// How long a track is carried on without ranges before it is said to coast.
  let coastingDelay: TimeLimit
  /// How long a velocity is believed without ranges.
  private let gapLimit: TimeLimit
  private var start: TrackInitiation
  /// What is believed since the start; before it, nothing that means anything.
  var mixture: TrackMixture
  package private(set) var hasStarted = false
  private var links: LinkSlots
  /// When the last range was measured.
  package internal(set) var time = Timestamp(nanoseconds: .min)
  /// When a range last moved the estimate.
  private(set) var lastRange = Timestamp(nanoseconds: .min)
  /// The mirror image that explains the ranges as well, while there is one.
  var ambiguity: MirrorAmbiguity?
  /// The mirror in which the track changed over to its image, once it has.
  private(set) var sideSwitch: MirrorAmbiguity?
  private(set) var isInterrupted = false
  /// Whether the tag may have gone so far that the track has to start again.
  private(set) var needsRestart = false
  private var noiseScale = NoiseScale()
  /// How many times larger than assumed the variance of ranges is taken to be at present, at least
  /// 1; 1 where ``TrackerConfiguration/calibratesCovariance`` is off.
  public private(set) var noiseFactor = 1.0
  private(set) var consistency: ConsistencyScale
  /// What is assumed of the errors of ranges to these anchors.
  let errors: RangeErrors
  /// A height that is known with an error; nil where there is none.
  let height: HeightConstraint?
  /// Ranges in a row that were far off.
  private var outlierStreak = 0
  /// The last range of each anchor, to recognise what is no new one.
  private(set) var latest: [Latest?]
  /// What the last range said; nil where it never reached the filter.
  private(set) var reading: TrackMixture.Reading?
  /// The normalised square of its innovation.
  package private(set) var normalizedSquare: Double?
  /// What became of directions.
  var directions = DirectionHistory()

  struct Latest: Sendable {
    var distance: Double
    var time: Timestamp
  }

  /// A tracker of a tag whose position is not known yet.
  ///
  /// - Parameters:
  ///   - anchors: the anchors, with finite positions.
  ///   - configuration: what is assumed about tag and ranges.
  public init(anchors: [Anchor], configuration: Configuration = Configuration()) {
    self.anchors = anchors
    var configuration = configuration
    if configuration.exactHeight != nil { configuration.modes.motion.verticalDensity = 0 }
    self.configuration = configuration
    coastingDelay = TimeLimit(seconds: configuration.coastAfter)
    gapLimit = TimeLimit(seconds: configuration.longestGap)
    height = configuration.uncertainHeight.map { HeightConstraint($0, modes: configuration.modes) }
    errors = configuration.errors.surveyed(anchors)
    start = TrackInitiation(anchorCount: anchors.count)
    mixture = TrackMixture(
      Gaussian(mean: .zero, covariance: .zero), modes: configuration.modes, errors: errors,
      headingSigma: configuration.headingSigma?.radians ?? 0)
    links = LinkSlots(anchorCount: anchors.count)
    consistency = ConsistencyScale(anchorCount: anchors.count)
    latest = [Latest?](repeating: nil, count: anchors.count)
  }

  /// Takes in a range, see ``update(distance:sigma:anchor:at:)``, and says only what was done with it.
  ///
  /// That takes no memory to hand over; what else it said is in ``normalizedSquare``.
  package mutating func take(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    normalizedSquare = nil
    reading = nil
    let sigma = sigma ?? configuration.errors.sigma
    guard anchors.indices.contains(anchor), sigma > 0, sigma.isFinite,
      let distance = MeasuredDistance.validated(distance),
      let corrected = MeasuredDistance.validated(anchors[anchor].corrected(distance))
    else { return .invalid }
    guard time >= self.time else { return .late }
    if isRepeated(distance, anchor: anchor, at: time) { return .duplicate }

    endTrackIfUnusable(at: time)
    guard hasStarted, !needsRestart else {
      let outcome = begin(corrected, sigma: sigma, anchor: anchor, at: time)
      latest[anchor] = Latest(distance: distance, time: time)
      // A track that is lost stays where and when it was until it starts again.
      if !needsRestart { self.time = time }
      return outcome
    }
    guard let outcome = advance(corrected, sigma: sigma, anchor: anchor, at: time) else {
      return .invalid
    }
    latest[anchor] = Latest(distance: distance, time: time)
    return outcome
  }

  /// Tells the tracker that ranging was interrupted: what comes next is a new segment, before which
  /// the tag may have moved anyhow.
  ///
  /// Before the start, the ranges gathered so far are forgotten.
  public mutating func interrupt() {
    if !hasStarted || needsRestart {
      let lastSeen = start.lastSeen
      start = TrackInitiation(anchorCount: anchors.count)
      start.lastSeen = lastSeen
    }
    if hasStarted { isInterrupted = true }
  }

  // MARK: - Kernel

  /// Whether a range says nothing that the last one of its link did not say.
  ///
  /// A call would copy the tracker first.
  @inline(__always)
  private func isRepeated(_ distance: Double, anchor: Int, at time: Timestamp) -> Bool {
    guard let last = latest[anchor], last.distance == distance else { return false }
    return configuration.errors.isRepetition(after: time.seconds(since: last.time))
  }

  /// Gives up the track after a gap in which the tag may have gone so far that ranges cannot be
  /// linearised about where it was, and where ranges that are none have led it out of this world.
  private mutating func endTrackIfUnusable(at time: Timestamp) {
    guard hasStarted, !needsRestart else { return }
    let hasDiverged = mixture.hasDiverged
    guard hasDiverged || isFar(at: time) else { return }
    needsRestart = true
    start = TrackInitiation(anchorCount: anchors.count)
    start.lastSeen = hasDiverged ? nil : mixture.position
  }

  /// Whether the tag may have gone far in the gap before `time`, if there is one.
  ///
  /// A call would copy the tracker first.
  @inline(__always)
  private func isFar(at time: Timestamp) -> Bool {
    isGap(until: time)
      && time.seconds(since: self.time) * configuration.startVelocitySigma > Self.farAway
  }

  /// Metres.
  private static let farAway = 10.0

  /// Whether the velocity is not to be believed over the step to `time`.
  @inline(__always)
  func isGap(until time: Timestamp) -> Bool {
    isInterrupted || gapLimit.isExceeded(from: self.time, to: time)
  }

  /// Starts the track where the ranges so far allow it, and says whether they do.
  @inline(never)
  private mutating func begin(
    _ distance: Double, sigma: Double, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    let range = RangeMeasurement(time: time, anchor: anchor, distance: distance, sigma: sigma)
    guard let found = start.add(range, anchors: anchors, configuration: configuration),
      let first = found.ranges.first
    else { return .starting }
    var fresh = TrackMixture(
      found.state, modes: configuration.modes, errors: errors,
      headingSigma: configuration.headingSigma?.radians ?? 0)
    if hasStarted, !mixture.hasDiverged { fresh.inherit(from: mixture) }
    if let height { fresh.condition(on: height, over: .infinity) }
    mixture = fresh
    hasStarted = true
    links = LinkSlots(anchorCount: anchors.count)
    needsRestart = false
    isInterrupted = false
    ambiguity = nil
    directions.restart()
    if let alternative = found.alternative {
      let position = Vector<3>([
        found.state.mean[0], found.state.mean[1], found.state.mean[2],
      ])
      ambiguity = MirrorAmbiguity(between: position, and: alternative)
    }
    self.time = first.time
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

  /// Moves the estimate to `time` and by one range; nil, and no change, where the update cannot be
  /// computed.
  private mutating func advance(
    _ distance: Double, sigma: Double, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome? {
    let elapsed = time.seconds(since: self.time)
    if isGap(until: time) {
      mixture.hold(
        over: elapsed, followed: configuration.longestGap, speed: configuration.startVelocitySigma)
    } else {
      mixture.predict(over: elapsed)
    }
    if let height, elapsed > 0 { mixture.condition(on: height, over: elapsed) }
    self.time = time
    let position = ambiguity == nil ? .zero : mixture.position

    var link: Int?
    var isNewLink = false
    if errors.linkErrorVariance > 0 {
      let (index, isNew) = links.place(of: anchor, at: time)
      let surveyed = anchors[anchor].positionSigma ?? 0
      if isNew { mixture.introduceLink(index, surveyed: surveyed * surveyed) }
      link = index
      isNewLink = isNew
    }
    let variance = noiseFactor * errors.whiteVariance(of: sigma)
    guard
      let reading = mixture.condition(
        on: distance, variance: variance, anchor: anchors[anchor].position, link: link)
    else { return nil }

    let square = reading.normalizedSquare
    noiseScale.record(square)
    if configuration.calibratesCovariance { noiseFactor = noiseScale.factor }
    consistency.record(
      reading.residual / reading.variance.squareRoot(), anchor: anchor, at: time)
    if ambiguity != nil {
      if directions.hypotheses.isEmpty {
        resolve(distance, reading, anchor: anchors[anchor].position, from: position)
      } else {
        compareRange(
          distance, reading, variance: variance, anchor: anchors[anchor],
          link: link.map { ($0, isNewLink) })
      }
    }
    outlierStreak = square > 16 ? outlierStreak + 1 : 0
    if outlierStreak == 10 {
      mixture.widen(by: 2)
      outlierStreak = 0
    }
    lastRange = time
    isInterrupted = false
    normalizedSquare = square
    self.reading = reading
    return TrackUpdate.Outcome(reading)
  }

  /// Goes over to the mirror image where the ranges speak for it.
  private mutating func resolve(
    _ distance: Double, _ reading: TrackMixture.Reading, anchor: Vector<3>,
    from position: Vector<3>
  ) {
    guard var ambiguity else { return }
    let verdict = ambiguity.record(
      distance, variance: reading.variance, anchor: anchor, position: position)
    self.ambiguity = verdict == .undecided ? ambiguity : nil
    if verdict == .image {
      mixture.reflect(in: ambiguity.centre, normal: ambiguity.normal)
      sideSwitch = ambiguity
    }
  }
}

extension Tracker {
  /// What a tracker assumes about the tag and its ranges.
  public typealias Configuration = TrackerConfiguration
}
