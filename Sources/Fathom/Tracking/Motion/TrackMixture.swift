import RealModule

/// The state estimates of a tracker in both modes of motion, and the mode probabilities.
///
/// An interacting-multiple-model filter [Blom & Bar-Shalom 1988; Bar-Shalom et al. 2001, Sec.
/// 11.6.6] for two modes. Between ranges each estimate is predicted separately. A range weights
/// both by its likelihood, and the mode transitions mix them. Mixing is deferred while a transition
/// is unlikely: ranges within a twentieth of a second share one.
///
/// With a single mode, both estimates are equal and the low-noise mode has the probability 1.
struct TrackMixture: Sendable {
  typealias Pair = TrackState.Pair

  /// The state estimates of both modes.
  var state: TrackState
  private var processNoise: TrackState.ProcessNoise
  private let isSingle: Bool
  let modes: MotionModes
  private let errors: RangeErrors
  /// Variance of the heading error in rad²; 0 for exact headings.
  let headingVariance: Double
  private let density: StudentDensity
  /// Probability of the low-noise mode; 1 with a single mode.
  private(set) var lowNoiseProbability: Double
  /// Time since the last mixing and the last prediction of the common-mode error, in seconds.
  private var unmixed = 0.0
  /// The last step and its autocorrelation factor, since steps often repeat.
  private var lastStep = (seconds: 0.0, memory: 1.0)

  /// The numbers of consecutive azimuths and elevations with a large normalised innovation.
  var outlierStreak = SIMD2<Int>.zero

  /// The assumed errors of heights, odometry and inertial data; nil without them.
  let heightErrors: HeightErrors?
  let odometryErrors: OdometryErrors?
  let inertialErrors: InertialErrors?
  /// What predicts the motion.
  private(set) var drive = Drive.motion
  /// The progress of odometry.
  var progress = OdometryProgress()
  /// The inertial data since the last prediction.
  var input = InertialInput()
  /// How long inertial data have seemed wrong, in seconds.
  var doubt = 0.0
  /// The number of consecutive heights with a large normalised innovation.
  var heightStreak = 0

  /// What predicts the motion between ranges.
  enum Drive {
    /// The two modes of motion.
    case motion
    /// Odometry whose heading is not known yet, and a motion that follows any vehicle.
    case search
    /// Odometry; the low-noise mode is that in which the wheels do not slip.
    case odometry
    /// Inertial data whose heading is known; the low-noise mode is that in which they have the noise
    /// that is assumed.
    case inertial
  }

  private static let mixingInterval = 0.05
  /// Largest coordinate of a tag before the filter counts as diverged, in metres.
  private static let farthest = 1e9
  /// The normalised innovation squared from which a measurement is wrong: four standard deviations, which
  /// normal errors exceed once in 16,000 times.
  static let wrongSquare = 16.0
  /// The share of the excess variance of a wrong range that is an error of its link.
  ///
  /// Motion that is not expected looks like a wrong range, too, and must not become one.
  private static let disturbedShare = 0.25
  /// The largest variance that a disturbance adds to the error of a link, m²: a hundred metres are beyond
  /// any reflection, and far from where rounding counts.
  private static let mostDisturbance = 1e4
  /// Smallest probability of a mode.
  private static let leastProbability = 1e-6

  /// Creates the mixture from a state estimate of position and velocity, the same in both modes, for at most
  /// `mostLinks` links with errors.
  init(
    _ kinematics: Gaussian<6>, modes: MotionModes, errors: RangeErrors, headingSigma: Double = 0,
    heights: HeightErrors? = nil, odometry: OdometryErrors? = nil,
    inertial: InertialErrors? = nil, hasArrival: Bool = false,
    mostLinks: Int = TrackState.linkCapacity
  ) {
    self.modes = modes
    self.errors = errors
    headingVariance = headingSigma * headingSigma
    isSingle = modes.isSingle
    processNoise = TrackState.ProcessNoise(
      modes.lowNoise, modes.isSingle ? modes.lowNoise : modes.highNoise,
      linkVariance: errors.linkErrorVariance)
    density = StudentDensity(freedom: errors.degreesOfFreedom)
    let isLevel =
      modes.motion.verticalDensity == 0 && kinematics.covariance[2, 2] == 0
      && kinematics.covariance[5, 5] == 0 && kinematics.mean[5] == 0
    state = TrackState(
      kinematics, isLevel: isLevel, hasCommon: errors.hasCommon, hasHeading: headingSigma > 0,
      hasHeightOffset: heights != nil, hasOdometry: odometry != nil, hasArrival: hasArrival,
      hasInertial: inertial != nil, mostLinks: mostLinks)
    (heightErrors, odometryErrors) = (heights, odometry)
    inertialErrors = odometry == nil ? inertial : nil
    if state.hasHeading { state.introduceHeading(variance: headingVariance) }
    if state.hasHeightOffset, let heights {
      state.introduce(state.heightOffset, value: 0, variance: heights.offsetVariance)
    }
    if let odometry { state.introduceOdometry(odometry) }
    if let inertialErrors { state.introduceInertial(inertialErrors) }
    state.introduceCommon(
      bias: (0, errors.commonVariance),
      scale: (0, errors.scaleSigma * errors.scaleSigma))
    lowNoiseProbability = modes.isSingle ? 1 : 0.5
  }

