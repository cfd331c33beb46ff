import RealModule

/// The beliefs of a tracker in both modes of motion, and how likely each mode is.
///
/// The interacting-multiple-model filter [Blom & Bar-Shalom 1988; Bar-Shalom et al. 2001, Sec. 11.6.6] for
/// two modes: between ranges each belief goes its own way, a range weighs both by its likelihood, and the
/// possible change of mode mixes them. Mixing is put off while a change is unlikely: ranges that follow
/// each other within a twentieth of a second share one.
struct TrackMixture: Sendable {
  private var gentle: TrackBelief
  private var lively: TrackBelief
  private let modes: MotionModes
  private let errors: RangeErrors
  private let density: StudentDensity
  /// Probability of the gentle mode; 1 where there is no other.
  private(set) var gentleProbability: Double
  /// Time since the last mixing, seconds.
  private var unmixed = 0.0

  private static let mixingInterval = 0.05
  /// Farther from the origin than this, per axis, no tag is, metres.
  private static let farthest = 1e9
  /// No mode is ever ruled out altogether.
  private static let leastProbability = 1e-6

  /// A belief about position and velocity, whatever the mode.
  init(_ kinematics: Gaussian<6>, modes: MotionModes, errors: RangeErrors) {
    self.modes = modes
    self.errors = errors
    density = StudentDensity(freedom: errors.degreesOfFreedom)
    gentle = TrackBelief(kinematics)
    gentle.introduce(TrackBelief.bias, variance: errors.biasSigma * errors.biasSigma)
    gentle.introduce(TrackBelief.scale, variance: errors.scaleSigma * errors.scaleSigma)
    lively = gentle
    gentleProbability = modes.isSingle ? 1 : 0.5
  }

  /// Takes over what another track found out about bias and scale.
  mutating func inherit(from other: Self) {
    for index in [TrackBelief.bias, TrackBelief.scale] {
      let (value, variance) = other.common(index)
      gentle.introduce(index, value: value, variance: variance)
      lively.introduce(index, value: value, variance: variance)
    }
  }

  // MARK: Reading

  /// Whether either mode has left this world, as after ranges that are none.
  var isAstray: Bool {
    func isAstray(_ belief: TrackBelief) -> Bool {
      (0..<3).contains { !(belief.mean[$0].magnitude < Self.farthest) }
    }
    return isAstray(gentle) || (!modes.isSingle && isAstray(lively))
  }

  /// Position and velocity, over both modes.
  var kinematics: Gaussian<6> {
    mixed(gentle.kinematics, modes.isSingle ? nil : lively.kinematics)
  }

  /// Position and velocity after a further step of `seconds`, over both modes.
  func kinematics(after seconds: Double) -> Gaussian<6> {
    mixed(
      modes.gentle.predict(gentle.kinematics, over: seconds),
      modes.isSingle ? nil : modes.lively.predict(lively.kinematics, over: seconds))
  }

  /// A number common to all ranges, with its variance, over both modes.
  func common(_ index: Int) -> (value: Double, variance: Double) {
    guard !modes.isSingle else { return (gentle.mean[index], gentle.variance(of: index)) }
    let share = gentleProbability
    let difference = gentle.mean[index] - lively.mean[index]
    let own = share * gentle.variance(of: index) + (1 - share) * lively.variance(of: index)
    return (
      lively.mean[index] + share * difference, own + share * (1 - share) * difference * difference
    )
  }

  private func mixed(_ first: Gaussian<6>, _ second: Gaussian<6>?) -> Gaussian<6> {
    guard let second else { return first }
    let share = gentleProbability
    let difference = first.mean - second.mean
    var result = Gaussian(
      mean: second.mean + share * difference,
      covariance: share * first.covariance + (1 - share) * second.covariance)
    for row in 0..<6 {
      for column in 0..<6 {
        let square = difference[row] * difference[column]
        result.covariance[row, column] += share * (1 - share) * square
      }
    }
    return result
  }

  // MARK: Moving on

  /// Carries the beliefs over a step of `seconds`, not negative.
  mutating func predict(over seconds: Double) {
    guard seconds > 0 else { return }
    mix(after: seconds)
    let memory = errors.memory(over: seconds)
    let linkVariance = errors.correlatedVariance
    gentle.predict(
      over: seconds, motion: modes.gentle, memory: memory, linkVariance: linkVariance)
    guard !modes.isSingle else { return }
    lively.predict(
      over: seconds, motion: modes.lively, memory: memory, linkVariance: linkVariance)
  }

