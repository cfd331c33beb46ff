/// Input of ranges to other tags, see ``TagTies``.
extension Tracker {
  /// Whether the track is known, and no other place of the tag is in question.
  package var isKnown: Bool {
    isTracking && ambiguity == nil
      && rivals.others.allSatisfy { rivals.odds($0) >= RivalTracks.decisiveOdds }
  }

  /// The number of tags that the track depends on, one behind the other: 0 with enough anchors of its own.
  func hops(at time: Timestamp) -> Int {
    if sources(at: time).count >= (configuration.exactHeight == nil ? 3 : 2) { return 0 }
    let recent = rivals.neighbours.filter { time.seconds(since: $0.time) <= Neighbour.recently }
    return 1 + (recent.map(\.hops).max() ?? 0)
  }

  /// Processes a range to another tag whose track is known.
  ///
  /// - Parameters:
  ///   - distance: The range in metres.
  ///   - variance: The variance of an independent error with the same effect, in m².
  ///   - neighbour: The other tag. Its error counts as independent from range to range.
  ///   - time: The time, not before the last measurement.
  /// - Returns: How the range was used.
  mutating func update(
    distance: Double, variance: Double, to neighbour: Neighbour, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    endTrackIfUnusable(at: time)
    guard isTracking else { return .starting }
    compareSides()
    let outcome = process(distance: distance, variance: variance, to: neighbour, at: time)
    updateRivals(isEvidence: true) {
      $0.compareSides()
      _ = $0.process(distance: distance, variance: variance, to: neighbour, at: time)
    }
    rivals.neighbours.removeAll {
      $0.tag == neighbour.tag || time.seconds(since: $0.time) > Neighbour.recently
    }
    rivals.neighbours.append(neighbour)
    considerBounds()
    mergeRivals()
    branch()
    return outcome
  }

  /// Updates this track alone.
  private mutating func process(
    distance: Double, variance: Double, to neighbour: Neighbour, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    normalizedSquare = nil
    reading = nil
    advanceSensors(to: time)
    let expected = NeighbourRange(mixture.kinematics, neighbour)
    guard
      let reading = mixture.condition(
        on: distance - expected.excess, variance: noiseFactor * variance + expected.variance,
        anchor: neighbour.position, link: nil)
    else { return .invalid }
    support(reading)
    return TrackUpdate.Outcome(reading)
  }

  /// Starts the track with a state estimate; with both places where two explain the ranges.
  mutating func startTied(at time: Timestamp, _ state: Gaussian<6>, alternative: Vector<3>?) {
    start(at: time, state, alternative: alternative)
    compareSides()
  }

  /// Replaces an ambiguity between a track and its image by two tracks.
  private mutating func compareSides() {
    guard let mirror = ambiguity else { return }
    var other = self
    other.rivals = RivalTracks()
    if let hypothesis = directions.hypotheses.first {
      other.mixture = hypothesis.mixture
    } else {
      other.mixture.reflect(in: mirror.centre, normal: mirror.normal)
    }
    ambiguity = nil
    directions.hypotheses = []
    other.ambiguity = nil
    other.directions.hypotheses = []
    guard rivals.isDistinct(other, from: self) else { return }
    rivals.add(other, evidence: mirror.evidence, outside: rivals.outside, from: rivals.identity)
  }

  // MARK: Branches

  /// The anchors with recent ranges.
  private func sources(at time: Timestamp) -> [Vector<3>] {
    anchors.indices.filter { index in
      latest[index].map { time.seconds(since: $0.time) <= Neighbour.recently } ?? false
    }.map { anchors[$0].position }
  }

  /// Begins to follow the mirror image of every track that may already exist.
  private mutating func branch() {
    let (time, neighbours, sources) = (time, rivals.neighbours, sources(at: time))
    guard
      let mirror = SourceMirror(
        isLevel: configuration.exactHeight != nil,
        { seconds in sources + neighbours.map { $0.place(seconds, after: time) } })
    else { return }
    for track in rivals.all(behind: self) { split(track, at: mirror) }
    for track in rivals.all(behind: self) { branch(from: track, in: mirror) }
  }

  /// Splits a track on the mirror that is wider than ranges can be linearised.
  ///
  /// There they have no gradient across it, so that the filter would stay on the mirror while the tag leaves.
  private mutating func split(_ track: RivalTracks.Rival, at mirror: SourceMirror) {
    let mixture = track.tracker.mixture
    let (distance, variance) = mirror.distance(of: mixture)
    let sigma = noiseFactor.squareRoot() * errors.sigma
    guard distance * distance < variance,
      variance > mirror.reach(of: mixture.position, sigma: sigma)
    else { return }
    let (one, other) = mirror.split(mixture)
    if track.identity == rivals.identity {
      self.mixture = one
    } else if let index = rivals.others.firstIndex(where: { $0.identity == track.identity }) {
      rivals.others[index].tracker.mixture = one
    }
    var tracker = track.tracker
    tracker.mixture = other
    rivals.add(tracker, evidence: track.evidence, outside: track.outside, from: track.identity)
  }

