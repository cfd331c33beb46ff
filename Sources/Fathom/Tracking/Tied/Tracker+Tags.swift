/// Input of ranges to other tags, see ``TagTies``.
extension Tracker {
  /// Whether the track is known, and no other place of the tag is in question.
  package var isKnown: Bool { isTracking && hypotheses.isClear }

  /// The number of tags that the track depends on, one behind the other: 0 with enough anchors of its own.
  func hops(at time: Timestamp) -> Int {
    if sources(at: time).count >= (configuration.exactHeight == nil ? 3 : 2) { return 0 }
    let recent = neighbours.filter { time.seconds(since: $0.time) <= Neighbour.recently }
    return 1 + (recent.map(\.hops).max() ?? 0)
  }

  /// Processes a range to another tag whose track is known.
  ///
  /// `distance` is in metres; `variance` is that of an independent error with the same effect, in
  /// m². The error of the other tag counts as independent from range to range. `time` is not before
  /// the last measurement.
  mutating func update(
    distance: Double, variance: Double, to neighbour: Neighbour, at time: Timestamp
  ) -> TrackUpdate.Outcome {
    endTrackIfUnusable(at: time)
    guard isTracking else { return .starting }
    let reading = leading.update(distance, variance: variance, to: neighbour, at: time)
    if !hypotheses.isEmpty {
      compare(.tag(neighbour.tag), at: neighbour.position) {
        _ = $0.update(distance, variance: variance, to: neighbour, at: time)
      }
    }
    neighbours.removeAll {
      $0.tag == neighbour.tag || time.seconds(since: $0.time) > Neighbour.recently
    }
    neighbours.append(neighbour)
    considerBounds()
    branch()
    return reading.map { TrackUpdate.Outcome($0) } ?? .invalid
  }

  /// The anchors with recent ranges.
  private func sources(at time: Timestamp) -> [Vector<3>] {
    anchors.indices.filter { index in
      latest[index].map { time.seconds(since: $0.time) <= Neighbour.recently } ?? false
    }.map { anchors[$0].position }
  }

  /// Begins to follow the image of every track in the mirror of the anchors and tags that it hears from.
  private mutating func branch() {
    let (time, neighbours, sources) = (time, neighbours, sources(at: time))
    guard
      let mirror = SourceMirror(
        isLevel: configuration.exactHeight != nil,
        { seconds in sources + neighbours.map { $0.place(seconds, after: time) } })
    else { return }
    branch(in: mirror)
  }

  /// Notes how far each track is outside of the box of the tag.
  private mutating func considerBounds() {
    guard let box = configuration.bounds else { return }
    hypotheses.outside = max(hypotheses.outside, box.excess(of: leading.mixture.kinematics))
    for index in hypotheses.others.indices {
      let excess = box.excess(of: hypotheses.others[index].filter.mixture.kinematics)
      hypotheses.others[index].outside = max(hypotheses.others[index].outside, excess)
    }
    hypotheses.settle(&leading)
    // Nothing is left that could be right.
    if hypotheses.isEmpty, hypotheses.outside > TrackHypotheses.finalOdds { endTrack() }
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
    return min(excess, 2 * TrackHypotheses.finalOdds)
  }
}
