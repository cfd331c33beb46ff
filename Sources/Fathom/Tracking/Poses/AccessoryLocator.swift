import RealModule

/// Locates one standing accessory by the ranges of a walking device that knows its own pose.
///
/// Pass poses and ranges in order of time, as they come:
///
/// ```swift
/// var locator = AccessoryLocator()
/// locator.update(pose)
/// locator.update(range: 4.1, at: time)
/// if let found = locator.estimate { ... }
/// ```
///
/// The position is in the device's world frame, as it is now: earlier poses are uncertain by the drift
/// of the visual odometry since. ``convergence`` tells which movement is missing. A straight walk
/// leaves a mirror image on its other side until it turns; one at a constant height leaves another
/// above or below.
///
/// Ranges are joined over a quarter of a metre of the path, whose time-correlated errors they share.
/// The estimate is the exact posterior of the last 40 such groups under a common bias, correlated errors
/// of the link, and drift and scale errors of the poses.
///
/// ## Edge cases
/// Two poses that are too far from the last ones to be walked to, such as after a loss of tracking, begin
/// a new world: the locator starts again. A single one is ignored. A pose whose time steps back by more than
/// a second, or comes after half a minute without any, begins a new world, too. If the
/// accessory was moved, the last ranges contradict the others, and these are forgotten.
///
/// ## Cost
/// A pose costs nanoseconds. A range that completes a group costs about a millisecond per
/// hypothesis, others nanoseconds. Memory is bounded.
public struct AccessoryLocator: Sendable {
  /// The assumed errors.
  public struct Configuration: Sendable, Equatable, Codable {
    /// Errors of the ranges.
    ///
    /// The common bias, ``RangeErrors/biasSigma``, is 0.1 m here: a single link cannot be calibrated
    /// by others.
    public var errors = RangeErrors()
    /// Errors of the poses.
    public var poseErrors = PoseErrors()
    /// Standard deviation of the height of the accessory relative to that of the device, metres.
    ///
    /// 1: floor and ceiling are more than a metre from a phone in the hand.
    public var heightSigma = 1.0
    /// Standard deviation of a measured direction, radians.
    public var directionSigma = 0.1
    /// Standard deviation of horizontal position and of height below which they are determined: this
    /// length in metres, or this share of the distance.
    public var tolerance = 0.3
    /// See ``tolerance``.
    public var relativeTolerance = 0.1

    /// Creates the default errors.
    public init() {
      errors.biasSigma = 0.1
    }
  }

  /// The configuration.
  public let configuration: Configuration
  /// The place of the accessory; nil until the device has moved enough for one.
  public private(set) var estimate: AccessoryEstimate?
  /// What is determined, and which movement is missing.
  public private(set) var convergence = AccessoryConvergence.unknown
  /// The number of times that a new world began: by a jump of the poses.
  public private(set) var restarts = 0

  private var groups = RangeGroups()
  /// The last two poses, and the length of the path until the last one.
  private var poses: (before: TimedPose, last: TimedPose)?
  private var way = 0.0
  /// A pose that has jumped; the next one tells whether the world or only this pose is another.
  private var jumped: TimedPose?
  /// Ranges later than the last pose.
  private var pending: [Pending] = []
  private var lastRange: (time: Timestamp, distance: Double)?
  private var hypotheses: [AccessoryHypotheses.Hypothesis] = []
  private var solutions = 0

  private struct Pending: Sendable {
    var time: Timestamp
    var distance: Double
    var sigma: Double
    var direction: Vector<3>?
  }

