import RealModule

/// A smoothing run over one recording, with states of `N` numbers: 4 in the plane, 6 in space, one more
/// with odometry, and 8 or 10 with inertial data.
struct SmootherRun<let N: Int> {
  let ranges: [RangeMeasurement]
  /// The usable time differences, in order of time.
  let differences: [TimedDifference]
  let anchors: [Anchor]
  let configuration: TrackerConfiguration
  let knots: SmootherKnots
  let density: StudentDensity
  /// The steps between states.
  private(set) var steps: [Step] = []
  /// The states, `N` numbers each: coordinates, then velocities.
  var states: [Double]
  let inflation: Double
  /// The mirror of ambiguous states; nil if there are none.
  private(set) var mirror: Mirror?
  /// Whether the mirror image of each state explains the ranges equally well.
  private(set) var isAmbiguous: [Bool] = []
  /// The inertial data between the states.
  private(set) var inertial = InertialLinks()
  /// The heights and odometry of the tag.
  private(set) var sensors = SmootherSensors()
  /// The common unknowns, in the order of ``layout``.
  var common: [Double]
  /// The places of the common unknowns.
  private(set) var layout: CommonLayout
  /// The curve of the RSSI-dependent bias if its values are among the unknowns.
  private(set) var signals: RSSIBiasCurve?

  /// The motion between a state and the next.
  struct Step {
    /// The time between the states, in seconds.
    var seconds: Double
    /// Ratio of the acceleration density to that of the configured motion; nil over a gap.
    var processNoiseRatio: Double?
    /// The acceleration density beside inertial data; nil before their heading is known.
    var inertialDensity: Double?
    /// Whether the wheels slip, or are found to slip soon after.
    var isSlipping = false
  }

  /// Number of coordinates of a state.
  static var axes: Int { ChainEquations<N>.axes }
  /// Largest displacement of a tag over a gap of any length, in metres.
  ///
  /// With a larger one, a state with few ranges would lose all precision to rounding, and the other
  /// states with it.
  static var farthest: Double { 1e5 }
  /// Minimum acceleration density in (m/s²)/√Hz: a track that was straight so far may still turn.
  static var leastDensity: Double { 0.35 }

  init(
    _ ranges: [RangeMeasurement], sensors readings: SensorReadings = SensorReadings(),
    interruptions: [Timestamp], anchors: [Anchor], configuration: TrackerConfiguration,
    profile: ManoeuvreProfile, instants: [Timestamp]? = nil
  ) {
    self.ranges = ranges
    differences = readings.differences
    self.anchors = anchors
    self.configuration = configuration
    density = StudentDensity(freedom: configuration.errors.degreesOfFreedom)
    let errors = configuration.errors
    layout = CommonLayout(hasBias: errors.hasCommon, anchors: anchors)
    common = Array(repeating: 0, count: layout.count)
    if layout.bias != nil { (common[0], common[1]) = (profile.bias, profile.scale) }
    var knots = SmootherKnots(
      ranges, differences: differences,
      anchors: zip(anchors, layout.surveys).map { $1 == nil ? $0 : Anchor(asSurveyed: $0) },
      errors: errors, inflation: profile.covarianceFactor,
      between: Self.hasInertial
        ? readings.inertial.map(\.time) : Self.hasHeading ? readings.odometry.map(\.end) : [])
    if let instants { knots.move(to: instants, ranges, differences) }
    self.knots = knots
    inflation = profile.covarianceFactor
    mirror = profile.mirror
    states = []
    states.reserveCapacity(N * knots.times.count)
    var place = 0
    var interruption = 0
    let points = profile.points
    for (index, time) in knots.times.enumerated() {
      while place + 1 < points.count, points[place + 1].time <= time { place += 1 }
      let point = points[place]
      if mirror != nil { isAmbiguous.append(point.isAmbiguous) }
      let elapsed = time.seconds(since: point.time)
      let isNear = elapsed >= 0 && elapsed < 1
      for axis in 0..<Self.axes {
        states.append(point.position[axis] + (isNear ? elapsed * point.velocity[axis] : 0))
      }
      for axis in 0..<Self.axes { states.append(isNear ? point.velocity[axis] : 0) }
      if Self.hasHeading || Self.hasInertial {
        states.append(point.heading ?? profile.firstHeading ?? 0)
      }
      while states.count % N > 0 { states.append(0) }
      guard index > 0 else { continue }
      let seconds = time.seconds(since: knots.times[index - 1])
      var isGap = seconds > configuration.longestGap
      while interruption < interruptions.count, interruptions[interruption] <= time {
        if interruptions[interruption] > knots.times[index - 1] { isGap = true }
        interruption += 1
      }
      steps.append(
        Step(
          seconds: seconds, processNoiseRatio: isGap ? nil : point.processNoiseRatio,
          inertialDensity: point.inertialDensity, isSlipping: profile.slips(near: place)))
    }
    add(readings, interruptions: interruptions, hasHeading: profile.firstHeading != nil)
  }

