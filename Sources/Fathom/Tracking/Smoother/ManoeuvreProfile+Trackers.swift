/// Creates the profile from a forward and a backward tracker.
extension ManoeuvreProfile {
  /// Creates the profile of `ranges`, in order of time, from trackers with one configuration.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag, thinned.
  ///   - readings: The time differences of the tag, and its other sensors, which are for the forward
  ///     tracker.
  ///   - interruptions: The times after which the tag may be anywhere, in order.
  ///   - anchors: The anchors.
  ///   - configuration: The configuration of both trackers.
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
    // The first point of the present ambiguity.
    var opened = 0
    order.forEach { number, place in
      let time = order.time(of: place)
      while next < interruptions.count, interruptions[next] <= time {
        forward.interrupt()
        next += 1
      }
      while hasSensors, let reading = sensors.next(upTo: time) { _ = forward.update(reading) }
      let wasAmbiguous = forward.ambiguity != nil
      let switches = forward.sideSwitch.count
      let update = order.update(&forward, with: place)
      if forward.sideSwitch.count > switches, let mirror = forward.sideSwitch.mirror {
        // The later ranges show that the track was on the other side.
        for place in points[opened...].indices {
          points[place].position = mirror.image(of: points[place].position)
          points[place].velocity = mirror.image(ofVelocity: points[place].velocity)
        }
      }
      if let ambiguity = forward.ambiguity {
        mirror = ambiguity
        if !wasAmbiguous { opened = points.count }
      } else if wasAmbiguous {
        for place in points[opened...].indices { points[place].isAmbiguous = false }
      }
      guard update.moved, let estimate = forward.estimate(at: time) else { return }
      numbers.append(number)
      odds.append(Self.odds(forward))
      if let found = forward.mixture.odometryHeading ?? forward.mixture.levelHeading {
        // The branch next to the last one.
        heading = found + (heading.map { (($0 - found) / (2 * .pi)).rounded() * 2 * .pi } ?? 0)
      }
      points.append(
        Point(
          time: time, position: estimate.position, velocity: estimate.velocity,
          processNoiseRatio: 1, isAmbiguous: forward.ambiguity != nil, heading: heading,
          inertialDensity: forward.mixture.inertialDensity,
          isSlipping: forward.mixture.isSlipping))
    }
    // The smoother models survey errors itself. Small residuals beside them do not reduce the
    // factor.
    let factor = forward.rangeFactor
    covarianceFactor = forward.errors.anchorSurveyVariance > 0 ? max(1, factor) : factor
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