  /// Begins to follow the image of a track near the mirror.
  ///
  /// A track that comes close to the mirror may leave it on either side. Its distribution then contains the
  /// image, with a density that is smaller by the Mahalanobis distance between both.
  private mutating func branch(from track: RivalTracks.Rival, in mirror: SourceMirror) {
    var image = track.tracker
    mirror.reflect(&image.mixture)
    if region?.isOnWrongSide(image.mixture.position) == true { return }
    let state = track.tracker.mixture.kinematics
    let square = image.mixture.kinematics.mahalanobis(from: state, state.covariance)
    guard let square, square < 2 * RivalTracks.finalOdds else { return }
    let evidence = 0.5 * min(square, Self.mostBranchSquare)
    guard rivals.odds(track) + evidence < RivalTracks.finalOdds,
      rivals.isDistinct(image, from: self)
    else { return }
    rivals.add(
      image, evidence: track.evidence + evidence, outside: track.outside, from: track.identity)
  }

  /// The squared Mahalanobis distance between two states, by their common covariance, below which they are
  /// one.
  static let leastDifference = 0.5
  /// The largest part of the squared Mahalanobis distance between a track and its image that counts against
  /// the image: the ranges that made the track precise say the same of both.
  private static let mostBranchSquare = 4.0

  /// Merges tracks that have come to the same place and velocity: the less likely one is given up.
  private mutating func mergeRivals() {
    var index = 0
    while index < rivals.others.count {
      let rival = rivals.others[index]
      var kept = rivals
      kept.others.removeSubrange(index...)
      if kept.isDistinct(rival.tracker, from: self) {
        index += 1
      } else {
        rivals.others.remove(at: index)
      }
    }
  }

  /// Takes note of how far each track is outside of the box of the tag.
  private mutating func considerBounds() {
    guard let box = configuration.bounds else { return }
    rivals.outside = max(rivals.outside, box.excess(of: mixture.kinematics))
    for index in rivals.others.indices {
      let excess = box.excess(of: rivals.others[index].tracker.mixture.kinematics)
      rivals.others[index].outside = max(rivals.others[index].outside, excess)
    }
    settleRivals()
    // Nothing is left that could be right.
    if rivals.isEmpty, rivals.outside > RivalTracks.finalOdds { endTrack() }
  }
}

extension RivalTracks {
  /// Whether a track is another one than `leader` and its rivals, by position and velocity.
  fileprivate func isDistinct(
    _ track: Tracker, from leader: Tracker
  ) -> Bool {
    let own = track.mixture.kinematics
    func isDistinct(from other: Gaussian<6>) -> Bool {
      (own.mahalanobis(from: other, own.covariance + other.covariance) ?? 0)
        > Tracker.leastDifference
    }
    return isDistinct(from: leader.mixture.kinematics)
      && others.allSatisfy { isDistinct(from: $0.tracker.mixture.kinematics) }
  }
}

extension Gaussian<6> {
  /// Returns the squared Mahalanobis distance between the means of two states; nil if it cannot be computed.
  fileprivate func mahalanobis(from other: Self, _ covariance: Matrix<6, 6>) -> Double? {
    // Elements without variance are known, such as a height.
    var matrix = covariance
    for index in 0..<6 where !(matrix[index, index] > 0) { matrix[index, index] = 1 }
    let difference = mean - other.mean
    return Cholesky(matrix).map { difference.dot($0.solve(difference)) }
  }
}

extension PositionBounds<3> {
  /// Returns minus the logarithm of the density of a position outside of the box, relative to that at its
  /// faces; 0 inside.
  fileprivate func excess(of state: Gaussian<6>) -> Double {
    var excess = 0.0
    for axis in 0..<3 where state.covariance[axis, axis] > 0 {
      let outside = max(lower[axis] - state.mean[axis], state.mean[axis] - upper[axis])
      if outside > 0 {
        excess = max(excess, 0.5 * outside * outside / state.covariance[axis, axis])
      }
    }
    return min(excess, 2 * RivalTracks.finalOdds)
  }
}

/// A range between a track and another tag, whose positions both are uncertain.
///
/// With the relative position Δ and its covariance Σ, the distance |Δ| has the derivative u = Δ/|Δ|. The part
/// of Σ across u makes the expected distance longer by tr Σ⊥ / 2|Δ|, and adds at most (tr Σ⊥)² / 2|Δ|² to its
/// variance: the second-order terms of the length of a vector [Bar-Shalom et al. 2001, Sec. 10.3.2].
struct NeighbourRange {
  /// The mean of the distance beyond that between the means, in metres.
  var excess: Double
  /// Variance of the expected distance beside that of the track along it, in m².
  var variance: Double

  init(_ state: Gaussian<6>, _ neighbour: Neighbour) {
    var offset = Vector<3>.zero
    var own = Matrix<3, 3>.zero
    for row in 0..<3 {
      offset[row] = state.mean[row] - neighbour.position[row]
      for column in 0..<3 { own[row, column] = state.covariance[row, column] }
    }
    let metres = offset.length
    // At distance zero every direction is as good as another.
    let unit = metres > 0 ? (1 / metres) * offset : Vector([1, 0, 0])
    let along = max(0, unit.dot(neighbour.covariance * unit))
    let total = max(0, own.trace) + max(0, neighbour.covariance.trace)
    let across = max(0, total - along - max(0, unit.dot(own * unit)))
    let scale = max(metres, total.squareRoot(), 1e-3)
    excess = across / (2 * scale)
    variance = along + across * across / (2 * scale * scale)
  }
}
