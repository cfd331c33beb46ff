import RealModule

/// One smoothing of one recording, with states of `N` numbers: 4 in the plane, 6 in space.
struct SmootherRun<let N: Int> {
  private let ranges: [RangeMeasurement]
  private let anchors: [Anchor]
  private let configuration: Tracker.Configuration
  private let knots: SmootherKnots
  private let density: StudentDensity
  /// Steps between states.
  private var steps: [Step] = []
  /// The states, `N` numbers each: coordinates, then velocities.
  private var states: [Double]
  private let inflation: Double
  private let isAmbiguous: Bool
  /// What all ranges have in common: their bias, their scale, what those to each anchor read beyond it.
  private var common: [Double]
  /// The first of the offsets in ``common``; nil without them.
  private var firstOffset: Int?

  /// What ties a state to the next.
  private struct Step {
    /// Time between them, seconds.
    var seconds: Double
    /// Density of the acceleration over that of the configured motion; nil over a gap.
    var liveliness: Double?
  }

  /// Coordinates of a state.
  private static var axes: Int { N / 2 }
  private static var longestSearch: Int { 30 }
  /// A step that moves no position further ends the search, metres.
  private static var settled: Double { 1e-3 }
  /// How far a tag may have gone over a gap however long, metres: beyond it, a state that few ranges tell
  /// of would be lost in rounding, and all others with it.
  private static var farthest: Double { 1e5 }
  /// A track that went straight so far may still turn, (m/s²)/√Hz.
  private static var leastDensity: Double { 0.4 }

  init(
    _ ranges: [RangeMeasurement], interruptions: [Timestamp], anchors: [Anchor],
    configuration: Tracker.Configuration, profile: ManoeuvreProfile
  ) {
    self.ranges = ranges
    self.anchors = anchors
    self.configuration = configuration
    density = StudentDensity(freedom: configuration.errors.degreesOfFreedom)
    knots = SmootherKnots(
      ranges, anchors: anchors, errors: configuration.errors,
      inflation: profile.covarianceFactor)
    inflation = profile.covarianceFactor
    isAmbiguous = profile.isAmbiguous
    let errors = configuration.errors
    common = errors.biasSigma > 0 || errors.scaleSigma > 0 ? [profile.bias, profile.scale] : []
    states = []
    states.reserveCapacity(N * knots.times.count)
    var place = 0
    var interruption = 0
    let points = profile.points
    for (index, time) in knots.times.enumerated() {
      while place + 1 < points.count, points[place + 1].time <= time { place += 1 }
      let point = points[place]
      let elapsed = time.seconds(since: point.time)
      let isNear = elapsed >= 0 && elapsed < 1
      for axis in 0..<Self.axes {
        states.append(point.position[axis] + (isNear ? elapsed * point.velocity[axis] : 0))
      }
      for axis in 0..<Self.axes { states.append(isNear ? point.velocity[axis] : 0) }
      guard index > 0 else { continue }
      let seconds = time.seconds(since: knots.times[index - 1])
      var isGap = seconds > configuration.longestGap
      while interruption < interruptions.count, interruptions[interruption] <= time {
        if interruptions[interruption] > knots.times[index - 1] { isGap = true }
        interruption += 1
      }
      steps.append(Step(seconds: seconds, liveliness: isGap ? nil : point.liveliness))
    }
  }

  /// More anchors than this are not given offsets of their own.
  static var mostOffsets: Int { 24 }
  /// What is left of the delays of antennas after a usual calibration, metres.
  private static var offsetSigma: Double { 0.05 }

  /// The same run from where it is, with an offset for every anchor.
  func withOffsets() -> Self {
    var result = self
    result.firstOffset = common.count
    result.common += Array(repeating: 0, count: anchors.count)
    return result
  }

  /// Whether no offset lies further from zero than offsets do; what does so is something else, such as a
  /// wall in the way.
  var hasPlausibleOffsets: Bool {
    guard let firstOffset else { return true }
    return common[firstOffset...].allSatisfy { $0.magnitude <= 4 * Self.offsetSigma }
  }

  private var bias: Double { hasScale ? common[0] : 0 }
  private var scale: Double { hasScale ? common[1] : 0 }
  /// Whether a bias and a scale of all ranges are among the unknowns.
  private var hasScale: Bool { firstOffset != 0 && !common.isEmpty }

  /// Linearises and solves until the track settles.
  mutating func solved() -> SmoothedTrack? {
    var chain = SmootherChain<N>(count: knots.times.count, shared: common.count)
    var cost = Double.infinity
    var iterations = 0
    var isConverged = false
    var previous = (states: states, common: common)
    var step = (states: [Double](), common: [Double]())
    var share = 1.0
    while iterations < Self.longestSearch {
      iterations += 1
      chain.clear()
      let found = linearise(into: &chain)
      guard found.isFinite else { return nil }
      if found > cost * (1 + 1e-9) + 1e-9, share > 1e-3 {
        // Too far: half of the step from where it was better.
        share /= 2
        move(from: previous, along: step, share: share)
        continue
      }
      cost = found
      guard chain.factor() else { return nil }
      previous = (states, common)
      step = (chain.solution(), chain.common)
      share = 1
      move(from: previous, along: step, share: share)
      if largestMove(step.states) < Self.settled {
        isConverged = true
        break
      }
    }
    // The covariance is that of the last linearisation.
    return track(chain, cost: cost, iterations: iterations, isConverged: isConverged)
  }

