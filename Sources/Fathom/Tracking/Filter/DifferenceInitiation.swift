/// Collects the first time differences of a tag until they determine a position.
struct DifferenceInitiation: Sendable {
  /// The newest difference of each pair of anchors, in order of time.
  private var newest: [TimedDifference] = []
  /// The time of the first one.
  private var begin: Timestamp?
  private var rounds = StartRounds()
  /// Whether the tag had a track before.
  private var isRestart = false

  /// The time within which differences are those of one place, in seconds: a tag at walking speed moves
  /// by less than the width of a start.
  private static let window = 0.5

  /// The initial state, and the other position that explains the differences equally well.
  struct Found {
    var state: Gaussian<6>
    var alternative: Vector<3>?
  }

  /// Forgets the differences, for another start.
  mutating func restart() {
    newest.removeAll()
    begin = nil
    rounds.restart()
    isRestart = true
  }

  /// Adds a difference, and returns the initial state once the differences of the last half second
  /// determine it.
  ///
  /// While two positions explain them, the start is delayed for a window of the configuration, unless
  /// no more differences will come, as for ``TrackInitiation``.
  mutating func add(
    _ difference: TimedDifference, anchors: [Anchor], configuration: TrackerConfiguration
  ) -> Found? {
    let time = difference.time
    newest.removeAll { other in
      let isPair =
        (other.first, other.second) == (difference.first, difference.second)
        || (other.first, other.second) == (difference.second, difference.first)
      return isPair || !(0...Self.window).contains(time.seconds(since: other.time))
    }
    newest.append(difference)
    rounds.add(newest.count)
    let unknowns = configuration.exactHeight == nil ? 3 : 2
    let isWhole = newest.count >= anchors.count - 1
    let isOver =
      rounds.isComplete(newest.count) || (isWhole && isRestart) || isOver(at: time, configuration)
    guard newest.count > unknowns || (newest.count == unknowns && isOver)
    else {
      begin = begin ?? time
      return nil
    }
    let begin = self.begin ?? time
    self.begin = begin
    var options = TimeDifferences.Options()
    options.height = configuration.height
    options.heightSigma = configuration.heightSigma
    options.side = configuration.side
    options.rangeSigma = configuration.errors.sigma
    let found = try? TimeDifferences.solve(
      differences: newest.map {
        TimeDifference(
          first: $0.first, second: $0.second,
          difference: $0.corrected(anchors))
      },
      anchors: anchors.map(\.position), within: configuration.bounds, options: options)
    guard let fix = found?.fix, var position = fix.position, var covariance = fix.covariance,
      covariance.trace.isFinite, covariance.trace <= Self.largestVariance
    else { return nil }
    guard fix.alternatives.isEmpty || isOver else { return nil }
    var alternative = fix.alternatives.first?.position
    if let other = fix.alternatives.first, let otherCovariance = other.covariance,
      other.position[2] < position[2] - 1e-6,
      AnchorPlane(nearlyHorizontal: anchors.map(\.position)) != nil
    {
      (alternative, position, covariance) = (position, other.position, otherCovariance)
    }
    let separation = alternative.map { ($0 - position).length } ?? .infinity
    return Found(
      state: TrackInitiation.prior(
        at: position, covariance: covariance, separation: separation,
        configuration: configuration),
      alternative: alternative)
  }

  /// Variance of a position above which it does not start a track, in m².
  private static let largestVariance = 1e4

  private func isOver(at time: Timestamp, _ configuration: TrackerConfiguration) -> Bool {
    begin.map { time.seconds(since: $0) >= configuration.startWindow } ?? false
  }
}

extension TimedDifference {
  /// Returns the difference in metres, corrected for bias and scale of both anchors.
  package func corrected(_ anchors: [Anchor]) -> Double {
    let (one, other) = (anchors[first], anchors[second])
    guard one.scale != 1 || other.scale != 1 else { return difference - one.bias + other.bias }
    // Scales that differ act on distances that a difference does not have.
    return (difference - one.bias + other.bias) / (0.5 * (one.scale + other.scale))
  }
}
