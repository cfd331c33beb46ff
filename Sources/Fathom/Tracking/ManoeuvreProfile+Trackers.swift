/// Creates the profile from a forward and a backward tracker.
extension ManoeuvreProfile {
  /// Creates the profile of `ranges`, in order of time, from trackers with one configuration.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag, thinned.
  ///   - readings: The heights and odometry of the tag, for the forward tracker.
  ///   - interruptions: The times after which the tag may be anywhere, in order.
  ///   - anchors: The anchors.
  ///   - configuration: The configuration of both trackers.
  init(
    _ ranges: [RangeMeasurement], sensors readings: SensorReadings = SensorReadings(),
    interruptions: [Timestamp], anchors: [Anchor], configuration: Tracker.Configuration
  ) {
    var configuration = configuration
    // They widen covariances only, which the profile does not have.
    configuration.errors.lastingSigma = 0
    configuration.errors.remainingBiasSigma = 0
    var forward = Tracker(among: anchors, validated: configuration)
    var cursor = SensorCursor(readings)
    let hasSensors = !readings.isEmpty
    var heading: Double?
    var odds: [Double] = []
    var indices: [Int] = []
    var next = 0
    // The first point of the present ambiguity.
    var opened = 0
    for (index, range) in ranges.enumerated() {
      while next < interruptions.count, interruptions[next] <= range.time {
        forward.interrupt()
        next += 1
      }
      if hasSensors { cursor.advance(upTo: range.time, &forward) }
      let wasAmbiguous = forward.ambiguity != nil
      let switches = forward.sideSwitch.count
      let update = forward.update(
        distance: range.distance, sigma: range.sigma, anchor: range.anchor, at: range.time)
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
      guard update.moved, let estimate = forward.estimate(at: range.time) else { continue }
      indices.append(index)
      odds.append(Self.odds(forward))
      if let found = forward.mixture.odometryHeading {
        // The branch next to the last one.
        heading = found + (heading.map { (($0 - found) / (2 * .pi)).rounded() * 2 * .pi } ?? 0)
      }
      points.append(
        Point(
          time: range.time, position: estimate.position, velocity: estimate.velocity,
          processNoiseRatio: 1, isAmbiguous: forward.ambiguity != nil, heading: heading))
    }
    // The smoother models survey errors itself. Small residuals beside them do not reduce the
    // factor.
    let factor = forward.rangeFactor
    covarianceFactor = forward.errors.anchorSurveyVariance > 0 ? max(1, factor) : factor
    bias = forward.bias?.value ?? 0
    scale = forward.scale?.value ?? 0

    (configuration.heights, configuration.odometry) = (nil, nil)
    var backward = Tracker(among: anchors, validated: configuration)
    var behind = interruptions.count - 1
    var later = [Double](repeating: 1, count: ranges.count)
    for (index, range) in ranges.enumerated().reversed() {
      while behind >= 0, interruptions[behind] > range.time {
        backward.interrupt()
        behind -= 1
      }
      _ = backward.update(
        distance: range.distance, sigma: range.sigma, anchor: range.anchor, at: range.time.reversed)
      later[index] = Self.odds(backward)
    }
    let modes = configuration.modes
    for (place, index) in indices.enumerated() {
      let product = odds[place] * later[index]
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

extension Timestamp {
  /// The instant on a reversed time axis.
  fileprivate var reversed: Timestamp {
    Timestamp(nanoseconds: nanoseconds == .min ? .max : -nanoseconds)
  }
}
