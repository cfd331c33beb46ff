import RealModule

/// The linearised equations of ranges, motion and priors.
extension SmootherRun {
  /// Writes the equations at the present track into `chain` and returns the cost: the negative
  /// logarithm of its probability, up to a constant.
  func linearise(into chain: inout ChainEquations<N>) -> Double {
    var cost = 0.0
    for (index, range) in ranges.enumerated() {
      let state = Int(knots.states[index])
      guard state >= 0 else { continue }
      cost += add(range, to: state, of: &chain)
    }
    for index in steps.indices { cost += addStep(index, to: &chain) }
    addPriors(to: &chain, cost: &cost)
    addHeight(to: &chain, cost: &cost)
    addHeights(to: &chain, cost: &cost)
    addOdometry(to: &chain, cost: &cost)
    addInertial(to: &chain, cost: &cost)
    addDifferences(to: &chain, cost: &cost)
    return cost
  }

  /// Returns the residual of a range and its derivatives.
  func expectation(
    _ range: RangeMeasurement, state: Int
  ) -> (
    residual: Double, derivative: InlineArray<N, Double>, metres: Double, slope: Vector<3>
  ) {
    let after = range.time.seconds(since: knots.times[state])
    let anchor = anchors[range.anchor]
    let offset = offset(from: range.anchor, state: state, after: after)
    let metres = offset.length
    var derivative = InlineArray<N, Double>(repeating: 0)
    let slopes = metres > 0 ? ((1 + scale) / metres) * offset : .zero
    if metres > 0 {
      for axis in 0..<Self.axes {
        derivative[axis] = slopes[axis]
        derivative[Self.axes + axis] = after * slopes[axis]
      }
    } else {
      derivative[0] = 1 + scale
    }
    var expected = (1 + scale) * metres + bias
    if let offsets = layout.offsets { expected += common[offsets + range.anchor] }
    if let signals {
      let first = layout.signals.lowerBound
      signals.forEachContribution(of: range) { expected += common[first + $0] * $1 }
    }
    return (anchor.corrected(range.distance) - expected, derivative, metres, slopes)
  }

  /// Returns the offset from an anchor, at its estimated position, to the tag `after` seconds after a
  /// state, in metres.
  func offset(from anchor: Int, state: Int, after: Double) -> Vector<3> {
    corrected(position(state, after: after) - anchors[anchor].position, anchor: anchor)
  }

  /// The position of the tag some seconds after a state, in metres.
  @inline(__always)
  func position(_ state: Int, after seconds: Double) -> Vector<3> {
    var position = Vector<3>.zero
    for axis in 0..<Self.axes {
      position[axis] =
        states[N * state + axis] + seconds * states[N * state + Self.axes + axis]
    }
    if Self.axes == 2 { position[2] = configuration.height ?? 0 }
    return position
  }

  /// The velocity of the tag in a state, in m/s.
  func velocity(_ state: Int) -> Vector<3> {
    var velocity = Vector<3>.zero
    for axis in 0..<Self.axes { velocity[axis] = states[N * state + Self.axes + axis] }
    return velocity
  }

  /// Returns the variance of a single range and the effective variance used for it, in m².
  func variances(_ range: RangeMeasurement) -> (single: Double, effective: Double) {
    let errors = configuration.errors
    let ratio = (range.sigma ?? errors.sigma) / errors.sigma
    let single = ratio * ratio * errors.sigma * errors.sigma
    return (single, ratio * ratio * knots.effectiveVariances[range.anchor])
  }

  private func add(
    _ range: RangeMeasurement, to state: Int, of chain: inout ChainEquations<N>
  ) -> Double {
    let (residual, derivative, metres, slope) = expectation(range, state: state)
    let (single, effective) = variances(range)
    let square = residual * residual / single
    let freedom = density.freedom
    // Without the limit of 1: the cost is the Student-t likelihood, not a down-weighting.
    let weight = StudentDensity.weight(square, freedom: freedom)
    var others = ChainEquations<N>.SharedDerivative()
    if hasBias {
      others.append(0, 1)
      if configuration.errors.scaleSigma > 0 { others.append(1, metres) }
    }
    if let offsets = layout.offsets { others.append(offsets + range.anchor, 1) }
    if let signals {
      let first = layout.signals.lowerBound
      signals.forEachContribution(of: range) { others.append(first + $0, $1) }
    }
    if let first = layout.surveys[range.anchor] {
      for axis in 0..<3 { others.append(first + axis, -slope[axis]) }
    }
    chain.add(
      state, derivative: derivative, common: others, residual: residual,
      weight: weight / effective)
    let tail = StudentDensity.tail(square, freedom: freedom)
    return tail * single / effective
  }