  /// Adopts the bias and scale that another track estimated, and the heading of its inertial data.
  mutating func inherit(from other: Self) {
    adoptHeading(of: other)
    guard state.hasCommon, other.state.hasCommon else { return }
    // The common-mode error has changed meanwhile.
    state.introduceCommon(
      bias: errors.hasTransientCommonMode ? (0, errors.commonVariance) : other.bias,
      scale: other.scale)
  }

  // MARK: Reading

  /// Whether either mode has diverged, for example after invalid ranges.
  ///
  /// Inlined, because a call would copy the state.
  @inline(__always)
  var hasDiverged: Bool { !state.isWithin(Self.farthest) }

  /// The position over both modes, in metres.
  var position: Vector<3> {
    var result = Vector<3>([0, 0, state.height])
    for axis in 0..<state.axes { result[axis] = mixed(state.mean(axis)) }
    return result
  }

  /// The bias common to all ranges with its variance; requires a common error.
  var bias: (value: Double, variance: Double) { moments(of: state.bias) }

  /// The scale common to all ranges less 1 with its variance; requires a common error.
  var scale: (value: Double, variance: Double) { moments(of: state.bias + 1) }

  func moments(of index: Int) -> (value: Double, variance: Double) {
    let (means, variances) = (state.mean(index), state.covariance(index, index))
    let difference = means[0] - means[1]
    let between = lowNoiseProbability * (1 - lowNoiseProbability) * difference * difference
    return (mixed(means), mixed(variances) + between)
  }

  /// Position and velocity over both modes, with their covariance.
  var kinematics: Gaussian<6> {
    var result = Gaussian<6>(mean: .zero, covariance: .zero)
    result.mean[2] = state.height
    let axes = state.axes
    // The place of each element of the state: a known height is not one of them.
    let places = (0..<2 * axes).map { $0 < axes ? $0 : 3 + $0 - axes }
    let between = lowNoiseProbability * (1 - lowNoiseProbability)
    for (row, place) in places.enumerated() {
      let mean = state.mean(row)
      result.mean[place] = mixed(mean)
      for column in 0...row {
        let other = state.mean(column)
        let value =
          mixed(state.covariance(row, column))
          + between * (mean[0] - mean[1]) * (other[0] - other[1])
        result.covariance[place, places[column]] = value
        result.covariance[places[column], place] = value
      }
    }
    return result
  }

  private func mixed(_ pair: Pair) -> Double {
    pair[1] + lowNoiseProbability * (pair[0] - pair[1])
  }

  /// Returns position and velocity at `time`, after a further step of `seconds`, over both modes.
  ///
  /// Changes nothing; it is mutating to avoid a copy of the value. The step is not negative;
  /// `factor` is on the covariance.
  mutating func estimate(
    at time: Timestamp, after seconds: Double, factor: Double, status: TrackEstimate.Status
  ) -> TrackEstimate {
    let combined = state.combined(
      after: seconds, processNoise: drive == .inertial ? motionNoise : processNoise,
      share: lowNoiseProbability, factor: factor)
    return TrackEstimate(
      time: time, position: combined.position, velocity: combined.velocity,
      covariance: combined.covariance, status: status)
  }

  // MARK: Prediction