  /// Holds the beliefs over a gap, see ``TrackBelief/hold(over:followed:motion:speed:memory:linkVariance:)``.
  mutating func hold(over seconds: Double, followed: Double, speed: Double) {
    mix(after: seconds)
    let memory = errors.memory(over: seconds)
    let linkVariance = errors.correlatedVariance
    gentle.hold(
      over: seconds, followed: followed, motion: modes.gentle, speed: speed, memory: memory,
      linkVariance: linkVariance)
    guard !modes.isSingle else { return }
    lively.hold(
      over: seconds, followed: followed, motion: modes.lively, speed: speed, memory: memory,
      linkVariance: linkVariance)
  }

  private mutating func mix(after seconds: Double) {
    unmixed += seconds
    guard unmixed >= Self.mixingInterval, !modes.isSingle else { return }
    let change = modes.changeProbability(over: unmixed)
    unmixed = 0
    let lasting = gentleProbability
    gentleProbability = (1 - change) * lasting + change * (1 - lasting)
    TrackBelief.mix(
      &gentle, &lively, share: (1 - change) * lasting / gentleProbability,
      otherShare: change * lasting / (1 - gentleProbability))
  }

  // MARK: Ranges

  /// What a range said.
  struct Reading {
    /// Measured less expected distance, metres.
    var residual: Double
    /// Its variance as expected, m².
    var variance: Double
    /// Logarithm of the density of the range as expected.
    var logLikelihood: Double
    /// The weight that the range was given, 0 to 1.
    var weight: Double
  }

  /// Gives the link at place `link` of the state an error that nothing is known of.
  mutating func introduceLink(_ link: Int) {
    gentle.introduce(link, variance: errors.correlatedVariance)
    guard !modes.isSingle else { return }
    lively.introduce(link, variance: errors.correlatedVariance)
  }

  /// Takes in a range.
  ///
  /// - Parameters:
  ///   - distance: the range, metres.
  ///   - variance: of its independent error, m².
  ///   - anchor: position of the anchor.
  ///   - link: index of the link's error in the state; nil for none.
  /// - Returns: What it said; nil, and no change, where it cannot be computed.
  mutating func condition(
    on distance: Double, variance: Double, anchor: Vector<3>, link: Int?
  ) -> Reading? {
    let first = gentle.expectation(of: distance, anchor: anchor, link: link)
    let (square, spread) = normalized(first, variance)
    guard square.isFinite, spread > 0, spread.isFinite else { return nil }
    let weight = density.weight(square)
    if modes.isSingle {
      gentle.condition(on: first, variance: variance / weight)
      return Reading(
        residual: first.residual, variance: spread,
        logLikelihood: density.logarithm(square, variance: spread), weight: weight)
    }
    let second = lively.expectation(of: distance, anchor: anchor, link: link)
    let (otherSquare, otherSpread) = normalized(second, variance)
    guard otherSquare.isFinite, otherSpread > 0, otherSpread.isFinite else { return nil }
    let otherWeight = density.weight(otherSquare)
    gentle.condition(on: first, variance: variance / weight)
    lively.condition(on: second, variance: variance / otherWeight)

    let share = gentleProbability
    let difference = first.residual - second.residual
    var reading = Reading(
      residual: second.residual + share * difference,
      variance: share * spread + (1 - share) * otherSpread
        + share * (1 - share) * difference * difference,
      logLikelihood: 0, weight: share * weight + (1 - share) * otherWeight)
    let logarithm = density.logarithm(square, variance: spread)
    let otherLogarithm = density.logarithm(otherSquare, variance: otherSpread)
    let ratio = (1 - share) / share * Double.exp(otherLogarithm - logarithm)
    // The smaller of the two terms leads, so that neither can overflow.
    if ratio < 1 {
      reading.logLikelihood = logarithm + .log(share) + .log(onePlus: ratio)
    } else {
      reading.logLikelihood = otherLogarithm + .log(1 - share) + .log(onePlus: 1 / ratio)
    }
    gentleProbability = min(
      1 - Self.leastProbability, max(Self.leastProbability, 1 / (1 + ratio)))
    return reading
  }

  /// Multiplies the standard deviations of position and velocity by `factor`.
  mutating func widen(by factor: Double) {
    gentle.widen(by: factor)
    if !modes.isSingle { lively.widen(by: factor) }
  }

  /// Replaces position and velocity by their image in the plane through `centre` across `normal`.
  mutating func reflect(in centre: Vector<3>, normal: Vector<3>) {
    gentle.reflect(in: centre, normal: normal)
    if !modes.isSingle { lively.reflect(in: centre, normal: normal) }
  }

  private func normalized(
    _ expectation: TrackBelief.Expectation, _ variance: Double
  ) -> (square: Double, spread: Double) {
    let spread = expectation.spread + variance
    return (expectation.residual * expectation.residual / spread, spread)
  }
}
