import RealModule

/// The state estimates of a tracker in both modes of motion, and how likely each mode is.
///
/// The interacting-multiple-model filter [Blom & Bar-Shalom 1988; Bar-Shalom et al. 2001, Sec.
/// 11.6.6] for two modes: between ranges each estimate is predicted on its own, a range weighs both
/// by its likelihood, and the possible change of mode mixes them. Mixing is put off while a change
/// is unlikely: ranges that follow each other within a twentieth of a second share one.
///
/// Where there is a single mode, both estimates are the same and the low-noise one is certain.
struct TrackMixture: Sendable {
  typealias Pair = TrackState.Pair

  /// The state estimates of both modes.
  var state: TrackState
  private let processNoise: TrackState.ProcessNoise
  private let isSingle: Bool
  private let modes: MotionModes
  private let errors: RangeErrors
  /// Variance of the error of headings, rad²; 0 where they are exact.
  let headingVariance: Double
  private let density: StudentDensity
  /// Probability of the low-noise mode; 1 where there is no other.
  private(set) var lowNoiseProbability: Double
  /// Time since modes were mixed and the common bias drifted, seconds.
  private var unmixed = 0.0
  /// The last step and what it leaves of an error: steps repeat themselves.
  private var lastStep = (seconds: 0.0, memory: 1.0)

  /// Azimuths and elevations in a row that were far off.
  var outlierStreak = SIMD2<Int>.zero

  private static let mixingInterval = 0.05
  /// Farther from the origin than this, per axis, no tag is, metres.
  private static let farthest = 1e9
  /// No mode is ever ruled out altogether.
  private static let leastProbability = 1e-6