  /// Predicts the state estimates over a step of `seconds`, not negative.
  mutating func predict(over seconds: Double) {
    guard seconds > 0 else { return }
    mix(after: seconds)
    if seconds != lastStep.seconds { lastStep = (seconds, errors.linkErrorMemory(over: seconds)) }
    state.predict(over: seconds, processNoise: processNoise, memory: lastStep.memory)
    if input.seconds > 0 { followInput(over: seconds) }
  }

  /// Holds the state estimates over a gap, see
  /// ``TrackState/hold(over:followed:speed:processNoise:memory:)``.
  mutating func hold(over seconds: Double, followed: Double, speed: Double) {
    mix(after: seconds)
    input = InertialInput()
    state.hold(
      over: seconds, followed: followed, speed: speed, processNoise: processNoise,
      memory: errors.linkErrorMemory(over: seconds))
  }

  private mutating func mix(after seconds: Double) {
    unmixed += seconds
    guard unmixed >= Self.mixingInterval else { return }
    let elapsed = unmixed
    unmixed = 0
    if errors.hasTransientCommonMode {
      state.fadeBias(to: errors.commonModeMemory(over: elapsed), variance: errors.commonVariance)
    }
    guard !isSingle else { return }
    var begin = modes.changeProbability(over: elapsed)
    var end = begin
    if drive == .odometry, let odometryErrors {
      (begin, end) = odometryErrors.slipChanges(over: elapsed)
    }
    let persistent = lowNoiseProbability
    lowNoiseProbability = (1 - begin) * persistent + end * (1 - persistent)
    state.mix(
      shares: Pair(
        (1 - begin) * persistent / lowNoiseProbability,
        begin * persistent / (1 - lowNoiseProbability)))
  }

  /// Changes what predicts the motion: both modes start from the moments of the mixture.
  mutating func change(to drive: Drive) {
    guard drive != self.drive else { return }
    self.drive = drive
    processNoise = noise(of: drive)
    guard !isSingle else { return }
    state.mix(shares: Pair(repeating: lowNoiseProbability))
    lowNoiseProbability =
      drive == .odometry ? 1 - (odometryErrors?.slipShare ?? 0) : 0.5
  }

  /// The process noise of the motion without a sensor, with which a track is extrapolated.
  private var motionNoise: TrackState.ProcessNoise { noise(of: .motion) }

  private func noise(of drive: Drive) -> TrackState.ProcessNoise {
    var (low, high) = (modes.lowNoise, modes.isSingle ? modes.lowNoise : modes.highNoise)
    switch drive {
    case .motion: break
    case .search, .odometry:
      low = low.horizontally(atLeast: OdometryErrors.accelerationDensity)
      high = high.horizontally(atLeast: OdometryErrors.accelerationDensity)
    case .inertial:
      let density = inertialErrors?.accelerationNoise ?? 0
      low = ConstantVelocity(horizontalDensity: density, verticalDensity: density)
      if modes.isSingle { high = low }
    }
    return TrackState.ProcessNoise(low, high, linkVariance: errors.linkErrorVariance)
  }

  // MARK: Ranges

  /// The reading of a range: its innovation, likelihood and weight.
  struct Reading: Sendable, Equatable {
    /// Measured minus expected distance, in metres.
    var residual: Double
    /// The predicted variance of the residual, in m².
    var variance: Double
    /// The predicted density of the range.
    var likelihood: StudentDensity.Likelihood
    /// The weight of the range, 0 to 1.
    var weight: Double

    /// Logarithm of the predicted density of the range.
    var logLikelihood: Double { likelihood.logarithm }
    /// The squared residual in units of its variance.
    var normalizedSquare: Double { residual * residual / variance }
    /// Whether the range had less than half its weight.
    var isDiscounted: Bool { weight < 0.5 }
  }

  /// Initialises the error of the link at `place` to an anchor whose survey has the variance
  /// `surveyed` along the range, in m².
  mutating func introduceLink(_ place: Int, surveyed: Double = 0) {
    state.introduceLink(place, variance: errors.correlatedVariance + surveyed)
  }

  /// Updates the state estimates with a range in metres, whose independent error has `variance` in
  /// m².
  ///
  /// `link` is the slot of the link's error, nil without one; `factor` is on that error in this
  /// range, see ``RangeErrors/linkErrorFactor(of:)``. With `isAlone`, a wrong range may disturb its
  /// link. Returns nil, without a change, if the reading cannot be computed.
  mutating func condition(
    on distance: Double, variance: Double, anchor: Vector<3>, link: Int?, factor: Double = 1,
    isAlone: Bool = false
  ) -> Reading? {
    condition(
      on: state.expectation(of: distance, anchor: anchor, link: link, factor: factor),
      variance: Pair(repeating: variance),
      links: isAlone ? link.map { TrackState.DisturbedLinks(range: $0, factor: factor) } : nil)
  }