  /// Links state `index` to the next one.
  private func addStep(_ index: Int, to chain: inout ChainEquations<N>) -> Double {
    let step = steps[index]
    var cost = 0.0
    for axis in 0..<Self.axes {
      let first = N * index
      let speed = first + Self.axes
      if let processNoiseRatio = step.processNoiseRatio {
        let base =
          axis < 2
          ? configuration.modes.motion.horizontalDensity
          : configuration.modes.motion.verticalDensity
        var density = max(Self.leastDensity, base * processNoiseRatio)
        // Odometry measures the motion; the model must not resist it.
        if axis < 2, sensors.isLinked(index) {
          density = max(density, OdometryErrors.accelerationDensity)
        }
        let dt = step.seconds
        let input = inertial.isLinked(index) ? inertial.inputs[index] : nil
        let motion = input.map { inertialMotion($0, index, axis: axis) }
        if motion != nil { density = inertialDensity(index) }
        let power = 1 / (density * density)
        let a = 12 * power / (dt * dt * dt)
        let b = -6 * power / (dt * dt)
        let c = 4 * power / dt
        var miss = states[first + N + axis] - states[first + axis] - dt * states[speed + axis]
        var change = states[speed + N + axis] - states[speed + axis]
        if let motion {
          miss -= motion.displacement
          change -= motion.velocity
          chain.couple(
            index, axis: axis, seconds: dt, information: (a, b, c), motion, miss: miss,
            change: change)
        }
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

  /// Adds the priors of the common unknowns and of the first velocity, and a negligible one of the
  /// first position.
  private func addPriors(to chain: inout ChainEquations<N>, cost: inout Double) {
    let spread = configuration.startVelocitySigma
    for axis in 0..<Self.axes {
      let index = Self.axes + axis
      let information = 1 / (spread * spread)
      chain.diagonal[N * index + index] += information
      chain.right[index] -= information * states[index]
      cost += 0.5 * information * states[index] * states[index]
      // Keeps the equations definite if the first ranges alone do not determine the position.
      chain.diagonal[(N + 1) * axis] += 1e-8
    }
    for (index, value) in common.enumerated() where !layout.heights.contains(index) {
      let information = priorInformation(ofCommon: index)
      chain.corner[(common.count + 1) * index] += information
      chain.common[index] -= information * value
      cost += 0.5 * information * value * value
    }
  }

  /// Information of an unknown that is known to be zero but still needs a covariance: far more than
  /// that of all ranges together.
  private static var certain: Double { 1e18 }

  /// Returns the prior information of common unknown `index`: the inverse of its variance.
  func priorInformation(ofCommon index: Int) -> Double {
    let sigma = priorSigma(ofCommon: index)
    return sigma > 0 ? 1 / (sigma * sigma) : Self.certain
  }

  /// Returns the prior standard deviation of common unknown `index`, in its unit.
  func priorSigma(ofCommon index: Int) -> Double {
    switch layout.unknowns[index] {
    case .bias: configuration.errors.biasSigma
    case .scale: configuration.errors.scaleSigma
    case .survey(let anchor, let axis): anchors[anchor].surveySigma(axis)
    case .odometryScale: configuration.odometry?.scaleSigma ?? 0
    case .odometryDrift: configuration.odometry?.driftSigma ?? 0
    case .heightOffset(let number): sensors.priorSigma(ofOffset: number)
    case .signal(let number): signals?.priorSigma(of: number) ?? 0
    case .anchorOffset: offsetSigma
    }
  }
}

/// A height with a standard deviation in a smoothed track.
extension SmootherRun {
  /// Adds the height measurement of every state to the equations, and its cost.
  ///
  /// A state represents half of the time to each of its neighbours; see ``HeightInformation``.
  func addHeight(to chain: inout ChainEquations<N>, cost: inout Double) {
    guard Self.axes == 3, let known = configuration.uncertainHeight else { return }
    let usual = configuration.modes.motion.verticalDensity
    var derivative = InlineArray<N, Double>(repeating: 0)
    derivative[2] = 1
    var before = 0.0
    for state in knots.times.indices {
      var after = 0.0
      if state < steps.count {
        let density = max(Self.leastDensity, usual * (steps[state].processNoiseRatio ?? 1))
        let information = HeightInformation(
          known, acceleration: density, knowledge: .pastAndFuture)
        after = 0.5 * steps[state].seconds / information.density
      }
      // A track with a single state has one height measurement.
      let isAlone = knots.times.count == 1
      let most = 1 / (known.sigma * known.sigma)
      let weight = isAlone ? most : min(most, before + after)
      let residual = known.value - states[N * state + 2]
      chain.add(
        state, derivative: derivative, common: ChainEquations<N>.SharedDerivative(),
        residual: residual, weight: weight)
      cost += 0.5 * weight * residual * residual
      before = after
    }
  }
}
