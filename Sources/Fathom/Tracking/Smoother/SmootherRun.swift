import RealModule

/// One smoothing of one recording, with states of `N` numbers: 4 in the plane, 6 in space.
struct SmootherRun<let N: Int> {
  let ranges: [RangeMeasurement]
  let anchors: [Anchor]
  let configuration: Tracker.Configuration
  let knots: SmootherKnots
  let density: StudentDensity
  /// Steps between states.
  private(set) var steps: [Step] = []
  /// The states, `N` numbers each: coordinates, then velocities.
  private(set) var states: [Double]
  let inflation: Double
  let isAmbiguous: Bool
  /// What all ranges have in common: their bias, their scale, what those to each anchor read beyond
  /// it.
  private(set) var common: [Double]
  /// What ranges read too much by the strength of their signals, where that is among the unknowns:
  /// its levels, and its first unknown in ``common``.
  private(set) var signals: (levels: SignalCurve, first: Int)?
  /// The first of the offsets in ``common``; nil without them.
  private(set) var firstOffset: Int?

  /// Where the error of the position of each anchor that was surveyed with one begins in ``common``,
  /// three coordinates.
  let surveys: [Int?]

  /// What ties a state to the next.
  struct Step {
    /// Time between them, seconds.
    var seconds: Double
    /// Density of the acceleration over that of the configured motion; nil over a gap.
    var liveliness: Double?
  }

  /// Coordinates of a state.
  static var axes: Int { N / 2 }
  private static var longestSearch: Int { 30 }
  /// A step that moves no position further ends the search, metres.
  private static var settled: Double { 1e-3 }
  /// How far a tag may have gone over a gap however long, metres: beyond it, a state that few
  /// ranges tell of would be lost in rounding, and all others with it.
  static var farthest: Double { 1e5 }
  /// A track that went straight so far may still turn, (m/s²)/√Hz.
  static var leastDensity: Double { 0.35 }

