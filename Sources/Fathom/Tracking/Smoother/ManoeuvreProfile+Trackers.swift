/// Creates the profile from a forward and a backward tracker.
extension ManoeuvreProfile {
  /// Creates the profile of `ranges`, thinned and in order of time, from trackers with one
  /// configuration.
  ///
  /// `readings` are the time differences of the tag, and its other sensors, which are for the
  /// forward tracker. The tag may be anywhere after the times in `interruptions`, which are in
  /// order.
  init(
    _ ranges: [RangeMeasurement], sensors readings: SensorReadings = SensorReadings(),
    interruptions: [Timestamp], anchors: [Anchor], configuration: Tracker.Configuration
  ) {
    var configuration = configuration
    // They widen covariances only, which the profile does not have.
    configuration.errors.persistentSigma = 0
    configuration.errors.remainingBiasSigma = 0
    var forward = Tracker(among: anchors, validated: configuration)
    let order = MeasurementOrder(ranges: ranges, differences: readings.differences)
    var others = readings
    others.differences = []
    var sensors = SensorQueue(others)
    let hasSensors = !others.isEmpty
    var heading: Double?
    var odds: [Double] = []
    var numbers: [Int] = []
    var next = 0
    var paths = TrackPaths()
    order.forEach { number, place in
      let time = order.time(of: place)
      while next < interruptions.count, interruptions[next] <= time {
        forward.interrupt()
        next += 1
      }
      while hasSensors, let reading = sensors.next(upTo: time) { _ = forward.update(reading) }
      let (ends, open) = (forward.starts + forward.hypotheses.mergers, OpenHypotheses(forward))
      let update = order.update(&forward, with: place)
      // Where hypotheses end or meet, what was open before stays so.
      if let open, forward.starts + forward.hypotheses.mergers > ends { mark(open, paths) }
      guard update.moved, time >= forward.time else { return }
      let estimate = forward.leading.estimate(at: time)
      paths.add(&forward, estimate, number: points.count, at: time)
      numbers.append(number)
      odds.append(Self.odds(forward))
      if let found = forward.leading.mixture.odometryHeading ?? forward.leading.mixture.levelHeading
      {
        // The branch next to the last one.
        heading = found + (heading.map { (($0 - found) / (2 * .pi)).rounded() * 2 * .pi } ?? 0)
      }
      points.append(
        Point(
          time: time, position: estimate.position, velocity: estimate.velocity,
          processNoiseRatio: 1, heading: heading,
          inertialDensity: forward.leading.mixture.inertialDensity,
          isSlipping: forward.leading.mixture.isSlipping))
    }
    if paths.hasBranches { follow(paths, to: forward) }
    // The smoother models survey errors itself. Small residuals beside them do not reduce the
    // factor.
    let factor = forward.leading.rangeFactor
    covarianceFactor = forward.leading.errors.anchorSurveyVariance > 0 ? max(1, factor) : factor
    bias = forward.bias?.value ?? 0
    scale = forward.scale?.value ?? 0

    (configuration.heights, configuration.odometry, configuration.inertial) = (nil, nil, nil)
    var backward = Tracker(among: anchors, validated: configuration)
    var behind = interruptions.count - 1
    var later = [Double](repeating: 1, count: order.count)
    order.forEachReversed { number, place in
      let time = order.time(of: place)
      while behind >= 0, interruptions[behind] > time {
        backward.interrupt()
        behind -= 1
      }
      _ = order.update(&backward, with: place, isReversed: true)
      later[number] = Self.odds(backward)
    }
    let modes = configuration.modes
    for (place, number) in numbers.enumerated() {
      let product = odds[place] * later[number]
      let highNoise = product / (1 + product)
      let square = modes.processNoiseRatio * modes.processNoiseRatio
      points[place].processNoiseRatio = ((1 - highNoise) / square + highNoise * square).squareRoot()
    }
  }

  /// Replaces the points by the path of the hypothesis that is likeliest in the end: the later ranges show where
  /// the track was.
  private mutating func follow(_ paths: TrackPaths, to tracker: Tracker) {
    let path = paths.path(of: tracker.hypotheses.likeliest, count: points.count)
    for (index, point) in path.enumerated() {
      guard let point else { continue }
      (points[index].position, points[index].velocity) = (point.position, point.velocity)
    }
    if let open = OpenHypotheses(tracker) { mark(open, paths) }
  }

  /// Marks the points from which on hypotheses differ that are open at the end of a track.
  private mutating func mark(_ open: OpenHypotheses, _ paths: TrackPaths) {
    mirror = open.mirror ?? mirror
    let first = open.others.compactMap { paths.divergence(of: open.leading, and: $0) }.min()
    guard mirror != nil, let first else { return }
    for place in points[first...].indices { points[place].isAmbiguous = true }
  }

  /// The hypotheses of a tracker that are not decided.
  private struct OpenHypotheses {
    var leading: Int
    var others: [Int]
    var mirror: Mirror?

    /// Finds them; nil if there are none.
    init?(_ tracker: Tracker) {
      guard !tracker.hypotheses.isEmpty, tracker.hasStarted else { return nil }
      let found = tracker.hypotheses.others.filter {
        tracker.hypotheses.odds($0) < HypothesisEvidence.decisiveOdds
      }
      guard let likeliest = found.first else { return nil }
      leading = tracker.hypotheses.identity
      others = found.map(\.identity)
      mirror =
        tracker.openPlane?.mirror
        ?? Mirror(
          between: tracker.leading.mixture.position, and: likeliest.filter.mixture.position)
    }
  }

  /// Returns the odds of the high-noise mode; 1 before the start.
  private static func odds(_ tracker: Tracker) -> Double {
    guard let lowNoise = tracker.lowNoiseProbability, lowNoise < 1 else { return 1 }
    return (1 - lowNoise) / lowNoise
  }
}

extension TrackUpdate {
  /// Whether the range contributed to an estimate.
  fileprivate var moved: Bool {
    switch outcome {
    case .used, .discounted, .started: true
    case .starting, .late, .invalid, .duplicate: false
    }
  }
}

extension MeasurementOrder {
  /// Returns the time of a measurement.
  fileprivate func time(of place: Place) -> Timestamp {
    switch place {
    case .range(let index): ranges[index].time
    case .difference(let index): differences[index].time
    }
  }

  /// Updates `tracker` with a measurement; with its time on a reversed axis if `isReversed`.
  fileprivate func update(
    _ tracker: inout Tracker, with place: Place, isReversed: Bool = false
  ) -> TrackUpdate {
    let time = time(of: place)
    switch place {
    case .range(let index):
      let range = ranges[index]
      return tracker.update(
        distance: range.distance, sigma: range.sigma, anchor: range.anchor,
        at: isReversed ? time.reversed : time)
    case .difference(let index):
      var difference = differences[index]
      if isReversed { difference.time = time.reversed }
      return tracker.update(difference)
    }
  }
}

extension Timestamp {
  /// The instant on a reversed time axis.
  var reversed: Timestamp {
    Timestamp(nanoseconds: nanoseconds == .min ? .max : -nanoseconds)
  }
}
