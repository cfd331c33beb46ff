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
    let azimuth = azimuth.flatMap { $0.isFinite ? $0 : nil }
    let elevation = elevation.flatMap { $0.isFinite ? $0 : nil }
    guard anchors.indices.contains(anchor), sigma > .zero, sigma.isFinite, attitude.isFinite,
      azimuth != nil || elevation != nil
    else { return TrackUpdate(outcome: .invalid) }
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    guard time >= self.time else { return TrackUpdate(outcome: .late) }
    // After a gap, a range must come first.
    guard !leading.isGap(until: time) else { return TrackUpdate(outcome: .discounted(weight: 0)) }
    let (isRepeated, interval) = directions.record(
      DirectionHistory.Latest(azimuth: azimuth, elevation: elevation, time: time),
      anchor: anchor, of: anchors.count, errors: configuration.errors)
    if isRepeated { return TrackUpdate(outcome: .duplicate) }

    update {
      $0.advanceIfLater(to: time)
      $0.driftHeading()
    }
    let place = anchors[anchor].position
    // An error of the anchor's position changes its direction.
    let survey =
      anchors[anchor].positionSigma.map {
        $0 / max(1e-3, $0, (leading.mixture.position - place).length)
      } ?? 0
    let variance =
      sigma.radians * sigma.radians * configuration.errors.angleFactor(interval: interval)
      + survey * survey
    var result = TrackUpdate(outcome: .invalid)
    for (angle, isElevation) in [(azimuth, false), (elevation, true)] {
      guard let angle else { continue }
      let seen = AngleObservation(
        anchor: place, axes: attitude, measured: angle, isElevation: isElevation)
      guard let reading = process(seen, variance: variance) else { continue }
      result = TrackUpdate(outcome: TrackUpdate.Outcome(reading), reading: reading)
    }
    return result
  }

  /// Processes one angle with all hypotheses, and begins to test the other side if many of late deviate.
  private mutating func process(
    _ angle: AngleObservation, variance: Double
  ) -> TrackMixture.Reading? {
    let reading = leading.update(angle, variance: variance)
    let isAlone = hypotheses.isEmpty
    if !isAlone { compare(nil) { _ = $0.update(angle, variance: variance) } }
    guard let reading else { return nil }
    if isAlone, directions.isTestDue(reading.normalizedSquare), let mirror {
      add(in: mirror, evidence: HypothesisEvidence(prior: HypothesisEvidence.decisiveOdds))
    }
    return reading
  }

  /// The mirror of the anchors with recent ranges; nil if they define none, or if the tag is known
  /// to be on one side of it.
  private var mirror: Mirror? {
    let recent = anchors.indices.filter { index in
      latest[index].map { time.seconds(since: $0.time) <= Self.recently } ?? false
    }
    let places = recent.map { anchors[$0].position }
    if SidedPlane(of: places, configuration) != nil { return nil }
    return Mirror(behind: places, isLevel: configuration.exactHeight != nil)
  }

  /// Maximum age of a recent range, in seconds.
  private static let recently = 5.0
}