  /// The longest time between two poses that are interpolated, seconds.
  private static let longestGap = 1.0
  /// Speed of a device beyond which a pose is a jump, m/s: that of a sprint; and a jump that is not one.
  private static let mostSpeed = 6.0
  private static let leastJump = 0.3
  /// Time without poses after which the world is another, seconds.
  private static let longestLoss = 30.0
  /// Path that is added to the drift for a second without poses, metres: walking speed.
  private static let lostSpeed = 1.4
  /// Time by which a pose may step back, seconds.
  private static let clockStep = 1.0
  /// Ranges that wait for their pose.
  private static let mostPending = 32
  /// Groups that show whether the accessory has moved, and how many must contradict.
  static let recentGroups = 6
  private static let contradicting = 6
  private static let lowWeight = 0.3
  /// Fewest groups, and least extent of the path in metres, for a position.
  private static let fewestGroups = 4
  private static let leastExtent = 0.5
  /// Solutions after which the whole plane is searched again.
  private static let searchInterval = 8
  /// Difference of log-weights at which two hypotheses are equally likely, nats.
  private static let equalOdds = 1.0
  /// Most hypotheses from which the next solution starts.
  private static let mostHypotheses = 6

  /// Creates a locator with the default configuration.
  public init() { self.init(validated: Configuration()) }

  /// Creates a locator.
  ///
  /// - Throws: The first setting that is invalid.
  public init(configuration: Configuration) throws(ConfigurationError) {
    try configuration.validate()
    self.init(validated: configuration)
  }

  /// Creates a locator with a valid configuration.
  package init(validated configuration: Configuration) { self.configuration = configuration }

  /// Forgets all measurements.
  public mutating func reset() {
    let count = restarts
    self = Self(validated: configuration)
    restarts = count
  }

  // MARK: Measurements

  /// Processes a pose of the device.
  ///
  /// - Returns: Whether the pose was used: false for one that is not finite, for one before the last, and
  ///   for the first after a jump.
  @discardableResult
  public mutating func update(_ pose: TimedPose) -> Bool {
    guard pose.isUsable else { return false }
    guard let (_, last) = poses else {
      poses = (pose, pose)
      pending.removeAll { $0.time < pose.time }
      return true
    }
    let seconds = pose.time.seconds(since: last.time)
    if seconds <= 0 {
      if seconds < -Self.clockStep { restart(at: pose) }
      return seconds < -Self.clockStep
    }
    if seconds > Self.longestLoss {
      restart(at: pose)
      return true
    }
    guard Self.isReachable(pose, from: last) else {
      // One pose alone may be damaged.
      guard let jumped, pose.time > jumped.time, Self.isReachable(pose, from: jumped) else {
        self.jumped = pose
        return false
      }
      restart(at: jumped)
      return update(pose)
    }
    jumped = nil
    let moved = (pose.position - last.position).length
    if seconds > Self.longestGap {
      way += moved + Self.lostSpeed * seconds
      pending.removeAll { $0.time < pose.time }
      poses = (pose, pose)
      return true
    }
    let before = way
    way += moved
    poses = (last, pose)
    while let first = pending.first, first.time <= pose.time {
      pending.removeFirst()
      let place = last.interpolated(to: pose, at: first.time)
      process(first, at: place, way: before + (place.position - last.position).length)
    }
    return true
  }

  /// Processes a range, and optionally the direction that was measured with it.
  ///
  /// - Parameters:
  ///   - distance: The measured distance, metres.
  ///   - sigma: Its standard deviation, metres; nil for that of the configuration.
  ///   - direction: The direction of the accessory in the device frame; it needs the attitude of the
  ///     poses. Vectors from a horizontal angle are not used.
  ///   - time: The time of the measurement; it waits for the next pose, if it is after the last one.
  /// - Returns: Whether the range counts: false for an invalid one, for a repeated value, for one
  ///   before the last two poses and for one without any pose within a second.
  @discardableResult
  public mutating func update(
    range distance: Double, sigma: Double? = nil, direction: Direction? = nil, at time: Timestamp
  ) -> Bool {
    let own = sigma ?? configuration.errors.sigma
    guard MeasuredDistance.absence(of: distance) == nil, distance <= 1e6, (1e-6...1e6).contains(own)
    else { return false }
    if let lastRange, lastRange.distance == distance,
      configuration.errors.isRepetition(after: time.seconds(since: lastRange.time).magnitude)
    {
      return false
    }
    let vector = direction.flatMap { $0.origin == .measured ? $0.inDeviceFrame : nil }
    let range = Pending(time: time, distance: distance, sigma: own, direction: vector)
    guard let (before, last) = poses else { return false }
    if time > last.time {
      guard time.seconds(since: last.time) <= Self.longestGap else { return false }
      if pending.count >= Self.mostPending { pending.removeFirst() }
      pending.append(range)
    } else {
      guard time >= before.time else { return false }
      let place = before.interpolated(to: last, at: time)
      process(range, at: place, way: way - (last.position - place.position).length)
    }
    lastRange = (time, distance)
    return true
  }

