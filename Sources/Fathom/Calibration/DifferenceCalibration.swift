import RealModule

extension TrackerCalibration {
  /// Number of differences that distinguish motion and noise.
  package static let greatestDifferenceCount = 3000
  /// The factors on density and standard deviation that are searched: errors are correlated in time, so
  /// that the likelihood of a track alone would underestimate them.
  private static let motionFactors = 0.3...40.0
  private static let sigmaFactors = 1.0...100.0

  /// Returns the same calibration with the errors of arrivals and the acceleration density that time
  /// differences show.
  ///
  /// The contradictions of the differences in up to 64 places give the standard deviation of an arrival
  /// and the part of it that lasts. From there on, the values with the largest sum of innovation
  /// log-likelihoods of a tracker are searched; the standard deviation does not fall below.
  ///
  /// - Parameters:
  ///   - differences: The differences of one tag, in order of time.
  ///   - anchors: The anchors.
  ///   - isSigmaKnown: Whether to keep the standard deviation.
  /// - Returns: The calibration; the same one if the differences never start a track.
  ///
  /// ## Cost
  /// At most 3000 differences are tracked some twenty times.
  public func withDifferences(
    _ differences: [TimedDifference], anchors: [Anchor], isSigmaKnown: Bool = false
  ) -> Self {
    guard configuration.isValid(for: anchors) else { return self }
    let stretch = Array(differences.prefix(Self.greatestDifferenceCount))
    let sites = corrected(anchors)
    let residuals = DifferenceResiduals(
      of: differences, anchors: sites, configuration: configuration)
    var start = configuration
    if !isSigmaKnown, let sigma = residuals.sigma {
      start.errors.sigma = max(Self.leastSigma, sigma)
    }
    func measured(_ motion: Double, _ sigma: Double) -> (Double, Tracker.Configuration) {
      var candidate = start
      candidate.usesDifferences = true
      candidate.modes.motion = candidate.modes.motion.scaled(by: motion)
      candidate.errors.sigma *= sigma
      return (Self.logLikelihood(candidate, of: stretch, anchors: sites), candidate)
    }
    var (motion, sigma) = (1.0, 1.0)
    var (value, best) = measured(motion, sigma)
    guard value.isFinite else { return self }
    for step in [Self.step * Self.step, Self.step] {
      var hasGained = true
      while hasGained {
        hasGained = false
        var steps: [(motion: Double, sigma: Double)] = [(step, 1), (1 / step, 1)]
        if !isSigmaKnown { steps += [(1, step), (1, 1 / step)] }
        for factors in steps {
          let (next, other) = (motion * factors.motion, sigma * factors.sigma)
          guard Self.motionFactors.contains(next), Self.sigmaFactors.contains(other) else {
            continue
          }
          let (found, candidate) = measured(next, other)
          guard found > value else { continue }
          (value, best, motion, sigma) = (found, candidate, next, other)
          hasGained = true
        }
      }
    }
    var result = self
    result.configuration = best
    result.configuration.errors.persistentSigma = max(
      configuration.errors.persistentSigma, residuals.persistentSigma)
    result.count = stretch.count
    return result
  }

  /// Returns the sum of the log-likelihoods of `differences` after the start; minus infinity without a
  /// track.
  ///
  /// The inertial data of `readings` are processed meanwhile.
  static func logLikelihood(
    _ configuration: Tracker.Configuration, of differences: [TimedDifference], anchors: [Anchor],
    _ readings: SensorReadings = SensorReadings()
  ) -> Double {
    let (sum, count) = logLikelihoods(configuration, of: differences, anchors: anchors, readings)
    return count > 0 ? sum : -.infinity
  }

  /// Returns the gain in log-likelihood if all differences have the opposite sign, as with exchanged anchors: the
  /// sum, and the mean of a difference; nil for a few differences, or without a track for both signs.
  package static func gainOfOppositeSigns(
    _ configuration: Tracker.Configuration, of differences: [TimedDifference], anchors: [Anchor]
  ) -> (sum: Double, mean: Double)? {
    guard configuration.isValid(for: anchors) else { return nil }
    var configuration = configuration
    configuration.usesDifferences = true
    let stretch = Array(differences.prefix(greatestDifferenceCount))
    let opposite = stretch.map { difference in
      var difference = difference
      difference.difference.negate()
      return difference
    }
    let found = [stretch, opposite].map {
      logLikelihoods(configuration, of: $0, anchors: anchors)
    }
    // A track that was lost has fewer.
    let count = min(found[0].count, found[1].count)
    guard count >= leastSignCount else { return nil }
    let mean = found[1].sum / Double(found[1].count) - found[0].sum / Double(found[0].count)
    return (mean * Double(count), mean)
  }

  /// Number of differences that distinguish their sign from its opposite.
  private static let leastSignCount = 50

  private static func logLikelihoods(
    _ configuration: Tracker.Configuration, of differences: [TimedDifference], anchors: [Anchor],
    _ readings: SensorReadings = SensorReadings()
  ) -> (sum: Double, count: Int) {
    guard let first = differences.first?.time else { return (0, 0) }
    let begin = first.advanced(bySeconds: 2 * configuration.startWindow)
    var tracker = Tracker(among: anchors, validated: configuration)
    var sum = 0.0
    var count = 0
    var sensors = SensorQueue(SensorReadings(inertial: readings.inertial))
    for difference in differences {
      while let reading = sensors.next(upTo: difference.time) { _ = tracker.update(reading) }
      let update = tracker.update(difference)
      guard difference.time > begin, let logLikelihood = update.logLikelihood else { continue }
      sum += logLikelihood
      count += 1
    }
    return (sum, count)
  }
}