  /// Updates the state estimates with the measurement of `expectation`, with noise of the given
  /// variances; and the probabilities of the modes if `isEvidence`.
  ///
  /// What a wrong measurement errs more than its noise, which its weight stands for, may last: what
  /// blocks or reflects a range is still there with the next. A part, ``disturbedShare``, is therefore an
  /// error of the `links`, which fades as those do, and the rest is noise.
  @inline(__always)
  mutating func condition(
    on expectation: TrackState.Expectation, variance: Pair,
    links: TrackState.DisturbedLinks? = nil, isEvidence: Bool = true
  ) -> Reading? {
    let spreads = expectation.spread + variance
    let squares = expectation.residual * expectation.residual / spreads
    guard squares[0].isFinite, squares[1].isFinite, spreads[0] > 0, spreads[1] > 0,
      spreads[0].isFinite, spreads[1].isFinite
    else { return nil }
    let weights = density.weights(squares)
    var noise = variance / weights
    if let links, squares[0] > Self.wrongSquare || squares[1] > Self.wrongSquare {
      let disturbance = Self.disturbedShare * (noise - variance)
      noise -= disturbance
      let most = Pair(repeating: Self.mostDisturbance)
      state.condition(
        on: state.disturbed(
          links, by: disturbance.replacing(with: most, where: disturbance .> most), expectation),
        variance: noise)
    } else {
      state.condition(on: expectation, variance: noise)
    }

    let mixture = density.mixture(squares, variances: spreads, share: lowNoiseProbability)
    let share = lowNoiseProbability
    let residuals = expectation.residual
    let difference = residuals[0] - residuals[1]
    let between = share * (1 - share) * difference * difference
    let reading = Reading(
      residual: mixed(residuals), variance: mixed(spreads) + between,
      likelihood: mixture.likelihood, weight: mixed(weights))
    if !isSingle, isEvidence {
      lowNoiseProbability = min(
        1 - Self.leastProbability, max(Self.leastProbability, mixture.share))
    }
    return reading
  }

  /// Updates the state estimates with the height over `seconds`, above 0; infinite for its full
  /// information.
  mutating func condition(on height: HeightConstraint, over seconds: Double) {
    state.condition(onHeight: height.metres, variance: height.variance(over: seconds))
  }

  /// Multiplies the standard deviations of position and velocity by `factor`.
  mutating func widen(by factor: Double) {
    state.widen(by: factor)
    progress.isMarked = false
  }

  /// Replaces position and velocity by their image in the plane through `centre` with the unit
  /// normal `normal`.
  mutating func reflect(in centre: Vector<3>, normal: Vector<3>) {
    state.reflect(in: centre, normal: normal)
    progress.isMarked = false
    // A mirror turns left into right, unless it is level.
    if normal[0] != 0 || normal[1] != 0 {
      forgetOdometry()
      forgetInertial()
    }
  }

  /// Resets the unknowns of odometry: its heading is searched for anew.
  mutating func forgetOdometry() {
    guard let odometryErrors else { return }
    state.introduceOdometry(odometryErrors)
    progress = OdometryProgress()
    if drive == .odometry { change(to: .search) }
  }

  /// Resets the heading error to its prior.
  mutating func forgetHeading() {
    if state.hasHeading { state.introduceHeading(variance: headingVariance) }
  }
}

extension TrackMixture {
  /// Returns the coordinate of the tag along a unit vector in metres, with its variance.
  func place(along normal: Vector<3>) -> (value: Double, variance: Double) {
    var (mean, variance) = (Pair.zero, Pair.zero)
    for axis in 0..<state.axes {
      mean += normal[axis] * state.mean(axis)
      for other in 0..<state.axes {
        variance += normal[axis] * normal[other] * state.covariance(axis, other)
      }
    }
    let share = lowNoiseProbability
    let difference = mean[0] - mean[1]
    return (
      mean[1] + share * (mean[0] - mean[1]),
      variance[1] + share * (variance[0] - variance[1])
        + share * (1 - share) * difference * difference
    )
  }
}
