/// One hypothesis about a tag: an extended Kalman filter that processes one measurement at a time, in two
/// modes of motion.
///
/// It knows nothing of other hypotheses, nor of starts, clocks and repeated readings, which belong to the
/// ``Tracker``. Every measurement that it gets is in order of time.
struct TrackFilter: Sendable {
  let anchors: [Anchor]
  let configuration: TrackerConfiguration
  /// The assumed errors of ranges to these anchors.
  let errors: RangeErrors
  /// A height with a standard deviation; nil without one.
  let height: HeightConstraint?
  let persistent: PersistentErrors?
  /// The longest time without ranges over which the velocity is used.
  private let gapLimit: TimeLimit
  /// The time without ranges after which the track is coasting.
  private let coastingDelay: TimeLimit

  /// The state estimates; meaningless before the start.
  var mixture: TrackMixture
  var links: LinkSlots
  /// The time of the last measurement.
  var time = Timestamp(nanoseconds: .min)
  /// The time of the last range or difference that updated the estimate.
  var lastRange = Timestamp(nanoseconds: .min)
  var isInterrupted = false
  /// Where the tag is known to be, given the anchors with ranges so far; nil if nothing is known.
  var region: TagRegion?

  private var noiseScale = NoiseScale()
  /// The present factor on the assumed variance of ranges, at least 1.
  var noiseFactor = 1.0
  private(set) var consistency: ConsistencyScale
  /// The factor on the variance of directions.
  private var angleNoise = NoiseScale()
  /// The time of the last prediction of the heading error.
  private var drifted: Timestamp?
  /// The directions along which ``persistent`` acts.
  private var ranged: RangedDirections
  /// The number of consecutive ranges with a large normalised innovation.
  private var outlierStreak = 0
  /// The transmission of the last difference.
  private var transmission: (time: Timestamp, reference: Int)?
  /// The time of the last arrival at each anchor; empty without time differences.
  private var arrived: [Timestamp?]
  /// The time of the last range to each anchor, for persistent errors beside differences.
  private var lastRanges: [Timestamp]

  /// The reading of the last measurement; nil if the filter did not use it.
  var reading: TrackMixture.Reading?
  /// The normalised innovation squared of the last range.
  var normalizedSquare: Double?

  /// Creates a filter that has not started, with valid anchors and settings.
  init(among anchors: [Anchor], validated configuration: TrackerConfiguration) {
    self.anchors = anchors
    self.configuration = configuration
    coastingDelay = TimeLimit(seconds: configuration.coastAfter)
    gapLimit = TimeLimit(seconds: configuration.longestGap)
    height = configuration.uncertainHeight.map { HeightConstraint($0, modes: configuration.modes) }
    errors = configuration.errors.surveyed(anchors)
    persistent = PersistentErrors(configuration.errors, isLevel: configuration.exactHeight != nil)
    ranged = RangedDirections(anchorCount: persistent == nil ? 0 : anchors.count)
    mixture = Self.mixture(
      of: Gaussian(mean: .zero, covariance: .zero), configuration, errors: errors,
      anchorCount: anchors.count)
    links = LinkSlots(anchorCount: anchors.count)
    consistency = ConsistencyScale(anchorCount: anchors.count)
    let never = Timestamp(nanoseconds: .min)
    arrived = configuration.usesDifferences ? Array(repeating: nil, count: anchors.count) : []
    lastRanges = configuration.usesDifferences ? Array(repeating: never, count: anchors.count) : []
  }

  private static func mixture(
    of state: Gaussian<6>, _ configuration: TrackerConfiguration, errors: RangeErrors,
    anchorCount: Int
  ) -> TrackMixture {
    TrackMixture(
      state, modes: configuration.modes, errors: errors,
      headingSigma: configuration.headingSigma?.radians ?? 0, heights: configuration.heights,
      odometry: configuration.odometry, inertial: configuration.inertial,
      hasArrival: configuration.usesDifferences,
      mostLinks: min(anchorCount, TrackState.linkCapacity))
  }

  /// Starts the track with a state estimate at `time`; it inherits the common errors that a `former` track
  /// has found.
  mutating func start(at time: Timestamp, _ state: Gaussian<6>, inherits former: Bool) {
    var fresh = Self.mixture(
      of: state, configuration, errors: errors, anchorCount: anchors.count)
    if former { fresh.inherit(from: mixture) }
    if let height { fresh.condition(on: height, over: .infinity) }
    mixture = fresh
    links = LinkSlots(anchorCount: anchors.count)
    isInterrupted = false
    self.time = time
    lastRange = time
  }