  /// A state estimate about position and velocity, whatever the mode.
  init(
    _ kinematics: Gaussian<6>, modes: MotionModes, errors: RangeErrors, headingSigma: Double = 0
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
      kinematics, isLevel: isLevel, hasCommon: errors.hasCommon, hasHeading: headingSigma > 0)
    if state.hasHeading { state.introduceHeading(variance: headingVariance) }
    state.introduceCommon(
      bias: (0, errors.commonVariance),
      scale: (0, errors.scaleSigma * errors.scaleSigma))
    lowNoiseProbability = modes.isSingle ? 1 : 0.5
  }

  /// Takes over what another track found out about bias and scale.
  mutating func inherit(from other: Self) {
    guard state.hasCommon, other.state.hasCommon else { return }
    // A drift has gone elsewhere meanwhile.
    state.introduceCommon(
      bias: errors.hasTransientCommonMode ? (0, errors.commonVariance) : other.bias,
      scale: other.scale)
  }

  // MARK: Reading

  /// Whether either mode has diverged, as after ranges that are not distances.
  ///
  /// A call would copy all that is believed first.
  @inline(__always)
  var hasDiverged: Bool { !state.isWithin(Self.farthest) }

  /// The position, over both modes, metres.
  var position: Vector<3> {
    var result = Vector<3>([0, 0, state.height])
    for axis in 0..<state.axes { result[axis] = mixed(state.mean(axis)) }
    return result
  }

  /// The bias common to all ranges, with its variance; there has to be one.
  var bias: (value: Double, variance: Double) { moments(of: state.bias) }

  /// The scale common to all ranges less 1, with its variance; there has to be one.
  var scale: (value: Double, variance: Double) { moments(of: state.bias + 1) }

  func moments(of index: Int) -> (value: Double, variance: Double) {
    let (means, variances) = (state.mean(index), state.covariance(index, index))
    let difference = means[0] - means[1]
    let between = lowNoiseProbability * (1 - lowNoiseProbability) * difference * difference
    return (mixed(means), mixed(variances) + between)
  }

  private func mixed(_ pair: Pair) -> Double {
    pair[1] + lowNoiseProbability * (pair[0] - pair[1])
  }

  /// Position and velocity after a further step of `seconds`, over both modes.
  ///
  /// - Parameters:
  ///   - time: after the step.
  ///   - seconds: the step, not negative.
  ///   - factor: what the covariance is multiplied by.
  ///   - status: of the estimate.
  /// - Returns: The estimate. Changes nothing, but is found where it stands, without a copy of it.
  mutating func estimate(
    at time: Timestamp, after seconds: Double, factor: Double, status: TrackEstimate.Status
  ) -> TrackEstimate {
    let combined = state.combined(
      after: seconds, processNoise: processNoise, share: lowNoiseProbability, factor: factor)
    return TrackEstimate(
      time: time, position: combined.position, velocity: combined.velocity,
      covariance: combined.covariance, status: status)
  }

  // MARK: Moving on

  /// Carries the state estimates over a step of `seconds`, not negative.
  mutating func predict(over seconds: Double) {
    guard seconds > 0 else { return }
    mix(after: seconds)
    if seconds != lastStep.seconds { lastStep = (seconds, errors.linkErrorMemory(over: seconds)) }
    state.predict(over: seconds, processNoise: processNoise, memory: lastStep.memory)
  }

  /// Holds the state estimates over a gap, see
  /// ``TrackState/hold(over:followed:speed:processNoise:memory:)``.
  mutating func hold(over seconds: Double, followed: Double, speed: Double) {
    mix(after: seconds)
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
    let change = modes.changeProbability(over: elapsed)
    let lasting = lowNoiseProbability
    lowNoiseProbability = (1 - change) * lasting + change * (1 - lasting)
    state.mix(
      shares: Pair(
        (1 - change) * lasting / lowNoiseProbability, change * lasting / (1 - lowNoiseProbability)))
  }

  // MARK: Ranges

  /// What a range said.
  struct Reading: Sendable, Equatable {
    /// Measured less expected distance, metres.
    var residual: Double
    /// Its variance as expected, m².
    var variance: Double
    /// The density of the range as expected.
    var likelihood: StudentDensity.Likelihood
    /// The weight that the range was given, 0 to 1.
    var weight: Double

    /// Logarithm of the density of the range as expected.
    var logLikelihood: Double { likelihood.logarithm }
    /// The residual squared, in units of its variance.
    var normalizedSquare: Double { residual * residual / variance }
    /// Whether the range had less than half its weight.
    var isDiscounted: Bool { weight < 0.5 }
  }

  /// Gives the link at `place` an error that nothing is known of, to an anchor whose surveyed
  /// position has the variance `surveyed` along the range, m².
  mutating func introduceLink(_ place: Int, surveyed: Double = 0) {
    state.introduceLink(place, variance: errors.correlatedVariance + surveyed)
  }

  /// Takes in a range.
  ///
  /// - Parameters:
  ///   - distance: the range, metres.
  ///   - variance: of its independent error, m².
  ///   - anchor: position of the anchor.
  ///   - link: place of the link's error; nil for none.
  /// - Returns: What it said; nil, and no change, where it cannot be computed.
  mutating func condition(
    on distance: Double, variance: Double, anchor: Vector<3>, link: Int?
  ) -> Reading? {
    condition(
      on: state.expectation(of: distance, anchor: anchor, link: link),
      variance: Pair(repeating: variance))
  }

  /// Takes in what `expectation` is about, with noise of the given variances.
  @inline(__always)
  mutating func condition(
    on expectation: TrackState.Expectation, variance: Pair
  ) -> Reading? {
    let spreads = expectation.spread + variance
    let squares = expectation.residual * expectation.residual / spreads
    guard squares[0].isFinite, squares[1].isFinite, spreads[0] > 0, spreads[1] > 0,
      spreads[0].isFinite, spreads[1].isFinite
    else { return nil }
    let weights = density.weights(squares)
    state.condition(on: expectation, variance: variance / weights)

    let mixture = density.mixture(squares, variances: spreads, share: lowNoiseProbability)
    let share = lowNoiseProbability
    let residuals = expectation.residual
    let difference = residuals[0] - residuals[1]
    let between = share * (1 - share) * difference * difference
    let reading = Reading(
      residual: mixed(residuals), variance: mixed(spreads) + between,
      likelihood: mixture.likelihood, weight: mixed(weights))
    if !isSingle {
      lowNoiseProbability = min(
        1 - Self.leastProbability, max(Self.leastProbability, mixture.share))
    }
    return reading
  }

  /// Takes in what the height says in `seconds`, above 0; infinite for all that it says.
  mutating func condition(on height: HeightConstraint, over seconds: Double) {
    state.condition(onHeight: height.metres, variance: height.variance(over: seconds))
  }

  /// Multiplies the standard deviations of position and velocity by `factor`.
  mutating func widen(by factor: Double) { state.widen(by: factor) }

  /// Replaces position and velocity by their image in the plane through `centre` across `normal`.
  mutating func reflect(in centre: Vector<3>, normal: Vector<3>) {
    state.reflect(in: centre, normal: normal)
  }

  /// Forgets what was found out about headings.
  mutating func forgetHeading() {
    if state.hasHeading { state.introduceHeading(variance: headingVariance) }
  }
}

extension TrackMixture {
  /// What a tracker knows of a stretch of time.
  struct Step {
    /// Its length, not negative.
    var seconds: Double
    /// Whether the velocity is not to be believed over it, and over how much of it, seconds.
    var isGap: Bool
    var followed: Double
    /// How fast the tag may be, m/s.
    var speed: Double
    var height: HeightConstraint?
  }

  /// Carries the state estimates over a step.
  mutating func advance(by step: Step) {
    if step.isGap {
      hold(over: step.seconds, followed: step.followed, speed: step.speed)
    } else {
      predict(over: step.seconds)
    }
    if let height = step.height, step.seconds > 0 { condition(on: height, over: step.seconds) }
  }

  /// Where the tag is along a unit vector, metres from the origin, with the variance.
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
