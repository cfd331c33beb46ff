/// How many measurements the windows before a start had: the next one will not get more.
///
/// Epochs that are farther apart than a window and have as many measurements as unknowns would
/// otherwise never start a track.
struct StartRounds: Sendable {
  private var present = 0
  /// The most measurements of a window that passed without a start.
  private var most = 0

  /// Adds a measurement, with which the present window has `count`.
  mutating func add(_ count: Int) {
    if count == 1, present > 1 { most = max(most, present) }
    present = count
  }

  /// Ends the present window, which has not passed.
  mutating func restart() { present = 0 }

  /// Whether `count` measurements are as many as a window had.
  func isComplete(_ count: Int) -> Bool { most > 0 && count >= most }
}

/// Collects the first ranges of a tag until they determine a position.
struct TrackInitiation: Sendable {
  /// The newest range of each anchor; nil without one.
  private var newest: [RangeMeasurement?]
  /// The time of the first range.
  private var begin: Timestamp?
  private var rounds = StartRounds()

  init(anchorCount: Int) {
    newest = [RangeMeasurement?](repeating: nil, count: anchorCount)
  }

  /// Forgets the ranges, for another start from a tag last seen at `place`.
  mutating func restart(lastSeen place: Vector<3>?) {
    for anchor in newest.indices { newest[anchor] = nil }
    begin = nil
    rounds.restart()
    lastSeen = place
  }

  /// The initial state estimate, and the other position that explains the ranges equally well.
  ///
  /// The covariance is wide, because the filter still processes the ranges of the start one by one.
  /// The filter models the common errors of the ranges; the initial solution does not.
  struct Found {
    var state: Gaussian<6>
    var alternative: Vector<3>?
    /// The ranges of the start that agree with it, in order of time, with corrected distances.
    var ranges: [RangeMeasurement]
  }

  /// The last known position of the tag; of two mirror images, the nearer one is selected.
  var lastSeen: Vector<3>?

  /// Adds a range with a corrected distance, and returns the initial state once the ranges of the
  /// last `startWindow` seconds determine it.
  ///
  /// With a mirror image, the start is delayed for one window, since another anchor may resolve it.
  /// There is no delay where nothing more will come: every anchor of a tag that was seen before has
  /// answered, or as many as in an earlier window (see ``StartRounds``).
  /// Then the lower side of a nearly horizontal plane of anchors is selected, because anchors are
  /// usually mounted above their tags; otherwise the more likely side. A known side, box or height
  /// leaves no second position.
  mutating func add(
    _ range: RangeMeasurement, anchors: [Anchor], configuration: TrackerConfiguration
  ) -> Found? {
    newest[range.anchor] = range
    let time = range.time
    let recent = newest.compactMap { sample in
      sample.flatMap {
        // A stray time stamp may lie ahead.
        (0...configuration.startWindow).contains(time.seconds(since: $0.time)) ? $0 : nil
      }
    }
    rounds.add(recent.count)
    // An isolated early range does not begin the window.
    let begin = recent.count > 1 ? self.begin ?? time : time
    self.begin = begin

    let sigmas = recent.map {
      anchors[$0.anchor].sigma(ofRange: $0.sigma ?? configuration.errors.sigma)
    }
    var options = Trilateration.Options()
    options.height = configuration.height
    options.heightSigma = configuration.heightSigma
    options.side = configuration.side
    // The filter allows for wrong ranges itself, by its own errors and by the width of the start.
    options.widensCovariance = false
    let places = recent.map { anchors[$0.anchor].position }
    let fix = try? Trilateration.solve(
      ranges: recent.map(\.distance), anchors: places, sigmas: sigmas,
      within: configuration.bounds, options: options)
    guard let fix, var position = fix.position, var covariance = fix.covariance,
      covariance.trace <= PositionLimits.largestSigma * PositionLimits.largestSigma
    else { return nil }
    let image = fix.alternatives.first {
      isImage($0.position, of: position, across: places, configuration)
    }

    // As many ranges as unknowns always fit, even wrong ones. One more shows that one is wrong, and
    // two more which, so the other anchors of a round are awaited.
    let surplus =
      recent.count - fix.discounted.count - (configuration.height == nil ? 3 : 2)
    let waited = time.seconds(since: begin)
    let isWhole = recent.count == anchors.count
    let isComplete = rounds.isComplete(recent.count) || (isWhole && lastSeen != nil)
    let isRound = isWhole || isComplete || waited >= Self.round * configuration.startWindow
    // Without the odd wrong range another position may fit as well.
    let isClear = fix.alternatives.isEmpty && surplus > 1
    let isChecked = surplus > 0 && (isClear || isRound)
    guard waited >= configuration.startWindow || isComplete || (image == nil && isChecked) else {
      return nil
    }
    var alternative = image?.position
    if let image, let otherCovariance = image.covariance,
      prefers(image.position, to: position, among: places)
    {
      (alternative, position, covariance) = (position, image.position, otherCovariance)
    }
    var separation = alternative.map { ($0 - position).length } ?? .infinity
    if let plane = SidedPlane(of: places, configuration) {
      (position, covariance) = plane.truncated(position, covariance)
      if let other = alternative, plane.isWrong(other) { alternative = nil }
      separation = min(separation, plane.separation(of: position))
    }
    return Found(
      state: Self.prior(
        at: position, covariance: covariance, separation: separation,
        configuration: configuration),
      alternative: alternative,
      // A wide state would follow a wrong range that comes first.
      ranges: recent.indices.filter { !fix.discounted.contains($0) }.map { recent[$0] }
        .sorted { ($0.time, $0.anchor) < ($1.time, $1.anchor) })
  }