  /// Replaces the track by its image, whose heading is unknown.
  mutating func reflect(in mirror: Mirror) {
    mixture.reflect(in: mirror.centre, normal: mirror.normal)
    mixture.forgetHeading()
  }

  // MARK: Prediction

  /// Returns whether the step to `time` is a gap, over which the velocity is not used.
  ///
  /// Inlined, because a call would copy the filter.
  @inline(__always)
  func isGap(until time: Timestamp) -> Bool {
    isInterrupted || gapLimit.isExceeded(from: self.time, to: time)
  }

  /// Predicts the track to `time`, not before the last measurement.
  @inline(__always)
  mutating func advance(to time: Timestamp) {
    let elapsed = time.seconds(since: self.time)
    if isGap(until: time) {
      mixture.hold(
        over: elapsed, followed: configuration.longestGap, speed: configuration.startVelocitySigma)
    } else {
      mixture.predict(over: elapsed)
    }
    if let height, elapsed > 0 { mixture.condition(on: height, over: elapsed) }
    self.time = time
  }

  // MARK: Ranges

  /// Processes a range with a corrected distance, and returns its reading; nil, without a change of the
  /// estimate by the range, if the update cannot be computed.
  ///
  /// Only without other hypotheses, `isAlone`, a wrong range disturbs its link: otherwise a wrong hypothesis
  /// would explain the ranges away that decide against it.
  @inline(__always)
  mutating func update(
    _ distance: Double, sigma: Double, anchor: Int, at time: Timestamp, isAlone: Bool
  ) -> TrackMixture.Reading? {
    reading = nil
    normalizedSquare = nil
    advance(to: time)
    var link: Int?
    if errors.linkErrorVariance > 0 { link = slot(of: anchor, at: time) }
    let variance = noiseFactor * errors.whiteVariance(of: sigma)
    let factor = errors.linkErrorFactor(of: sigma)
    let share = link.map {
      usualShare(of: $0, anchor: anchor, beside: variance / (factor * factor))
    }
    guard
      var reading = mixture.condition(
        on: distance, variance: variance, anchor: anchors[anchor].position, link: link,
        factor: factor, isAlone: isAlone)
    else { return nil }
    if let share { reading.weight *= share }
    scale(by: reading, of: anchor)
    if let region { keep(in: region) }
    support(reading)
    if let persistent {
      ranged.add(anchor, at: time, position: mixture.position, persistent, anchors: anchors)
    }
    if configuration.usesDifferences { lastRanges[anchor] = time }
    return reading
  }

  /// Processes a time difference of usable anchors, and returns its reading; nil if the update cannot be
  /// computed.
  mutating func update(
    _ difference: TimedDifference, metres: Double, isAlone: Bool
  ) -> TrackMixture.Reading? {
    (reading, normalizedSquare) = (nil, nil)
    advanceIfLater(to: difference.time)
    let variance = noiseFactor * errors.whiteVariance(of: configuration.errors.sigma)
    let isSame = transmission.map { $0 == (difference.time, difference.first) } ?? false
    if !isSame {
      mixture.state.introduceArrival(variance: variance)
      transmission = (difference.time, difference.first)
    }
    var slots: (first: Int, second: Int)?
    if errors.linkErrorVariance > 0 {
      let first = slot(of: difference.first, at: difference.time)
      slots = (first, slot(of: difference.second, at: difference.time))
    }
    let observed = TrackState.Difference(
      metres: metres, first: anchors[difference.first].position,
      second: anchors[difference.second].position, links: slots)
    guard
      let reading = mixture.condition(
        onDifference: observed, variance: variance, isAlone: isAlone)
    else { return nil }
    arrived[difference.first] = time
    arrived[difference.second] = time
    scale(by: reading, of: difference.second)
    support(reading)
    return reading
  }

  /// Processes a range to another tag, with the variance of its error in m², and returns its reading; nil if
  /// the update cannot be computed.
  mutating func update(
    _ distance: Double, variance: Double, to neighbour: Neighbour, at time: Timestamp
  ) -> TrackMixture.Reading? {
    (reading, normalizedSquare) = (nil, nil)
    advanceIfLater(to: time)
    let expected = NeighbourRange(mixture.kinematics, neighbour)
    guard
      let reading = mixture.condition(
        on: distance - expected.excess, variance: noiseFactor * variance + expected.variance,
        anchor: neighbour.position, link: nil)
    else { return nil }
    if let region { keep(in: region) }
    support(reading)
    return reading
  }

