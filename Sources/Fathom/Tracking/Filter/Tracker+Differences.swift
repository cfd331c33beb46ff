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
    reading = nil
    defer { if !rivals.isEmpty { updateRivals(isEvidence: true) { _ = $0.update(difference) } } }
    guard configuration.usesDifferences, difference.isUsable(among: anchors) else {
      return TrackUpdate(outcome: .invalid)
    }
    if isEarly(difference.time) { return TrackUpdate(outcome: .late) }
    let (one, other) = (anchors[difference.first], anchors[difference.second])
    let metres = difference.corrected(anchors)
    let sigma = noiseFactor.squareRoot() * configuration.errors.sigma
    guard !difference.isImpossible(among: anchors, sigma: sigma) else {
      return TrackUpdate(outcome: .discounted(weight: 0))
    }
    if hasStarted, mixture.hasDiverged || isGap(until: difference.time) { endTrack() }
    guard hasStarted, !needsRestart else { return begin(difference) }
    if configuration.inertial != nil, level.isOver(at: difference.time) { mixture.endInertial() }
    advanceSensors(to: difference.time)
    startTransmission(difference)
    let slots = errors.linkErrorVariance > 0 ? linkSlots(difference) : nil
    let observed = TrackState.Difference(
      metres: metres, first: one.position, second: other.position, links: slots)
    let variance = noiseFactor * errors.whiteVariance(of: configuration.errors.sigma)
    let position = mixture.position
    guard let reading = mixture.condition(onDifference: observed, variance: variance) else {
      return TrackUpdate(outcome: .invalid)
    }
    if !directions.hypotheses.isEmpty,
      let rival = directions.hypotheses[0].mixture.condition(
        onDifference: observed, variance: variance)
    {
      weigh(reading, against: rival, anchor: difference.second, from: position)
    }
    record(reading, of: difference)
    return TrackUpdate(outcome: TrackUpdate.Outcome(reading), reading: reading)
  }

  /// Begins a transmission if `difference` does not belong to the last one.
  private mutating func startTransmission(_ difference: TimedDifference) {
    if let transmission, transmission == (difference.time, difference.first) { return }
    let variance = noiseFactor * errors.whiteVariance(of: configuration.errors.sigma)
    mixture.state.introduceArrival(variance: variance)
    if !directions.hypotheses.isEmpty {
      directions.hypotheses[0].mixture.state.introduceArrival(variance: variance)
    }
    transmission = (difference.time, difference.first)
  }

  /// Returns the slots of the errors of both links.
  private mutating func linkSlots(_ difference: TimedDifference) -> (first: Int, second: Int) {
    (
      slot(of: difference.first, at: difference.time),
      slot(of: difference.second, at: difference.time)
    )
  }

  /// Starts the track if the differences so far determine a position.
  private mutating func begin(_ difference: TimedDifference) -> TrackUpdate {
    guard
      let found = differences.add(difference, anchors: anchors, configuration: configuration)
    else { return TrackUpdate(outcome: .starting) }
    start(at: difference.time, found.state, alternative: found.alternative)
    differences = DifferenceInitiation()
    if let ambiguity {
      directions.hypotheses = [TrackHypothesis(of: mixture, at: difference.time, in: ambiguity)]
    }
    return TrackUpdate(outcome: .started)
  }
}

extension TrackMixture {
  /// Updates the state estimates with a time difference, with the variance of its independent error
  /// in m².
  mutating func condition(
    onDifference difference: TrackState.Difference, variance: Double
  ) -> Reading? {
    condition(
      on: state.expectation(of: difference), variance: Pair(repeating: variance))
  }
}