  /// Assigns heights, odometry and inertial data to the states; inertial data whose heading was found
  /// nowhere only tell where the tag is at rest.
  private mutating func add(
    _ readings: SensorReadings, interruptions: [Timestamp], hasHeading: Bool
  ) {
    if Self.hasInertial, let errors = configuration.usedInertial {
      inertial = InertialLinks(between: knots.times, readings.inertial, errors: errors)
      inertial.cut { index in !hasHeading || steps[index].processNoiseRatio == nil }
    }
    if Self.hasHeading, let errors = configuration.odometry {
      sensors.links = OdometryLink.links(between: knots.times, readings.odometry, errors: errors)
      for index in steps.indices
      where interruptions.contains(where: {
        $0 > knots.times[index] && $0 <= knots.times[index + 1]
      }) {
        sensors.links[index] = nil
      }
      for index in steps.indices where steps[index].isSlipping {
        sensors.links[index]?.addSlip(errors)
      }
      layout.addOdometry()
      common += [0, 0]
    }
    if Self.axes == 3, let errors = configuration.heights {
      let offset = sensors.add(readings.heights, times: knots.times, errors: errors) {
        states[N * $0 + 2]
      }
      if let offset {
        layout.addHeights(sensors.offsetCount)
        common += Array(repeating: offset, count: sensors.offsetCount)
      }
    }
  }

  /// The anchors with ranges or time differences.
  var rangedAnchors: Set<Int> {
    var ranged = Set(ranges.map(\.anchor)).filter(anchors.indices.contains)
    for difference in differences { ranged.formUnion([difference.first, difference.second]) }
    return ranged
  }

  /// Prior standard deviation of an anchor's range offset, in metres: that of persistent errors.
  var offsetSigma: Double { configuration.errors.persistentSigma }

  /// Maximum number of anchors with offsets of their own.
  private static var mostOffsets: Int { 24 }

  /// The same run with an offset of every anchor among the unknowns, unless links have no errors that
  /// last or there are too many anchors.
  var withOffsets: Self {
    guard offsetSigma > 0, anchors.count <= Self.mostOffsets else { return self }
    var result = self
    result.layout.addOffsets(anchors.count)
    result.common += Array(repeating: 0, count: anchors.count)
    return result
  }

  /// Returns the same run with the values of `curve` among the unknowns; call before ``withOffsets``.
  func with(_ curve: RSSIBiasCurve) -> Self {
    var result = self
    result.signals = curve
    result.layout.addSignals(curve.unknownCount)
    result.common += Array(repeating: 0, count: curve.unknownCount)
    return result
  }

  var bias: Double { hasBias ? common[0] : 0 }
  var scale: Double { hasBias ? common[1] : 0 }
  /// Whether a bias and a scale of all ranges are among the unknowns.
  var hasBias: Bool { layout.bias != nil }

  /// Adds ambiguous states, with their images in `other` unless there is a mirror already.
  mutating func mark(_ states: [Bool], in other: Mirror) {
    if mirror == nil { isAmbiguous = Array(repeating: false, count: states.count) }
    mirror = mirror ?? other
    for index in states.indices where states[index] { isAmbiguous[index] = true }
  }

  /// Calls no state ambiguous any more.
  mutating func decideSides() {
    mirror = nil
    isAmbiguous = []
  }

  /// Storage for the equations of runs of a single tag over these states.
  var emptyEquations: JointEquations<N> { JointRun(runs: [self]).emptyEquations }
}

/// The instants of a smoother's states, and the ranges assigned to each.
///
/// Ranges within 20 ms share a state. In that time even a tag in the high-noise mode deviates from
/// a straight line by a few millimetres at most, and the motion along the line is modelled.
struct SmootherKnots: Sendable {
  /// The time of each state.
  private(set) var times: [Timestamp] = []
  /// The state of each range; -1 for a range that is left out.
  private(set) var states: [Int32]
  /// Whether each range is left out as a repeated reading.
  private(set) var isRepeated: [Bool]
  /// The longest time between states when there are instants between ranges, in seconds.
  private static let longestStep = 0.5
  /// The effective variance of a range to each anchor, in m².
  private(set) var effectiveVariances: [Double] = []
  /// The state of each time difference.
  private(set) var differenceStates: [Int32] = []
  /// The effective variance of an arrival at each anchor, in m².
  private(set) var arrivalVariances: [Double] = []

  static let spacing = 0.02