  /// Returns whether `other` is the mirror image of `position` behind the plane that fits the
  /// anchors best, or, for a tag at a known height, behind their line.
  ///
  /// With an uncertain height it may be either. Other positions that the ranges hardly distinguish
  /// are left to the ranges to come.
  private func isImage(
    _ other: Vector<3>, of position: Vector<3>, across anchors: [Vector<3>],
    _ configuration: TrackerConfiguration
  ) -> Bool {
    let levels: [Bool] =
      configuration.height == nil
      ? [false] : configuration.exactHeight == nil ? [false, true] : [true]
    let offset = other - position
    return levels.contains { isLevel in
      guard let mirror = Mirror(behind: anchors, isLevel: isLevel) else { return false }
      // Images lie on both sides, and their offset is within 30 degrees of the normal.
      let (one, two) = (mirror.distance(of: position), mirror.distance(of: other))
      return one * two < 0 && (one - two).magnitude >= AnchorSide.leastRise * offset.length
    }
  }

  /// Returns whether the second, less likely of two mirror images is selected.
  private func prefers(
    _ other: Vector<3>, to position: Vector<3>, among anchors: [Vector<3>]
  ) -> Bool {
    if let lastSeen { return (other - lastSeen).length < (position - lastSeen).length }
    return other[2] < position[2] - 1e-6 && AnchorPlane(nearlyHorizontal: anchors) != nil
  }

  /// The time in which a round of all anchors is expected, as a share of the window.
  private static let round = 0.25
  /// Standard deviation of the start per axis, in metres.
  ///
  /// A few ranges that are all too long, or a moving tag, easily cause errors of a metre.
  private static let positionSigma = 2.0

  /// Returns the prior of a tag near `position`, which is `separation` metres away from its mirror
  /// image.
  static func prior(
    at position: Vector<3>, covariance: Matrix<3, 3>, separation: Double,
    configuration: TrackerConfiguration
  ) -> Gaussian<6> {
    var state = Gaussian(mean: Vector<6>.zero, covariance: .zero)
    let free = configuration.exactHeight == nil ? 3 : 2
    for row in 0..<3 {
      state.mean[row] = position[row]
      for column in 0..<3 { state.covariance[row, column] = covariance[row, column] }
    }
    // The distributions of the two mirror images must stay separate.
    let sigma = min(positionSigma, separation / 4)
    let velocityVariance = configuration.startVelocitySigma * configuration.startVelocitySigma
    for axis in 0..<free {
      state.covariance[axis, axis] += sigma * sigma
      state.covariance[axis + 3, axis + 3] = velocityVariance
    }
    return state
  }
}