  /// Returns whether a device can have moved to `pose` from an earlier one.
  private static func isReachable(_ pose: TimedPose, from earlier: TimedPose) -> Bool {
    let seconds = pose.time.seconds(since: earlier.time)
    return (pose.position - earlier.position).length
      <= leastJump + mostSpeed * min(seconds, longestGap)
  }

  private mutating func restart(at pose: TimedPose) {
    reset()
    restarts += 1
    poses = (pose, pose)
  }

  private mutating func process(_ range: Pending, at pose: TimedPose, way: Double) {
    var direction: SIMD3<Double>?
    if let vector = range.direction, let axes = pose.attitude?.axes {
      direction = (axes * vector).simd
    }
    if convergence == .unknown { convergence = .notConverged([.movement]) }
    let isComplete = groups.add(
      range.distance, sigma: range.sigma, direction: direction, at: pose, way: way, configuration)
    if isComplete { solve() }
  }

  /// Counts the ranges since the last group, for an estimate at the end of a recording.
  public mutating func finish() {
    groups.complete(configuration)
    solve()
  }

  // MARK: Estimate

  private mutating func solve() {
    let all = groups.groups
    guard let last = all.last else { return }
    let path = PathExtent(all)
    let hasDirections = all.contains { $0.direction != nil }
    guard all.count >= Self.fewestGroups, path.length >= Self.leastExtent || hasDirections else {
      if estimate == nil { convergence = .notConverged([.movement]) }
      return
    }
    var starts = hypotheses.prefix(Self.mostHypotheses).map(\.peak)
    if solutions % Self.searchInterval == 0 || starts.isEmpty { starts += search(path) }
    starts += starts.map { path.image(of: $0) }
    solutions += 1
    let found = AccessoryHypotheses(all, from: starts, configuration)
    guard !found.all.isEmpty else { return }
    hypotheses = found.all
    let recent = found.weights.suffix(Self.recentGroups)
    // Of few groups, none is the rule that others could contradict.
    if all.count >= 2 * Self.recentGroups,
      recent.count(where: { $0 < Self.lowWeight }) >= Self.contradicting
    {
      groups.keepLast(Self.recentGroups)
      hypotheses = []
      estimate = nil
      convergence = .notConverged([.movement])
      return
    }
    report(at: last, path)
  }

  /// Returns the positions at the height of the path that explain the ranges at any place of the plane,
  /// and those of the directions.
  private func search(_ path: PathExtent) -> [SIMD3<Double>] {
    let all = groups.groups
    var starts: [SIMD3<Double>] = []
    if let seen = all.last(where: { $0.direction != nil }), let direction = seen.direction {
      starts.append(seen.position + seen.distance * direction)
    }
    let correlated = configuration.errors.linkErrorVariance
    let ranges = all.map { group in
      PosedRange(
        position: Vector(simd: group.position), range: group.distance,
        sigma: (group.whiteVariance + correlated).squareRoot())
    }
    var options = MovingReceiver.Options()
    options.height = path.centre.z
    if let fix = try? MovingReceiver.solve(ranges, options: options) {
      starts += ([fix.position].compactMap { $0 } + fix.alternatives.map(\.position)).map(\.simd)
    }
    // The solver of a straight path may find none: the foot of the perpendicular, and both sides.
    if starts.isEmpty, let last = all.last {
      let across = SIMD3(-path.direction.y, path.direction.x, 0)
      starts = [-1, 1].map { last.position + ($0 * last.distance) * across }
    }
    return starts
  }