  private mutating func move(
    from start: (states: [Double], common: [Double]),
    along step: (states: [Double], common: [Double]), share: Double
  ) {
    for index in states.indices {
      states[index] = start.states[index] + share * step.states[index]
    }
    for index in common.indices {
      common[index] = start.common[index] + share * step.common[index]
    }
  }

  private func largestMove(_ step: [Double]) -> Double {
    var largest = 0.0
    for first in stride(from: 0, to: step.count, by: N) {
      for axis in 0..<Self.axes { largest = max(largest, step[first + axis].magnitude) }
    }
    return largest
  }

  // MARK: - Linearisation

  /// Writes down the equations at the present track and returns its cost: the negative logarithm of its
  /// probability, up to a constant.
  private func linearise(into chain: inout SmootherChain<N>) -> Double {
    var cost = 0.0
    for (index, range) in ranges.enumerated() {
      let state = Int(knots.states[index])
      guard state >= 0 else { continue }
      cost += add(range, to: state, of: &chain)
    }
    for index in steps.indices { cost += addStep(index, to: &chain) }
    addPriors(to: &chain, cost: &cost)
    return cost
  }

  /// How far a range is from its expectation, and what its expectation depends on.
  private func expectation(
    _ range: RangeMeasurement, state: Int
  ) -> (residual: Double, derivative: InlineArray<N, Double>, metres: Double) {
    let after = range.time.seconds(since: knots.times[state])
    let anchor = anchors[range.anchor]
    var offset = Vector<3>.zero
    for axis in 0..<Self.axes {
      offset[axis] =
        states[N * state + axis] + after * states[N * state + Self.axes + axis]
        - anchor.position[axis]
    }
    if Self.axes == 2 { offset[2] = (configuration.height ?? 0) - anchor.position[2] }
    let metres = offset.length
    var derivative = InlineArray<N, Double>(repeating: 0)
    if metres > 0 {
      let slope = (1 + scale) / metres
      for axis in 0..<Self.axes {
        derivative[axis] = slope * offset[axis]
        derivative[Self.axes + axis] = after * derivative[axis]
      }
    } else {
      derivative[0] = 1 + scale
    }
    var expected = (1 + scale) * metres + bias
    if let firstOffset { expected += common[firstOffset + range.anchor] }
    return (anchor.corrected(range.distance) - expected, derivative, metres)
  }

  /// The variance of a single range, m², and that with which it enters.
  private func variances(_ range: RangeMeasurement) -> (single: Double, effective: Double) {
    let errors = configuration.errors
    let ratio = (range.sigma ?? errors.sigma) / errors.sigma
    let single = ratio * ratio * errors.sigma * errors.sigma
    return (single, ratio * ratio * knots.effectiveVariances[range.anchor])
  }

  private func add(
    _ range: RangeMeasurement, to state: Int, of chain: inout SmootherChain<N>
  ) -> Double {
    let (residual, derivative, metres) = expectation(range, state: state)
    let (single, effective) = variances(range)
    let square = residual * residual / single
    let freedom = density.freedom
    // Not cut off at 1: this is the minimum of the Student-t cost, not a discount.
    let weight = freedom.isFinite ? (freedom + 1) / (freedom + square) : 1
    var others = SmootherChain<N>.SharedDerivative()
    if hasScale {
      if configuration.errors.biasSigma > 0 { others.append(0, 1) }
      if configuration.errors.scaleSigma > 0 { others.append(1, metres) }
    }
    if let firstOffset { others.append(firstOffset + range.anchor, 1) }
    chain.add(
      state, derivative: derivative, common: others, residual: residual,
      weight: weight / effective)
    let tail =
      freedom.isFinite
      ? 0.5 * (freedom + 1) * Double.log(onePlus: square / freedom) : 0.5 * square
    return tail * single / effective
  }

  /// Ties state `index` to the next.
  private func addStep(_ index: Int, to chain: inout SmootherChain<N>) -> Double {
    let step = steps[index]
    var cost = 0.0
    for axis in 0..<Self.axes {
      let first = N * index
      let speed = first + Self.axes
      if let liveliness = step.liveliness {
        let base =
          axis < 2
          ? configuration.modes.motion.horizontalDensity
          : configuration.modes.motion.verticalDensity
        let density = max(Self.leastDensity, base * liveliness)
        let dt = step.seconds
        let power = 1 / (density * density)
        let a = 12 * power / (dt * dt * dt)
        let b = -6 * power / (dt * dt)
        let c = 4 * power / dt
        let miss = states[first + N + axis] - states[first + axis] - dt * states[speed + axis]
        let change = states[speed + N + axis] - states[speed + axis]
        cost += 0.5 * (a * miss * miss + 2 * b * miss * change + c * change * change)
        chain.tie(
          index, axis: axis, seconds: dt, information: (a, b, c), miss: miss, change: change)
      } else {
        let spread = configuration.startVelocitySigma
        let reach = min(Self.farthest, spread * max(step.seconds, configuration.longestGap))
        let miss = states[first + N + axis] - states[first + axis]
        let velocity = states[speed + N + axis]
        let a = 1 / (reach * reach)
        let c = 1 / (spread * spread)
        cost += 0.5 * (a * miss * miss + c * velocity * velocity)
        chain.separate(index, axis: axis, information: (a, c), miss: miss, velocity: velocity)
      }
    }
    return cost
  }

