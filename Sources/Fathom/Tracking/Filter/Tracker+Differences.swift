extension TimedDifference {
  /// How many standard deviations a difference may exceed the distance between its anchors.
  private static let mostExcess = 3.29

  /// Whether no position can cause it: it exceeds the distance between its anchors by more than arrivals
  /// with the standard deviation `sigma`, in metres, explain.
  package func isImpossible(among anchors: [Anchor], sigma: Double) -> Bool {
    let baseline = (anchors[first].position - anchors[second].position).length
    return corrected(anchors).magnitude > baseline + Self.mostExcess * 2.squareRoot() * sigma
  }
}

/// Input of time differences of arrival.
extension Tracker {
  /// Processes a time difference of arrival.
  ///
  /// Requires ``TrackerConfiguration/usesDifferences``. ``RangeErrors/sigma`` is the standard deviation
  /// of one arrival. Differences with the same time and the same first anchor, the reference, belong
  /// to one transmission: the error of its arrival there is common to them. Differences alone can start
  /// a track. While two positions explain them, both are followed until one is ruled out.
  ///
  /// - Parameter difference: The difference; not before the last processed measurement.
  /// - Returns: How it was used, with its innovation in metres: `starting` and `started` until there is a
  ///   track, `late` before the last measurement, `discounted` with the weight 0 if it exceeds the
  ///   distance between its anchors beyond its errors, and `invalid` for an unusable one, or without
  ///   ``TrackerConfiguration/usesDifferences``.
  public mutating func update(_ difference: TimedDifference) -> TrackUpdate {
    leading.reading = nil
    guard configuration.usesDifferences, difference.isUsable(among: anchors) else {
      return TrackUpdate(outcome: .invalid)
    }
    if isEarly(difference.time) { return TrackUpdate(outcome: .late) }
    let metres = difference.corrected(anchors)
    let sigma = noiseFactor.squareRoot() * configuration.errors.sigma
    guard !difference.isImpossible(among: anchors, sigma: sigma) else {
      return TrackUpdate(outcome: .discounted(weight: 0))
    }
    endTrackIfUnusable(at: difference.time, isDifference: true)
    guard hasStarted, !needsRestart else { return begin(difference) }
    if configuration.inertial != nil, level.isOver(at: difference.time) {
      update { $0.mixture.endInertial() }
    }
    let reading = leading.update(difference, metres: metres, isAlone: hypotheses.isEmpty)
    if !hypotheses.isEmpty {
      let second = difference.second
      compare(.anchor(second), at: anchors[second].position) {
        _ = $0.update(difference, metres: metres, isAlone: false)
      }
    }
    guard let reading else { return TrackUpdate(outcome: .invalid) }
    return TrackUpdate(outcome: TrackUpdate.Outcome(reading), reading: reading)
  }

  /// Starts the track if the differences so far determine a position.
  private mutating func begin(_ difference: TimedDifference) -> TrackUpdate {
    guard
      let found = differences.add(difference, anchors: anchors, configuration: configuration)
    else { return TrackUpdate(outcome: .starting) }
    start(at: difference.time, found.state, alternative: found.alternative)
    differences.restart()
    return TrackUpdate(outcome: .started)
  }
}

extension TrackMixture {
  /// Updates the state estimates with a time difference, with the variance of its independent error
  /// in m².
  mutating func condition(
    onDifference difference: TrackState.Difference, variance: Double, isAlone: Bool
  ) -> Reading? {
    condition(
      on: state.expectation(of: difference), variance: Pair(repeating: variance),
      links: isAlone ? difference.links.map { TrackState.DisturbedLinks(difference: $0) } : nil)
  }
}
