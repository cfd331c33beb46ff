extension Tracker {
  /// Processes the direction in which the tag measured an anchor, after the range of the same
  /// instant if there is one.
  ///
  /// Directions neither start a track nor end a gap. A direction far from its prediction has a
  /// reduced weight, as a range does. While a mirror image explains the ranges equally well, the
  /// filter tracks both sides, and directions decide between them. If many directions deviate
  /// later, the other side is tested again.
  ///
  /// - Parameters:
  ///   - azimuth: The spherical azimuth of the anchor in the tag's frame, positive to the right, as
  ///     defined by ``FullSphere``; nil if it was not measured.
  ///   - elevation: The elevation of the anchor, positive upwards; nil if it was not measured.
  ///   - attitude: The tag's axes right, up and back as columns in the world frame; see
  ///     ``Sighting/upright(facing:)``.
  ///   - sigma: The standard deviation of both angles.
  ///   - anchor: The index of the anchor.
  ///   - time: The time of the measurement, not before the last processed range.
  /// - Returns: How the last of the given angles was used, with its innovation in radians.
  ///
  /// ## Edge cases
  /// An angle that is not finite counts as not measured. So does an elevation while the heading is
  /// practically unknown. The outcome is:
  ///
  /// - `invalid` without any angle, and for an invalid anchor, attitude or standard deviation;
  /// - `starting` before the start;
  /// - `discounted` with the weight 0 after a gap;
  /// - `duplicate` if the direction equals the anchor's last one within
  ///   ``RangeErrors/repetitionTime``.
  ///
  /// ## Cost
  /// Allocates only for the first direction and when a mirror hypothesis begins.
  public mutating func update(
    azimuth: Angle?, elevation: Angle?, attitude: Matrix<3, 3>, sigma: Angle, anchor: Int,
    at time: Timestamp
  ) -> TrackUpdate {
    defer {
      if !rivals.isEmpty {
        updateRivals {
          _ = $0.update(
            azimuth: azimuth, elevation: elevation, attitude: attitude, sigma: sigma,
            anchor: anchor, at: time)
        }
      }
    }
    let azimuth = azimuth.flatMap { $0.isFinite ? $0 : nil }
    let elevation = elevation.flatMap { $0.isFinite ? $0 : nil }
    guard anchors.indices.contains(anchor), sigma > .zero, sigma.isFinite, attitude.isFinite,
      azimuth != nil || elevation != nil
    else { return TrackUpdate(outcome: .invalid) }
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    let elapsed = time.seconds(since: self.time)
    guard elapsed >= 0 else { return TrackUpdate(outcome: .late) }
    // After a gap, a range must come first.
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
    // An error of the anchor's position changes its direction.
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
      guard let reading = process(seen, variance: variance) else { continue }
      update = TrackUpdate(outcome: TrackUpdate.Outcome(reading), reading: reading)
    }
    if !directions.hypotheses.isEmpty { mergeHypotheses() }
    return update
  }

  /// Processes one angle with the track and, if there is one, with the mirror hypothesis.
  private mutating func process(_ angle: AngleObservation, variance: Double) -> TrackMixture
    .Reading?
  {
    // The elevation error of a leaning tag is persistent, and differs between the sides of a
    // mirror.
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

  /// Creates the mirror hypothesis while there is an ambiguity, or predicts it to `time`.
  private mutating func prepareHypothesis(at time: Timestamp) {
    guard let ambiguity else { return }
    if directions.hypotheses.isEmpty {
      directions.hypotheses = [TrackHypothesis(of: mixture, at: time, in: ambiguity)]
    } else {
      advanceHypothesis(to: time)
    }
  }

  mutating func advanceHypothesis(to time: Timestamp) {
    let seconds = time.seconds(since: directions.hypotheses[0].time)
    guard seconds > 0 else { return }
    let step = step(over: seconds)
    directions.hypotheses[0].advance(to: time, by: step)
  }

  /// Returns the prediction step over the next `seconds`.
  func step(over seconds: Double) -> TrackMixture.Step {
    TrackMixture.Step(
      seconds: seconds, isGap: isInterrupted || seconds > configuration.longestGap,
      followed: configuration.longestGap, speed: configuration.startVelocitySigma, height: height)
  }

  /// Processes the last range of the track with the mirror hypothesis and compares both.
  mutating func compareRange(
    _ distance: Double, _ reading: TrackMixture.Reading, variance: Double, anchor: Int,
    from position: Vector<3>, link: (index: Int, isNew: Bool)?, factor: Double
  ) {
    advanceHypothesis(to: time)
    if let link, link.isNew {
      let surveyed = anchors[anchor].positionSigma ?? 0
      directions.hypotheses[0].mixture.introduceLink(link.index, surveyed: surveyed * surveyed)
    }
    let other = directions.hypotheses[0].mixture.condition(
      on: distance, variance: variance, anchor: anchors[anchor].position, link: link?.index,
      factor: factor)
    if let other { weigh(reading, against: other, anchor: anchor, from: position) }
  }

  /// Adds the difference of the log-likelihoods to the evidence, and switches to the mirror
  /// hypothesis if it is more likely.
  ///
  /// For a range, `anchor` and `position` are those of its anchor and of the tag.
  mutating func weigh(
    _ reading: TrackMixture.Reading, against other: TrackMixture.Reading, anchor: Int? = nil,
    from position: Vector<3> = .zero
  ) {
    guard ambiguity != nil else { return }
    let advantage = reading.logLikelihood - other.logLikelihood
    let verdict =
      anchor.map {
        ambiguity?.record(advantage: advantage, anchor: $0, position: position)
      } ?? ambiguity?.record(advantage: advantage)
    if ambiguity?.favoursImage == true {
      swap(&mixture, &directions.hypotheses[0].mixture)
      ambiguity?.changeSides()
      directions.forgetNoise()
    }
    if verdict != .undecided { endComparison() }
  }

  /// Ends the comparison if both tracks have converged.
  private mutating func mergeHypotheses() {
    guard let ambiguity, directions.hypotheses[0].meets(mixture, in: ambiguity) else { return }
    endComparison()
  }

  /// The mirror of the anchors with recent ranges; nil if they define none, or if the tag is known
  /// to be on one side of it.
  private var mirror: MirrorAmbiguity? {
    let recent = anchors.indices.filter { index in
      latest[index].map { time.seconds(since: $0.time) <= Self.recently } ?? false
    }
    let places = recent.map { anchors[$0].position }
    if SidedPlane(of: places, configuration) != nil { return nil }
    return MirrorAmbiguity(
      behind: places, isLevel: configuration.exactHeight != nil,
      anchorCount: anchors.count)
  }

  /// Maximum age of a recent range, in seconds.
  private static let recently = 5.0

  private mutating func endComparison() {
    directions.hypotheses = []
    ambiguity = nil
  }
}
