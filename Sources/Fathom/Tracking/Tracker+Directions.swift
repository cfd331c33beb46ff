extension Tracker {
  /// Takes in the direction that the tag measured of an anchor, after the range of the same instant
  /// where there is one.
  ///
  /// Directions neither start a track nor end a gap. A direction far off its prediction counts less,
  /// as a range does. While a mirror image explains the ranges as well, the track is followed on
  /// both sides, and directions decide between them; when many lie far off later, the other side is
  /// looked at again.
  ///
  /// - Parameters:
  ///   - azimuth: the spherical azimuth of the anchor in the tag's frame, positive to the right, as
  ///     ``FullSphere`` has it; nil where it was not measured.
  ///   - elevation: its elevation, positive upwards; nil where it was not measured.
  ///   - attitude: the tag's axes as columns in the world: right, up, and back; see
  ///     ``Sighting/upright(facing:)``.
  ///   - sigma: standard deviation of both angles.
  ///   - anchor: index of the anchor.
  ///   - time: when it was measured; not before the range last taken in.
  /// - Returns: What was done with the last of the angles that are there, with its innovation in
  ///   radians.
  ///
  /// ## Edge cases
  /// An angle that is not finite counts as not measured, and so does an elevation while the
  /// heading is as good as unknown. Without any, and with an anchor, an attitude or a standard
  /// deviation that is none, the outcome is `invalid`; before the start `starting`; after a gap
  /// `discounted` with the weight 0; `duplicate` for what the anchor's last direction said within
  /// ``RangeErrors/correlationTime`` before.
  ///
  /// ## Cost
  /// No heap allocation but for the first direction, and where the other side of a mirror begins to
  /// be looked at.
  public mutating func update(
    azimuth: Angle?, elevation: Angle?, attitude: Matrix<3, 3>, sigma: Angle, anchor: Int,
    at time: Timestamp
  ) -> TrackUpdate {
    let azimuth = azimuth.flatMap { $0.isFinite ? $0 : nil }
    let elevation = elevation.flatMap { $0.isFinite ? $0 : nil }
    guard anchors.indices.contains(anchor), sigma > .zero, sigma.isFinite, attitude.isFinite,
      azimuth != nil || elevation != nil
    else { return TrackUpdate(outcome: .invalid) }
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    let elapsed = time.seconds(since: self.time)
    guard elapsed >= 0 else { return TrackUpdate(outcome: .late) }
    // After a gap a range goes first.
    guard !isGap(until: time) else { return TrackUpdate(outcome: .discounted(weight: 0)) }
    let (isRepeated, interval) = directions.record(
      DirectionHistory.Latest(azimuth: azimuth, elevation: elevation, time: time),
      anchor: anchor, of: anchors.count, errors: configuration.errors)
    if isRepeated { return TrackUpdate(outcome: .duplicate) }

    if elapsed > 0 {
      let step = step(over: elapsed)
      mixture.advance(by: step)
    }
    self.time = time
    prepareHypothesis(at: time)
    let idle = directions.drifted.map { time.seconds(since: $0) } ?? 0
    directions.drifted = time
    mixture.driftHeading(over: idle)
    if !directions.hypotheses.isEmpty { directions.hypotheses[0].mixture.driftHeading(over: idle) }

    let place = anchors[anchor].position
    // An anchor that is not where it was said to be is seen elsewhere.
    let survey =
      anchors[anchor].positionSigma.map { $0 / max(1e-3, $0, (mixture.position - place).length) }
      ?? 0
    let variance =
      sigma.radians * sigma.radians * configuration.errors.angleFactor(interval: interval)
      + survey * survey
    var update = TrackUpdate(outcome: .invalid)
    for (angle, isElevation) in [(azimuth, false), (elevation, true)] {
      guard let angle else { continue }
      let seen = AngleObservation(
        anchor: place, axes: attitude, measured: angle, isElevation: isElevation)
      guard let reading = take(seen, variance: variance) else { continue }
      update = TrackUpdate(outcome: TrackUpdate.Outcome(reading), reading: reading)
    }
    if !directions.hypotheses.isEmpty { mergeHypotheses() }
    return update
  }

  /// Takes in one angle on both sides of the mirror, where there are two.
  private mutating func take(_ angle: AngleObservation, variance: Double) -> TrackMixture.Reading? {
    // What a leaning tag sees above it then is wrong for long, on one side of a mirror more than on
    // the other.
    if angle.isElevation, mixture.isHeadingVague { return nil }
    let variance = directions.noiseFactor * variance
    guard let reading = mixture.condition(on: angle, variance: variance) else { return nil }
    if !directions.hypotheses.isEmpty,
      let other = directions.hypotheses[0].mixture.condition(on: angle, variance: variance)
    {
      weigh(reading, against: other)
    }
    if directions.record(reading.normalizedSquare), ambiguity == nil { ambiguity = mirror }
    return reading
  }

  /// Makes sure that there is a track on the other side while there is a mirror to decide about, and
  /// that it has come as far.
  private mutating func prepareHypothesis(at time: Timestamp) {
    guard let ambiguity else { return }
    if directions.hypotheses.isEmpty {
      directions.hypotheses = [TrackHypothesis(of: mixture, at: time, in: ambiguity)]
    } else {
      advanceHypothesis(to: time)
    }
  }

  private mutating func advanceHypothesis(to time: Timestamp) {
    let seconds = time.seconds(since: directions.hypotheses[0].time)
    guard seconds > 0 else { return }
    let step = step(over: seconds)
    directions.hypotheses[0].advance(to: time, by: step)
  }

  /// What is known of the next `seconds`.
  private func step(over seconds: Double) -> TrackMixture.Step {
    TrackMixture.Step(
      seconds: seconds, isGap: isInterrupted || seconds > configuration.longestGap,
      followed: configuration.longestGap, speed: configuration.startVelocitySigma, height: height)
  }

  /// Takes in a range on the other side of the mirror, which the track has just taken in.
  mutating func compareRange(
    _ distance: Double, _ reading: TrackMixture.Reading, variance: Double, anchor: Anchor,
    link: (index: Int, isNew: Bool)?
  ) {
    advanceHypothesis(to: time)
    if let link, link.isNew {
      let surveyed = anchor.positionSigma ?? 0
      directions.hypotheses[0].mixture.introduceLink(link.index, surveyed: surveyed * surveyed)
    }
    let other = directions.hypotheses[0].mixture.condition(
      on: distance, variance: variance, anchor: anchor.position, link: link?.index)
    if let other { weigh(reading, against: other) }
  }

  /// Counts how much better the track expected a measurement than the one on the other side, and
  /// goes over to that where it is the likelier one.
  private mutating func weigh(_ reading: TrackMixture.Reading, against other: TrackMixture.Reading)
  {
    guard var ambiguity else { return }
    let verdict = ambiguity.record(advantage: reading.logLikelihood - other.logLikelihood)
    if ambiguity.favoursImage {
      swap(&mixture, &directions.hypotheses[0].mixture)
      ambiguity.changeSides()
      directions.forgetNoise()
    }
    self.ambiguity = ambiguity
    if verdict != .undecided { endComparison() }
  }

  /// Ends the comparison where both tracks have met.
  private mutating func mergeHypotheses() {
    guard let ambiguity, directions.hypotheses[0].meets(mixture, in: ambiguity) else { return }
    endComparison()
  }

  /// The mirror that the anchors make of which there were ranges of late; nil where they make none.
  private var mirror: MirrorAmbiguity? {
    let recent = anchors.indices.filter { index in
      latest[index].map { time.seconds(since: $0.time) <= Self.recently } ?? false
    }
    return MirrorAmbiguity(
      behind: recent.map { anchors[$0].position }, isLevel: configuration.exactHeight != nil)
  }

  /// Seconds.
  private static let recently = 5.0

  private mutating func endComparison() {
    directions.hypotheses = []
    ambiguity = nil
  }
}