  /// What is known before any range: about bias and scale, about the first velocity, and of the first
  /// position next to nothing.
  private func addPriors(to chain: inout SmootherChain<N>, cost: inout Double) {
    let spread = configuration.startVelocitySigma
    for axis in 0..<Self.axes {
      let index = Self.axes + axis
      let information = 1 / (spread * spread)
      chain.diagonal[N * index + index] += information
      chain.right[index] -= information * states[index]
      cost += 0.5 * information * states[index] * states[index]
      // Keeps equations definite where the first ranges alone do not determine the position.
      chain.diagonal[(N + 1) * axis] += 1e-8
    }
    for (index, value) in common.enumerated() {
      let sigma = priorSigma(ofCommon: index)
      let information = sigma > 0 ? 1 / (sigma * sigma) : 1
      chain.corner[(common.count + 1) * index] += information
      chain.common[index] -= information * value
      cost += 0.5 * information * value * value
    }
  }

  private func priorSigma(ofCommon index: Int) -> Double {
    if let firstOffset, index >= firstOffset { return Self.offsetSigma }
    return index == 0 ? configuration.errors.biasSigma : configuration.errors.scaleSigma
  }

  // MARK: - Result

  private func track(
    _ chain: SmootherChain<N>, cost: Double, iterations: Int, isConverged: Bool
  ) -> SmoothedTrack {
    var covariances = [Matrix<N, N>](repeating: .zero, count: chain.count)
    chain.withCovariances { covariances[$0] = $1 }
    var estimates: [TrackEstimate] = []
    var verdicts: [RangeVerdict] = []
    verdicts.reserveCapacity(ranges.count)
    for (index, range) in ranges.enumerated() {
      let state = Int(knots.states[index])
      guard state >= 0 else {
        verdicts.append(knots.isRepeated[index] ? .duplicate : .invalid)
        continue
      }
      verdicts.append(verdict(range, state: state))
      let estimate = estimate(at: range.time, state: state, covariance: covariances[state])
      if estimates.last?.time == range.time {
        estimates[estimates.count - 1] = estimate
      } else {
        estimates.append(estimate)
      }
    }
    let errors = configuration.errors
    let sigmas = common.indices.map { chain.corner[(common.count + 1) * $0].squareRoot() }
    // Laplace: the width of the minimum against that of what was known before.
    var evidence = -cost - 0.5 * chain.logarithmOfDeterminant
    for index in common.indices {
      let sigma = priorSigma(ofCommon: index)
      if sigma > 0 { evidence -= .log(sigma) }
    }
    let heard = Set(ranges.map(\.anchor))
    return SmoothedTrack(
      estimates: estimates, verdicts: verdicts,
      bias: hasScale && errors.biasSigma > 0 ? (bias, sigmas[0]) : nil,
      scale: hasScale && errors.scaleSigma > 0 ? (scale, sigmas[1]) : nil,
      offsets: anchors.indices.map { anchor in
        guard let firstOffset, heard.contains(anchor) else { return nil }
        return (common[firstOffset + anchor], sigmas[firstOffset + anchor])
      },
      covarianceFactor: inflation, iterations: iterations, evidence: evidence,
      isConverged: isConverged)
  }

  private func verdict(_ range: RangeMeasurement, state: Int) -> RangeVerdict {
    let residual = expectation(range, state: state).residual
    let single = variances(range).single
    let square = residual * residual / single
    let weight = density.weight(square)
    if weight >= 0.5 { return .used }
    return residual > 3 * single.squareRoot()
      ? .nonLineOfSight(weight: weight) : .discounted(weight: weight)
  }

  private func estimate(
    at time: Timestamp, state: Int, covariance: Matrix<N, N>
  ) -> TrackEstimate {
    let after = time.seconds(since: knots.times[state])
    var estimate = TrackEstimate(
      time: time, position: .zero, velocity: .zero, covariance: .zero,
      status: isAmbiguous ? .ambiguous : .tracking)
    estimate.position[2] = configuration.height ?? 0
    let axes = Self.axes
    for axis in 0..<axes {
      let velocity = states[N * state + axes + axis]
      estimate.position[axis] = states[N * state + axis] + after * velocity
      estimate.velocity[axis] = velocity
      for other in 0...axis {
        let own = covariance[axis, other]
        let cross = covariance[axis, axes + other] + covariance[axes + axis, other]
        let speed = covariance[axes + axis, axes + other]
        let value = own + after * (cross + after * speed)
        estimate.covariance[axis, other] = value
        estimate.covariance[other, axis] = value
      }
    }
    return estimate
  }
}