  init(
    _ ranges: [RangeMeasurement], interruptions: [Timestamp], anchors: [Anchor],
    configuration: Tracker.Configuration, profile: ManoeuvreProfile
  ) {
    self.ranges = ranges
    self.anchors = anchors
    self.configuration = configuration
    density = StudentDensity(freedom: configuration.errors.degreesOfFreedom)
    let errors = configuration.errors
    common = errors.hasCommon ? [profile.bias, profile.scale] : []
    surveys = anchors.surveys(from: common.count)
    common += Array(repeating: 0, count: 3 * surveys.count(where: { $0 != nil }))
    knots = SmootherKnots(
      ranges, anchors: zip(anchors, surveys).map { $1 == nil ? $0 : Anchor(asSurveyed: $0) },
      errors: errors, inflation: profile.covarianceFactor)
    inflation = profile.covarianceFactor
    isAmbiguous = profile.isAmbiguous
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
  private static var mostOffsets: Int { 24 }
  /// What is left of the delays of antennas after a usual calibration, metres.
  static var offsetSigma: Double { 0.05 }

  /// The same run from where it is, with the values of `curve` among the unknowns; call before
  /// ``settledWithOffsets(in:)``.
  func with(_ curve: SignalCurve) -> Self {
    var result = self
    result.signals = (curve, common.count)
    result.common += Array(repeating: 0, count: curve.unknownCount)
    return result
  }

  /// The same run from where it is, with an offset for every anchor, solved.
  ///
  /// Nil where there are too many anchors, and where an offset lies further from zero than offsets
  /// do: what does so is something else, such as a wall in the way.
  func settledWithOffsets(in chain: inout SmootherChain<N>) -> SettledRun<N>? {
    guard anchors.count <= Self.mostOffsets else { return nil }
    var run = self
    if firstOffset == nil {
      run.firstOffset = common.count
      run.common += Array(repeating: 0, count: anchors.count)
    }
    guard let settled = run.settled(in: &chain) else { return nil }
    let isPlausible = settled.run.offsets.allSatisfy { $0.magnitude <= 4 * Self.offsetSigma }
    return isPlausible ? settled : nil
  }

  /// What ranges to each anchor read too much; empty where that is not among the unknowns.
  var offsets: ArraySlice<Double> { firstOffset.map { common[$0...] } ?? [] }

  var bias: Double { hasBias ? common[0] : 0 }
  var scale: Double { hasBias ? common[1] : 0 }
  /// Whether a bias and a scale of all ranges are among the unknowns.
  var hasBias: Bool { configuration.errors.hasCommon }

  /// Room for the equations of runs over these states.
  var room: SmootherChain<N> { SmootherChain(count: knots.times.count, shared: 0) }

  /// The same run with the unknowns of `other`, from where they are there.
  func starting(from other: Self) -> Self {
    var result = self
    (result.states, result.common) = (other.states, other.common)
    result.firstOffset = other.firstOffset
    return result
  }

  /// Linearises and solves until the track settles; nil where the equations cannot be solved.
  ///
  /// `chain` is room for the equations, which the next run over the same states can use again.
  func settled(in chain: inout SmootherChain<N>) -> SettledRun<N>? {
    var run = self
    // Where it was linearised last, and the cost and the determinant there.
    var linearised = self
    var cost = Double.infinity
    var logarithmOfDeterminant = 0.0
    var iterations = 0
    var isConverged = false
    var step = (states: [Double](), common: [Double]())
    var share = 1.0
    chain.clear(shared: common.count)
    for iteration in 1...Self.longestSearch {
      if iteration > 1 { chain.clear() }
      let found = run.linearise(into: &chain)
      guard found.isFinite else { return nil }
      if found > cost * (1 + 1e-9) + 1e-9, share > 1e-3 {
        // Too far: half of the step from where it was better.
        share /= 2
        run.move(from: linearised, along: step, share: share)
        continue
      }
      guard chain.factor() else { return nil }
      (cost, logarithmOfDeterminant) = (found, chain.logarithmOfDeterminant)
      iterations = iteration
      // Every number of the run is written by the step: it takes over what is not needed any more.
      swap(&linearised, &run)
      chain.solve(into: &step.states)
      step.common = chain.common
      share = 1
      run.move(from: linearised, along: step, share: share)
      isConverged = largestMove(step.states) < Self.settled
      if isConverged { break }
    }
    return SettledRun(
      linearised: linearised, run: run, cost: cost,
      logarithmOfDeterminant: logarithmOfDeterminant, iterations: iterations,
      isConverged: isConverged)
  }

  private mutating func move(
    from start: Self, along step: (states: [Double], common: [Double]), share: Double
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
}

/// The instants at which a smoother places a state, and the ranges that belong to each.
///
/// Ranges that follow each other within 20 ms share one: within that time even a lively tag strays
/// from a straight line by no more than a few millimetres, and what it moves along the line is
/// accounted for.
struct SmootherKnots: Sendable {
  /// When each state is.
  private(set) var times: [Timestamp] = []
  /// The state of each range; -1 for a range that is left out.
  private(set) var states: [Int32]
  /// Which ranges are left out because they repeat the one before.
  private(set) var isRepeated: [Bool]
  /// The variance with which a range of each anchor enters, m², and the variance of a single one.
  private(set) var effectiveVariances: [Double]

  private static let spacing = 0.02

  /// The states for `ranges`, which are in order of time.
  init(_ ranges: [RangeMeasurement], anchors: [Anchor], errors: RangeErrors, inflation: Double) {
    states = Array(repeating: -1, count: ranges.count)
    isRepeated = Array(repeating: false, count: ranges.count)
    var latest = [RangeMeasurement?](repeating: nil, count: anchors.count)
    var intervals = [[Double]](repeating: [], count: anchors.count)
    for (index, range) in ranges.enumerated() {
      guard anchors.indices.contains(range.anchor), range.isUsable,
        MeasuredDistance.validated(anchors[range.anchor].corrected(range.distance)) != nil
      else { continue }
      if let last = latest[range.anchor] {
        let elapsed = range.time.seconds(since: last.time)
        if range.distance == last.distance, errors.isRepetition(after: elapsed) {
          isRepeated[index] = true
          continue
        }
        if elapsed > 0 { intervals[range.anchor].append(elapsed) }
      }
      latest[range.anchor] = range
      if let last = times.last, range.time.seconds(since: last) <= Self.spacing {
        states[index] = Int32(times.count - 1)
      } else {
        states[index] = Int32(times.count)
        times.append(range.time)
      }
    }
    effectiveVariances = intervals.enumerated().map { anchor, values in
      let interval = values.isEmpty ? 10 : values.sorted()[values.count / 2]
      let surveyed = anchors[anchor].positionSigma ?? 0
      return inflation * errors.effectiveVariance(interval: interval) + surveyed * surveyed
    }
  }
}

extension RangeMeasurement {
  /// Whether distance and sigma are what they can be; a sigma beyond any radio would drown all
  /// others.
  var isUsable: Bool {
    MeasuredDistance.validated(distance) != nil && sigma.map((1e-6...1e9).contains) ?? true
  }
}