  /// Creates the states for `ranges` and `differences`, in order of time, and at some of the instants
  /// `others` while there are none.
  init(
    _ ranges: [RangeMeasurement], differences: [TimedDifference] = [], anchors: [Anchor],
    errors: RangeErrors, inflation: Double, between others: [Timestamp] = []
  ) {
    var next = 0
    var arrivals = Arrivals(differences, anchorCount: anchors.count)
    differenceStates.reserveCapacity(differences.count)
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
      while let time = arrivals.next(before: range.time) {
        differenceStates.append(state(at: time, between: others, next: &next))
      }
      states[index] = state(at: range.time, between: others, next: &next)
    }
    while let time = arrivals.next(before: nil) {
      differenceStates.append(state(at: time, between: others, next: &next))
    }
    func variances(_ intervals: [[Double]]) -> [Double] {
      intervals.enumerated().map { anchor, values in
        let interval = values.isEmpty ? 10 : values.sorted()[values.count / 2]
        let surveyed = anchors[anchor].positionSigma ?? 0
        return inflation * errors.effectiveVariance(interval: interval) + surveyed * surveyed
      }
    }
    effectiveVariances = variances(intervals)
    arrivalVariances = variances(arrivals.intervals)
  }

  /// Replaces the states by those at `instants`, which begin with the first measurement and are apart as
  /// usual.
  mutating func move(
    to instants: [Timestamp], _ ranges: [RangeMeasurement], _ differences: [TimedDifference]
  ) {
    times = instants
    func place(of time: Timestamp, from place: inout Int32) -> Int32 {
      while Int(place) + 1 < instants.count, instants[Int(place) + 1] <= time { place += 1 }
      return place
    }
    var next: Int32 = 0
    for index in states.indices where states[index] >= 0 {
      states[index] = place(of: ranges[index].time, from: &next)
    }
    next = 0
    for index in differenceStates.indices {
      differenceStates[index] = place(of: differences[index].time, from: &next)
    }
  }

  /// Returns the state of a measurement at `time`, not before the last one; a new one if none is near.
  private mutating func state(
    at time: Timestamp, between others: [Timestamp], next: inout Int
  ) -> Int32 {
    while next < others.count, others[next].advanced(bySeconds: Self.spacing) < time {
      if let last = times.last, others[next].seconds(since: last) >= Self.longestStep {
        times.append(others[next])
      }
      next += 1
    }
    if let last = times.last, time.seconds(since: last) <= Self.spacing {
      return Int32(times.count - 1)
    }
    times.append(time)
    return Int32(times.count - 1)
  }

  /// A place in a series of time differences.
  private struct Arrivals {
    private let differences: [TimedDifference]
    private var index = 0
    private var latest: [Timestamp?]
    /// The times between arrivals at each anchor, in seconds.
    private(set) var intervals: [[Double]]

    init(_ differences: [TimedDifference], anchorCount: Int) {
      self.differences = differences
      latest = Array(repeating: nil, count: anchorCount)
      intervals = Array(repeating: [], count: anchorCount)
    }

    /// Moves on by one difference before `limit`, and returns its time; nil without one.
    mutating func next(before limit: Timestamp?) -> Timestamp? {
      guard index < differences.count else { return nil }
      let difference = differences[index]
      if let limit, difference.time >= limit { return nil }
      for anchor in [difference.first, difference.second] {
        if let last = latest[anchor], difference.time > last {
          intervals[anchor].append(difference.time.seconds(since: last))
        }
        latest[anchor] = difference.time
      }
      index += 1
      return difference.time
    }
  }
}

/// The process noise and approximate path of a tag over a recording: the start of a smoother.
///
/// One ``Tracker`` processes a thinned recording forwards, another one backwards. At every range
/// each gives the probability of the high-noise mode from the ranges on one side. Together they use
/// all ranges.
struct ManoeuvreProfile: Sendable {
  /// A point of the profile.
  struct Point: Sendable {
    var time: Timestamp
    var position: Vector<3>
    var velocity: Vector<3>
    /// Root of the mean power of the acceleration, relative to the geometric mean of both modes.
    var processNoiseRatio: Double
    /// Whether the mirror image explains the ranges from here on equally well.
    var isAmbiguous = false
    /// The heading of the frame of odometry, or of inertial data, in radians; nil before it is known.
    var heading: Double?
    /// The acceleration density beside inertial data; nil before their heading is known.
    var inertialDensity: Double?
    /// Whether the wheels seem to slip.
    var isSlipping = false
  }

  /// The points in order of time; empty if the ranges never start a track.
  var points: [Point] = []
  /// The forward tracker's final factor for correlated errors, at least 0.5.
  var covarianceFactor = 1.0
  /// The common bias and scale at the end of the forward run.
  var bias = 0.0
  var scale = 0.0
  /// The mirror of the ambiguous points; nil if it never was ambiguous.
  var mirror: Mirror?

  /// How long it takes until ranges show that wheels slip, in seconds.
  private static let slipDelay = 2.0

  /// Returns whether the wheels slip at the point of an index, or seem to soon after.
  func slips(near place: Int) -> Bool {
    var index = place
    while index < points.count,
      points[index].time.seconds(since: points[place].time) <= Self.slipDelay
    {
      if points[index].isSlipping { return true }
      index += 1
    }
    return false
  }

  /// The first known heading of the frame of odometry or inertial data, in radians.
  var firstHeading: Double? { points.lazy.compactMap(\.heading).first }
}
