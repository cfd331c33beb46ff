import RealModule

/// One smoothing of one recording, with states of `N` numbers: 4 in the plane, 6 in space.
struct SmootherRun<let N: Int> {
  let ranges: [RangeMeasurement]
  let anchors: [Anchor]
  let configuration: TrackerConfiguration
  let knots: SmootherKnots
  let density: StudentDensity
  /// Steps between states.
  private(set) var steps: [Step] = []
  /// The states, `N` numbers each: coordinates, then velocities.
  var states: [Double]
  let inflation: Double
  let isAmbiguous: Bool
  /// What all ranges have in common: their bias, their scale, what those to each anchor read beyond
  /// it.
  var common: [Double]
  /// What ranges read too much by the strength of their signals, where that is among the unknowns:
  /// its levels, and its first unknown in ``common``.
  private(set) var signals: (levels: RSSIBiasCurve, first: Int)?
  /// The first of the offsets in ``common``; nil without them.
  var firstOffset: Int?

  /// Where the error of the position of each anchor that was surveyed with one begins in ``common``,
  /// three coordinates.
  let surveys: [Int?]

  /// What ties a state to the next.
  struct Step {
    /// Time between them, seconds.
    var seconds: Double
    /// Density of the acceleration over that of the configured motion; nil over a gap.
    var processNoiseRatio: Double?
  }

  /// Coordinates of a state.
  static var axes: Int { N / 2 }
  /// How far a tag may have gone over a gap however long, metres: beyond it, a state that few
  /// ranges tell of would be lost in rounding, and all others with it.
  static var farthest: Double { 1e5 }
  /// A track that went straight so far may still turn, (m/s²)/√Hz.
  static var leastDensity: Double { 0.35 }

  init(
    _ ranges: [RangeMeasurement], interruptions: [Timestamp], anchors: [Anchor],
    configuration: TrackerConfiguration, profile: ManoeuvreProfile
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
      steps.append(Step(seconds: seconds, processNoiseRatio: isGap ? nil : point.processNoiseRatio))
    }
  }

  /// What is left of the delays of antennas after a usual calibration, metres.
  static var offsetSigma: Double { 0.05 }

  /// The same run from where it is, with the values of `curve` among the unknowns; call before
  /// ``solvedWithOffsets(in:)``.
  func with(_ curve: RSSIBiasCurve) -> Self {
    var result = self
    result.signals = (curve, common.count)
    result.common += Array(repeating: 0, count: curve.unknownCount)
    return result
  }

  /// What ranges to each anchor read too much; empty where that is not among the unknowns.
  var offsets: ArraySlice<Double> { firstOffset.map { common[$0...] } ?? [] }

  var bias: Double { hasBias ? common[0] : 0 }
  var scale: Double { hasBias ? common[1] : 0 }
  /// Whether a bias and a scale of all ranges are among the unknowns.
  var hasBias: Bool { configuration.errors.hasCommon }

  /// Room for the equations of runs over these states.
  var emptyEquations: SmootherEquations<N> {
    SmootherEquations(count: knots.times.count, shared: 0)
  }

  /// The same run with the unknowns of `other`, from where they are there.
  func starting(from other: Self) -> Self {
    var result = self
    (result.states, result.common) = (other.states, other.common)
    result.firstOffset = other.firstOffset
    return result
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

/// How lively a tag moved over a recording, and about where it was: what a smoother starts from.
///
/// A ``Tracker`` runs over a thinned recording forwards and another one backwards. At every range
/// each says how likely the high-noise mode is, given what lies before and behind; together they
/// know all of it.
struct ManoeuvreProfile: Sendable {
  /// An instant of the profile.
  struct Point: Sendable {
    var time: Timestamp
    var position: Vector<3>
    var velocity: Vector<3>
    /// Root of the mean power of the acceleration over that of the middle between both modes.
    var processNoiseRatio: Double
  }

  /// In order of time; empty where the ranges never start a track.
  var points: [Point] = []
  /// What the forward tracker said at its end about errors that last, at least 0.5.
  var covarianceFactor = 1.0
  /// The bias and scale common to all ranges at the end of the forward run.
  var bias = 0.0
  var scale = 0.0
  /// Whether the mirror image of the track explains the ranges as well to the end.
  var isAmbiguous = false
}
