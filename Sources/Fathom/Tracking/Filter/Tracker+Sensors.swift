/// Input of heights, odometry and inertial data.
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
    guard let errors = configuration.heights, configuration.exactHeight == nil, height.isUsable
    else { return TrackUpdate(outcome: .invalid) }
    let idle = lastHeight.map { height.time.seconds(since: $0.time) } ?? 0
    guard idle >= 0 else { return TrackUpdate(outcome: .late) }
    lastHeight = (height.time, height.height, errors.sigma(of: height))
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    guard height.time >= time else { return TrackUpdate(outcome: .late) }
    // After a gap, a range must come first.
    guard !leading.isGap(until: height.time) else {
      return TrackUpdate(outcome: .discounted(weight: 0))
    }
    update { $0.advanceIfLater(to: height.time) }
    if !hypotheses.isEmpty { weighHeight(at: height.time) }
    let reading = leading.update(height, after: idle)
    for index in hypotheses.others.indices {
      _ = hypotheses.others[index].filter.update(height, after: idle)
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
    guard let errors = configuration.odometry, increment.isUsable else {
      return TrackUpdate(outcome: .invalid)
    }
    if let last = odometry.last, increment.end <= last { return TrackUpdate(outcome: .late) }
    let step = odometry.add(increment, turnFactor: errors.turnFactor)
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    guard increment.end >= time else {
      update { $0.mixture.progress.isMarked = false }
      return TrackUpdate(outcome: .late)
    }
    let reading = leading.follow(step, to: increment.end)
    for index in hypotheses.others.indices {
      _ = hypotheses.others[index].filter.follow(step, to: increment.end)
    }
    guard let reading else { return TrackUpdate(outcome: .discounted(weight: 0)) }
    return TrackUpdate(outcome: TrackUpdate.Outcome(reading), reading: reading)
  }

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
    guard let errors = configuration.usedInertial, reading.isUsable else {
      return TrackUpdate(outcome: .invalid)
    }
    let step: LevelAttitude.Step
    switch level.add(reading, errors: errors) {
    case .late: return TrackUpdate(outcome: .late)
    case .first:
      update { $0.mixture.forgetInertial() }
      return TrackUpdate(outcome: hasStarted ? .discounted(weight: 0) : .starting)
    case .step(let found): step = found
    }
    guard hasStarted, !needsRestart else { return TrackUpdate(outcome: .starting) }
    update { $0.append(step, at: reading.time) }
    return TrackUpdate(outcome: .used)
  }

  /// The longest time between a height and a mirror image that it rules out, in seconds.
  private static let heightReach = 1.0
  /// How many standard deviations the height of the right hypothesis may be away.
  private static let likelyHeight = 3.0

  /// Decides between hypotheses of which the last height clearly is that of one.
  ///
  /// Successive heights have nearly the same error, so one of them decides or none does.
  mutating func weighHeight(at time: Timestamp) {
    guard let lastHeight, (0...Self.heightReach).contains(time.seconds(since: lastHeight.time))
    else { return }
    func square(_ height: Double, _ variance: Double) -> Double {
      let away = lastHeight.metres - height
      return away * away / (variance + lastHeight.sigma * lastHeight.sigma)
    }
    let (height, variance) = leading.mixture.moments(of: 2)
    let own = square(height, variance)
    for index in hypotheses.others.indices {
      // Of an image, where the place is: its filter may have followed the height meanwhile.
      let image = hypotheses.others[index].mirror?.image(of: leading.mixture.position)[2]
      let moments = hypotheses.others[index].filter.mixture.moments(of: 2)
      let other = image.map { square($0, variance) } ?? square(moments.value, moments.variance)
      guard min(own, other) < Self.likelyHeight * Self.likelyHeight,
        (other - own).magnitude > 2 * HypothesisEvidence.decisiveOdds
      else { continue }
      hypotheses.others[index].evidence.decide(0.5 * (other - own))
    }
    hypotheses.settle(&leading)
  }
}