  /// Returns the usual variance of a range over that with the present error of its link, at most 1: the part
  /// of its weight that a disturbance leaves to a range.
  @inline(__always)
  private func usualShare(of link: Int, anchor: Int, beside variance: Double) -> Double {
    let surveyed = anchors[anchor].positionSigma ?? 0
    let usual = max(
      errors.linkErrorVariance, errors.correlatedVariance + surveyed * surveyed)
    let present = mixture.moments(of: mixture.state.firstLink + link).variance
    return present > usual ? (variance + usual) / (variance + present) : 1
  }

  /// Returns the slot of the error of a link, which is introduced if it is new.
  @inline(__always)
  private mutating func slot(of anchor: Int, at time: Timestamp) -> Int {
    let (index, isNew) = links.place(of: anchor, at: time)
    if isNew {
      let surveyed = anchors[anchor].positionSigma ?? 0
      mixture.introduceLink(index, surveyed: surveyed * surveyed)
    }
    return index
  }

  /// Adapts the factors on the variances to a reading.
  @inline(__always)
  private mutating func scale(by reading: TrackMixture.Reading, of anchor: Int) {
    noiseScale.record(reading.normalizedSquare)
    if configuration.calibratesCovariance { noiseFactor = noiseScale.factor }
    consistency.record(
      reading.residual / reading.variance.squareRoot(), anchor: anchor, at: time)
  }

  /// Notes that a measurement supports the track.
  @inline(__always)
  private mutating func support(_ reading: TrackMixture.Reading) {
    let square = reading.normalizedSquare
    outlierStreak = square > TrackMixture.wrongSquare ? outlierStreak + 1 : 0
    if outlierStreak == 10 {
      mixture.widen(by: 2)
      outlierStreak = 0
    }
    lastRange = time
    isInterrupted = false
    normalizedSquare = square
    self.reading = reading
  }

  /// Replaces a track outside of the region by its mirror image if that is inside.
  ///
  /// Close to the plane of the anchors the ranges hardly determine the distance from it, so that a
  /// track can cross the plane and then follow the image.
  @inline(never)
  private mutating func keep(in region: TagRegion) {
    if let mirror = region.mirror(for: mixture.position) {
      mixture.reflect(in: mirror.centre, normal: mirror.normal)
    }
  }

  // MARK: Other measurements

  /// Predicts the track to `time`, if that is after the last measurement.
  mutating func advanceIfLater(to time: Timestamp) {
    if time > self.time { advance(to: time) }
  }

  /// Predicts the heading error to the present time, before directions.
  mutating func driftHeading() {
    mixture.driftHeading(over: drifted.map { time.seconds(since: $0) } ?? 0)
    drifted = time
  }

  /// Processes an angle with the variance of its own error in rad²; nil if it was not used.
  mutating func update(_ angle: AngleObservation, variance: Double) -> TrackMixture.Reading? {
    reading = nil
    // The elevation error of a leaning tag is persistent, and differs between the sides of a
    // mirror.
    if angle.isElevation, mixture.isHeadingVague { return nil }
    let factor = min(Self.mostAngleNoise, angleNoise.factor)
    reading = mixture.condition(on: angle, variance: factor * variance)
    if let reading { angleNoise.record(reading.normalizedSquare) }
    return reading
  }

  /// Largest factor on the variance of directions: noisier ones indicate another side or heading.
  private static let mostAngleNoise = 16.0

  /// Processes a height, `idle` seconds after the last one; nil if it was not used.
  mutating func update(_ height: HeightMeasurement, after idle: Double) -> TrackMixture.Reading? {
    mixture.condition(onHeight: height.height, sigma: height.sigma, after: idle)
  }

  /// Predicts the track by an increment of odometry that ends at `end`; nil if it was not used: after a gap
  /// without increments a range must come first.
  mutating func follow(_ step: OdometryStep, to end: Timestamp) -> TrackMixture.Reading? {
    let continues = step.isContiguous && mixture.progress.isMarked
    guard !isInterrupted, continues || !isGap(until: end) else {
      mixture.progress.isMarked = false
      return nil
    }
    advanceIfLater(to: end)
    return mixture.follow(step)
  }