  private mutating func report(at last: RangeGroup, _ path: PathExtent) {
    guard let top = hypotheses.first else { return }
    let likely = hypotheses.filter {
      $0.logWeight > top.logWeight - HypothesisEvidence.decisiveOdds
    }
    var chosen = top
    // Among equally likely ones the estimate stays where it was; at first it is the lower one.
    let equal = likely.filter { $0.logWeight > top.logWeight - Self.equalOdds }
    func rank(_ one: AccessoryHypotheses.Hypothesis) -> Double {
      guard let estimate else { return one.position.z }
      let offset = one.position - estimate.position.simd
      return (offset * offset).sum()
    }
    if equal.count > 1, let nearest = equal.min(by: { rank($0) < rank($1) }) { chosen = nearest }
    let others = likely.filter { $0.position != chosen.position }
    let mass = likely.reduce(0) { $0 + Double.exp($1.logWeight - top.logWeight) }
    let position = Vector(simd: chosen.position)
    convergence = state(of: chosen, others, from: last)
    estimate = AccessoryEstimate(
      time: last.time, position: position, covariance: chosen.covariance,
      alternatives: others.map {
        PositionAlternative(position: Vector(simd: $0.position), covariance: $0.covariance)
      },
      probability: Double.exp(chosen.logWeight - top.logWeight) / mass, convergence: convergence)
  }

  /// Returns what a hypothesis beside others determines.
  private func state(
    of chosen: AccessoryHypotheses.Hypothesis, _ others: [AccessoryHypotheses.Hypothesis],
    from last: RangeGroup
  ) -> AccessoryConvergence {
    let offset = chosen.position - last.position
    let distance = (offset * offset).sum().squareRoot()
    let limit = max(configuration.tolerance, configuration.relativeTolerance * distance)
    let covariance = chosen.covariance
    var missing: [AccessoryConvergence.MissingMovement] = []
    let level = Matrix<2, 2>([
      [covariance[0, 0], covariance[0, 1]], [covariance[1, 0], covariance[1, 1]],
    ])
    let isElsewhere = others.contains { other in
      let gap = other.position - chosen.position
      return gap.x * gap.x + gap.y * gap.y > limit * limit
    }
    if isElsewhere || PrincipalAxes(of: level).values[0] > limit * limit {
      missing.append(.sidewaysMovement)
    }
    let isAtOtherHeight = others.contains { ($0.position.z - chosen.position.z).magnitude > limit }
    if isAtOtherHeight || covariance[2, 2] > limit * limit { missing.append(.verticalMovement) }
    return missing.isEmpty ? .converged : .notConverged(missing)
  }
}

/// The extent of a path in the horizontal plane.
private struct PathExtent {
  let centre: SIMD3<Double>
  /// Unit vector along the longest axis.
  let direction: SIMD2<Double>
  /// The extent along it, metres.
  let length: Double

  init(_ groups: [RangeGroup]) {
    let count = Double(max(1, groups.count))
    let centre = groups.reduce(SIMD3<Double>.zero) { $0 + $1.position } / count
    self.centre = centre
    var spread = Matrix<2, 2>.zero
    for group in groups {
      let offset = group.position - centre
      spread.addOuterProduct(of: Vector(x: offset.x, y: offset.y), times: 1)
    }
    let axis = PrincipalAxes(of: spread).axes.row(0)
    direction = axis.simd
    let places = groups.map { group in
      let offset = group.position - centre
      return offset.x * axis[0] + offset.y * axis[1]
    }
    length = (places.max() ?? 0) - (places.min() ?? 0)
  }

  /// Returns the mirror image of a position on the other side of the path.
  func image(of position: SIMD3<Double>) -> SIMD3<Double> {
    let offset = SIMD2(position.x - centre.x, position.y - centre.y)
    let along = (offset * direction).sum() * direction
    let image = 2 * along - offset
    return SIMD3(centre.x + image.x, centre.y + image.y, position.z)
  }
}
