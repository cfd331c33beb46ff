/// Input of heights and odometry.
extension Tracker {
  /// Processes a measured height: of a barometer, a laser or a known floor.
  ///
  /// Requires ``TrackerConfiguration/heights``. A height does not start a track alone. It rules
  /// out a mirror image that is clearly at another height. A height far from its prediction is not
  /// used; after ten of them in a row, the zero of the sensor is estimated anew.
  ///
  /// - Returns: How the height was used, with its innovation in metres: `starting` before the start,
  ///   `late` before the last measurement, `discounted` with the weight 0 after a gap and for an
  ///   outlier, and `invalid` for an unusable value, without ``TrackerConfiguration/heights``, or at an exact height.
  public mutating func update(_ height: HeightMeasurement) -> TrackUpdate {
    defer { if !rivals.isEmpty { updateRivals { _ = $0.update(height) } } }
    guard let errors = configuration.heights, configuration.exactHeight == nil, height.isUsable
    else { return TrackUpdate(outcome: .invalid) }
    let idle = lastHeight.map { height.time.seconds(since: $0.time) } ?? 0
    guard idle >= 0 else { return TrackUpdate(outcome: .late) }
    lastHeight = (height.time, height.height, errors.sigma(of: height))
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    guard height.time >= time else { return TrackUpdate(outcome: .late) }
    // After a gap, a range must come first.
    guard !isGap(until: height.time) else { return TrackUpdate(outcome: .discounted(weight: 0)) }
    advanceSensors(to: height.time)
    if ambiguity != nil { resolveByHeight(at: height.time) }
    let reading = mixture.condition(
      onHeight: height.height, sigma: height.sigma, after: idle)
    if !directions.hypotheses.isEmpty {
      _ = directions.hypotheses[0].mixture.condition(
        onHeight: height.height, sigma: height.sigma, after: idle)
    }
    guard let reading else { return TrackUpdate(outcome: .discounted(weight: 0)) }
    return TrackUpdate(outcome: TrackUpdate.Outcome(reading), reading: reading)
  }

  /// Processes an increment of odometry.
  ///
  /// Requires ``TrackerConfiguration/odometry``. The heading of the vehicle is unknown at first: the
  /// track finds it, with the scale of the distances and the drift of the heading, in the first
  /// metres. From then on the increments predict the motion, also while there are no ranges. The
  /// ranges show when the wheels slip.
  ///
  /// - Returns: How the increment was used, with its innovation in metres: `starting` before the start
  ///   of the track, `late` for one that ends before the last measurement, `discounted` with the
  ///   weight 0 for one that begins a series, and `invalid` for an unusable one or without
  ///   ``TrackerConfiguration/odometry``.
  public mutating func update(_ increment: OdometryIncrement) -> TrackUpdate {
    defer { if !rivals.isEmpty { updateRivals { _ = $0.update(increment) } } }
    guard let errors = configuration.odometry, increment.isUsable else {
      return TrackUpdate(outcome: .invalid)
    }
    if let last = odometry.last, increment.end <= last { return TrackUpdate(outcome: .late) }
    let step = odometry.add(increment, turnFactor: errors.turnFactor)
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    let isLate = increment.end < time
    // After a gap without increments, a range must come first.
    if isLate || isInterrupted
      || (isGap(until: increment.end) && !(step.isContiguous && mixture.progress.isMarked))
    {
      mixture.progress.isMarked = false
      return TrackUpdate(outcome: isLate ? .late : .discounted(weight: 0))
    }
    advanceSensors(to: increment.end)
    let reading = mixture.follow(step)
    if !directions.hypotheses.isEmpty { _ = directions.hypotheses[0].mixture.follow(step) }
    guard let reading else { return TrackUpdate(outcome: .discounted(weight: 0)) }
    return TrackUpdate(outcome: TrackUpdate.Outcome(reading), reading: reading)
  }

  /// Predicts the track and the mirror hypothesis to `time`, not before the last measurement.
  mutating func advanceSensors(to time: Timestamp) {
    let elapsed = time.seconds(since: self.time)
    if elapsed > 0 {
      let step = step(over: elapsed)
      mixture.advance(by: step)
    }
    self.time = time
    if !directions.hypotheses.isEmpty { advanceHypothesis(to: time) }
  }

  /// The longest time between a height and a mirror image that it rules out, in seconds.
  private static let heightReach = 1.0
  /// How many standard deviations the height of the right one of two images may be away.
  private static let likelyHeight = 3.0

  /// Ends the ambiguity if the last height clearly is that of one of the two images.
  ///
  /// Successive heights have nearly the same error, so one of them decides or none does.
  private func resolvedByHeight(at time: Timestamp) -> MirrorAmbiguity.Verdict {
    guard let lastHeight, let ambiguity,
      (0...Self.heightReach).contains(time.seconds(since: lastHeight.time))
    else { return .undecided }
    let (own, variance) = mixture.moments(of: 2)
    let image = ambiguity.image(of: mixture.position)[2]
    let spread = variance + lastHeight.sigma * lastHeight.sigma
    let (near, far) = (lastHeight.metres - own, lastHeight.metres - image)
    let (square, other) = (near * near / spread, far * far / spread)
    guard min(square, other) < Self.likelyHeight * Self.likelyHeight,
      (square - other).magnitude > 2 * MirrorAmbiguity.decisiveOdds
    else { return .undecided }
    return square < other ? .track : .image
  }

  /// Switches to the mirror image, or rules it out, if the last height is clear.
  mutating func resolveByHeight(at time: Timestamp) {
    let verdict = resolvedByHeight(at: time)
    guard verdict != .undecided else { return }
    if verdict == .image, let ambiguity {
      mixture.reflect(in: ambiguity.centre, normal: ambiguity.normal)
      sideSwitch = (ambiguity, sideSwitch.count + 1)
    }
    directions.hypotheses = []
    ambiguity = nil
  }
}
