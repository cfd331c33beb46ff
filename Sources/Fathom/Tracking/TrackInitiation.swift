/// Gathers the first ranges of a tag until they determine a position.
struct TrackInitiation: Sendable {
  /// The newest range of each anchor, nil where there was none.
  private var newest: [RangeMeasurement?]
  /// When the first range came.
  private var begin: Timestamp?

  init(anchorCount: Int) {
    newest = [RangeMeasurement?](repeating: nil, count: anchorCount)
  }

  /// Where to start from, and the other position that would explain the ranges as well.
  ///
  /// The covariance is wide: the filter, which knows what the errors of the ranges have in common,
  /// still has to process the ranges that led here, one by one.
  struct Found {
    var state: Gaussian<6>
    var alternative: Vector<3>?
    /// The ranges that led here, in order of time; their distances are corrected ones.
    var ranges: [RangeMeasurement]
  }

  /// Where the tag was when it was last seen: of two mirror images the nearer one is taken.
  var lastSeen: Vector<3>?

  /// Takes in a range, whose distance is corrected for what is known about its anchor; returns
  /// where to start from once the ranges of the last `startWindow` seconds determine it.
  ///
  /// A mirror image does not end the wait before one window has passed: another anchor may resolve
  /// it. After that the side is the lower one where the two differ in height (anchors hang above
  /// their tags more often than not), otherwise the more likely one.
  mutating func add(
    _ range: RangeMeasurement, anchors: [Anchor], configuration: TrackerConfiguration
  ) -> Found? {
    newest[range.anchor] = range
    let time = range.time
    let recent = newest.compactMap { sample in
      sample.flatMap {
        time.seconds(since: $0.time) <= configuration.startWindow ? $0 : nil
      }
    }
    // A stray range of long ago is not the beginning of these.
    let begin = recent.count > 1 ? self.begin ?? time : time
    self.begin = begin

    let sigmas = recent.map {
      anchors[$0.anchor].sigma(ofRange: $0.sigma ?? configuration.errors.sigma)
    }
    var options = Trilateration.Options()
    options.height = configuration.height
    options.heightSigma = configuration.heightSigma
    let fix = try? Trilateration.solve(
      ranges: recent.map(\.distance), anchors: recent.map { anchors[$0.anchor].position },
      sigmas: sigmas, within: configuration.bounds, options: options)
    guard let fix, var position = fix.position, var covariance = fix.covariance else { return nil }

    // As many ranges as unknowns always fit, wrong ones too; one more is a check.
    let surplus =
      recent.count - fix.discounted.count - (configuration.height == nil ? 3 : 2)
    let hasWaited = time.seconds(since: begin) >= configuration.startWindow
    guard hasWaited || (fix.alternative == nil && surplus > 0) else { return nil }
    var alternative = fix.alternative
    if let other = fix.alternative, let otherCovariance = fix.alternativeCovariance,
      prefers(other, to: position)
    {
      (alternative, position, covariance) = (position, other, otherCovariance)
    }
    return Found(
      state: Self.prior(
        at: position, covariance: covariance, alternative: alternative,
        configuration: configuration),
      alternative: alternative,
      ranges: recent.sorted { ($0.time, $0.anchor) < ($1.time, $1.anchor) })
  }

  /// Whether of two mirror images the second found is the one to take.
  private func prefers(_ other: Vector<3>, to position: Vector<3>) -> Bool {
    if let lastSeen { return (other - lastSeen).length < (position - lastSeen).length }
    return other[2] < position[2] - 1e-6
  }

  /// How far off a start may be where nothing else is known, metres per axis: a few ranges that are
  /// all too long, or of a tag that moves, easily lead a metre astray.
  private static let positionSigma = 2.0

  /// The prior of a tag near `position`.
  private static func prior(
    at position: Vector<3>, covariance: Matrix<3, 3>, alternative: Vector<3>?,
    configuration: TrackerConfiguration
  ) -> Gaussian<6> {
    var state = Gaussian(mean: Vector<6>.zero, covariance: .zero)
    let free = configuration.exactHeight == nil ? 3 : 2
    for row in 0..<3 {
      state.mean[row] = position[row]
      for column in 0..<3 { state.covariance[row, column] = covariance[row, column] }
    }
    // The two sides of a mirror must not run into each other.
    let room = alternative.map { ($0 - position).length / 4 } ?? .infinity
    let sigma = min(positionSigma, room)
    let velocityVariance = configuration.startVelocitySigma * configuration.startVelocitySigma
    for axis in 0..<free {
      state.covariance[axis, axis] += sigma * sigma
      state.covariance[axis + 3, axis + 3] = velocityVariance
    }
    return state
  }
}
