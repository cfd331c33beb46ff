import RealModule

/// An increment of odometry in the frame in which it began.
struct OdometryStep: Sendable {
  /// The length of the interval, and the displacement in the frame of the first heading.
  var seconds: Double
  var displacement: (x: Double, y: Double)
  var distance: Double
  /// The change of the heading in radians.
  var turn: Double
  /// Whether it begins where the last one ended.
  var isContiguous: Bool
}

/// The heading of odometry relative to its start.
struct OdometryHeading: Sendable {
  private var heading = 0.0
  /// The end of the last increment.
  private(set) var last: Timestamp?
  /// The time without increments after which the track no longer follows them.
  private var timeout = 0.0

  /// The least ``timeout``, in seconds, and its ratio to the length of an increment.
  private static let leastTimeout = 1.0
  private static let timeoutRatio = 3.0
  /// Time that may be missing between increments, in seconds: rounding of time stamps.
  private static let tolerance = 1e-3

  /// Adds an increment whose turns have the factor `turnFactor`.
  mutating func add(_ increment: OdometryIncrement, turnFactor: Double) -> OdometryStep {
    var increment = increment
    increment.turn = Angle(radians: turnFactor * increment.turn.radians)
    let isContiguous =
      last.map { increment.begin.seconds(since: $0).magnitude <= Self.tolerance } ?? false
    last = increment.end
    timeout = max(Self.leastTimeout, Self.timeoutRatio * increment.seconds)
    defer { heading += increment.turn.radians }
    return OdometryStep(
      seconds: increment.seconds, displacement: increment.displacement(heading: heading),
      distance: increment.distance, turn: increment.turn.radians, isContiguous: isContiguous)
  }

  /// Returns whether the increments have ended long before `time`.
  func isOver(at time: Timestamp) -> Bool {
    last.map { time.seconds(since: $0) > timeout } ?? true
  }
}

extension TrackMixture {
  /// How many standard deviations the matrix C must differ from zero until its direction counts as
  /// known: within 15°.
  private static let clearHeading = 4.0
  /// How many standard deviations a scale may differ from one to be drawn to it.
  private static let likelyScale = 3.0
  /// How long the wheels may seem to slip before the heading is searched for anew, in seconds.
  private static let longestSlip = 5.0

  /// Processes an increment that ends at the time of the state, and returns how it fits, in metres;
  /// nil for one that only begins a series.
  mutating func follow(_ step: OdometryStep) -> Reading? {
    guard let errors = odometryErrors else { return nil }
    if drive == .motion { change(to: .search) }
    state.turnOdometry(over: step.seconds)
    let isDriven = drive == .odometry
    let turning = errors.headingVariance(
      turn: step.turn, distance: step.distance, seconds: step.seconds)
    let slipTurning = isDriven ? errors.slipHeadingVariance(over: step.seconds) : 0
    let density = OdometryErrors.driftDensity
    state.addHeadingNoise(
      isDriven ? Pair(turning, turning + slipTurning) : .zero,
      drift: density * density * step.seconds)
    var reading: Reading?
    if progress.isMarked, step.isContiguous {
      let sure = errors.displacementVariance(distance: step.distance, seconds: step.seconds)
      let slip = isDriven ? errors.slipVariance(distance: step.distance, seconds: step.seconds) : 0
      for axis in 0..<2 {
        let sum = state.closure(of: step.displacement, axis: axis)
        // Wheels that slip turn as evenly as others: only ranges tell which mode it is.
        reading =
          condition(
            on: state.expectation(of: 0, as: sum), variance: Pair(sure, sure + slip),
            isEvidence: false) ?? reading
      }
    }
    state.markPosition()
    progress.isMarked = true
    if isDriven {
      countSlip(over: step.seconds)
    } else {
      findHeading(scaleSigma: errors.scaleSigma)
    }
    return reading
  }

  /// Whether the wheels seem to slip.
  var isSlipping: Bool { drive == .odometry && lowNoiseProbability < 0.5 }

  /// The heading of the frame of odometry in radians; nil while it is unknown.
  var odometryHeading: Double? {
    guard drive == .odometry else { return nil }
    let (cosine, sine) = state.rotation
    return .atan2(y: moments(of: sine).value, x: moments(of: cosine).value)
  }

  /// The variance of that heading, in rad².
  var odometryHeadingVariance: Double {
    var state = state
    let (cosine, sine) = state.rotation
    let (c, s) = (moments(of: cosine).value, moments(of: sine).value)
    let square = max(1e-12, c * c + s * s)
    var sum = TrackState.Combination()
    sum.add(cosine, times: -s / square)
    sum.add(sine, times: c / square)
    let spread = state.expectation(of: 0, as: sum).spread
    let share = lowNoiseProbability
    return share * spread[0] + (1 - share) * spread[1]
  }

  /// Follows the modes of motion again, because the increments have ended.
  mutating func endOdometry() {
    if drive != .motion { change(to: .motion) }
  }

  /// Follows odometry once the direction of C is known.
  private mutating func findHeading(scaleSigma: Double) {
    let (cosine, sine) = state.rotation
    let (c, s) = (moments(of: cosine), moments(of: sine))
    let square = c.value * c.value + s.value * s.value
    let variance = c.variance + s.variance
    guard square > Self.clearHeading * Self.clearHeading * variance else { return }
    change(to: .odometry)
    guard !progress.hasScalePrior else { return }
    progress.hasScalePrior = true
    let scale = square.squareRoot()
    let prior = scaleSigma * scaleSigma
    guard
      (scale - 1) * (scale - 1) < Self.likelyScale * Self.likelyScale * (variance + prior)
    else { return }
    // The derivative of the length of (c, s).
    var sum = TrackState.Combination()
    sum.add(cosine, times: c.value / scale)
    sum.add(sine, times: s.value / scale)
    _ = condition(
      on: state.expectation(of: 1, as: sum), variance: Pair(repeating: max(1e-8, prior)))
  }

  /// Searches for the heading anew after a long slip.
  private mutating func countSlip(over seconds: Double) {
    progress.slipping = lowNoiseProbability < 0.5 ? progress.slipping + seconds : 0
    guard progress.slipping > Self.longestSlip else { return }
    forgetOdometry()
  }
}