  /// Adds a step of inertial data, which ends at `time`.
  mutating func append(_ step: LevelAttitude.Step, at time: Timestamp) {
    mixture.append(step)
    if let began = step.restBegan, self.time >= began { mixture.rest() }
    let idle = time.seconds(since: self.time)
    if idle > Self.inertialStep, !isGap(until: time), isPrecise { advance(to: time) }
  }

  /// The time without ranges after which inertial data alone predict the track, in seconds; until then
  /// a range may come late.
  private static let inertialStep = 0.5
  /// The standard deviation of the position up to which inertial data alone carry the track, in
  /// metres: with more, ranges can no longer be linearised.
  private static let farthestAlone = 3.0

  private var isPrecise: Bool {
    var variance = 0.0
    for axis in 0..<mixture.state.axes { variance += mixture.moments(of: axis).variance }
    return variance < Self.farthestAlone * Self.farthestAlone
  }

  // MARK: Estimates

  /// Returns the estimate at `time`, not before the last measurement; changes nothing.
  ///
  /// Mutating, because a nonmutating method would copy the filter.
  @inline(__always)
  mutating func estimate(at time: Timestamp) -> TrackEstimate {
    let elapsed = time == self.time ? 0 : time.seconds(since: self.time)
    let isCoasting = isInterrupted || coastingDelay.isExceeded(from: lastRange, to: time)
    let status: TrackEstimate.Status = isCoasting ? .coasting : .tracking
    let factor = covarianceFactor
    var result: TrackEstimate
    if elapsed > 0, isGap(until: time) {
      result = held(at: time, after: elapsed, factor: factor, status: status)
    } else {
      result = mixture.estimate(at: time, after: elapsed, factor: factor, status: status)
      if persistent != nil { addPersistent(to: &result.covariance, at: result.position) }
    }
    if let region { region.keep(&result) }
    return result
  }

  /// Returns the estimate after a gap of `elapsed` seconds.
  @inline(never)
  private func held(
    at time: Timestamp, after elapsed: Double, factor: Double, status: TrackEstimate.Status
  ) -> TrackEstimate {
    var held = mixture
    held.hold(
      over: elapsed, followed: configuration.longestGap, speed: configuration.startVelocitySigma)
    return held.estimate(at: time, after: 0, factor: factor, status: status)
  }

  /// Returns position and velocity at `time`, with their covariance but for persistent errors.
  func state(at time: Timestamp) -> Gaussian<6> {
    var copy = mixture
    let elapsed = time == self.time ? 0 : time.seconds(since: self.time)
    if elapsed > 0, isGap(until: time) {
      copy.hold(
        over: elapsed, followed: configuration.longestGap, speed: configuration.startVelocitySigma)
    } else {
      copy.predict(over: elapsed)
    }
    var result = copy.kinematics
    result.covariance = covarianceFactor * result.covariance
    return result
  }

  /// Adds the effect of persistent errors on a position to its covariance.
  ///
  /// Inlined, because a call would copy the filter.
  @inline(__always)
  func addPersistent(to covariance: inout Matrix<3, 3>, at position: Vector<3>) {
    guard let persistent else { return }
    if configuration.usesDifferences {
      addPersistentOfDifferences(to: &covariance, at: position)
    } else {
      persistent.widen(&covariance, by: ranged.sums)
    }
  }

  @inline(never)
  private func addPersistentOfDifferences(
    to covariance: inout Matrix<3, 3>, at position: Vector<3>
  ) {
    let begin = time.advanced(bySeconds: -PersistentErrors.memory)
    // Closures over these copies do not copy the filter.
    let (arrived, ranged) = (arrived, lastRanges)
    persistent?.widen(
      &covariance, at: position, anchors: anchors, ranged: { ranged[$0] >= begin },
      arrived: { (arrived[$0] ?? begin) > begin })
  }

  /// The factor on the variance of ranges that corrects for the duration of their errors; at least
  /// 0.5.
  var rangeFactor: Double { configuration.calibratesCovariance ? consistency.factor : 1 }

  /// The factor between the covariance of estimates and that of the filter, at least 0.5.
  var covarianceFactor: Double {
    let factor = rangeFactor
    return factor + errors.anchorSurveyShare * (1 - factor)
  }
}
