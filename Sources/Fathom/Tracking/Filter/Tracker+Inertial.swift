/// Input of inertial data.
extension Tracker {
  /// Processes a reading of an accelerometer and a gyroscope.
  ///
  /// Requires ``TrackerConfiguration/inertial``, and has no effect with
  /// ``TrackerConfiguration/odometry``, which tells more. Neither the mounting of the sensor nor its
  /// heading need be known: gravity gives the level, and the ranges show the heading as soon as the tag
  /// accelerates. From then on the readings predict the motion, also for a while without ranges. A
  /// tag at rest is recognised, and its velocity is set to zero.
  ///
  /// Readings should come at 20 Hz or more, between the ranges in order of time. Half a second without
  /// readings ends their use until the heading is found anew.
  ///
  /// - Returns: How the reading was used: `starting` before the start of the track, `late` for one that
  ///   is not after the last one, `discounted` with the weight 0 for one that begins a series, and
  ///   `invalid` for an unusable one or without ``TrackerConfiguration/inertial``.
  ///
  /// ## Cost
  /// A tenth of a microsecond, and one microsecond more per range.
  public mutating func update(_ reading: InertialMeasurement) -> TrackUpdate {
    defer { if !rivals.isEmpty { updateRivals { _ = $0.update(reading) } } }
    guard let errors = configuration.usedInertial, reading.isUsable else {
      return TrackUpdate(outcome: .invalid)
    }
    let step: LevelAttitude.Step
    switch level.add(reading, errors: errors) {
    case .late: return TrackUpdate(outcome: .late)
    case .first:
      mixture.forgetInertial()
      if !directions.hypotheses.isEmpty { directions.hypotheses[0].mixture.forgetInertial() }
      return TrackUpdate(outcome: hasStarted ? .discounted(weight: 0) : .starting)
    case .step(let found): step = found
    }
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    mixture.append(step)
    if !directions.hypotheses.isEmpty { directions.hypotheses[0].mixture.append(step) }
    if let began = step.restBegan, time >= began {
      mixture.rest()
      if !directions.hypotheses.isEmpty { directions.hypotheses[0].mixture.rest() }
    }
    let idle = reading.time.seconds(since: time)
    if idle > Self.inertialStep, !isGap(until: reading.time), isPrecise {
      advanceSensors(to: reading.time)
    }
    return TrackUpdate(outcome: .used)
  }

  /// The time without ranges after which inertial data alone predict the track, in seconds; until then
  /// a range may come late.
  private static let inertialStep = 0.5
  /// The standard deviation of the position up to which inertial data alone carry the track, in
  /// metres: with more, ranges can no longer be linearised.
  private static let farthestAlone = 3.0

  private var isPrecise: Bool {
    var variance = 0.0
    for axis in 0..<mixture.state.axes { variance += mixture.moments(of: axis).variance }
    return variance < Self.farthestAlone * Self.farthestAlone
  }
}
