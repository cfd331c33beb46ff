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
  static var mostOffsets: Int { 24 }
  /// What is left of the delays of antennas after a usual calibration, metres.
  static var offsetSigma: Double { 0.05 }

  /// The same run from where it is, with the values of `curve` among the unknowns; call before
  /// ``withOffsets()``.
  func with(_ curve: SignalCurve) -> Self {
    var result = self
    result.signals = (curve, common.count)
    result.common += Array(repeating: 0, count: curve.unknownCount)
    return result
  }

  /// The same run from where it is, with an offset for every anchor.
  func withOffsets() -> Self {
    var result = self
    result.firstOffset = common.count
    result.common += Array(repeating: 0, count: anchors.count)
    return result
  }

  /// Whether no offset lies further from zero than offsets do; what does so is something else, such
  /// as a wall in the way.
  var hasPlausibleOffsets: Bool {
    guard let firstOffset else { return true }
    return common[firstOffset...].allSatisfy { $0.magnitude <= 4 * Self.offsetSigma }
  }

  var bias: Double { hasBias ? common[0] : 0 }
  var scale: Double { hasBias ? common[1] : 0 }
  /// Whether a bias and a scale of all ranges are among the unknowns.
  var hasBias: Bool { configuration.errors.hasCommon }

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
}
