/// How odometry agrees with the ranges of a tag.
public struct OdometryAgreement: Sendable, Equatable, Codable {
  /// The factor on turns with which it agrees best.
  public var turnFactor: Double
  /// The gain in log-likelihood of the ranges by following it, in nats.
  public var gain: Double
  /// Whether it is used.
  public var isUsed: Bool
}

extension TrackerCalibration {
  /// Returns the same calibration with the odometry that agrees with the ranges, if it does.
  ///
  /// Files differ in which turns are positive, and in whether the distance between two wheels is that
  /// from the middle. Ranges show which it is: of several factors, the one with which a track that
  /// follows the odometry predicts the ranges best is taken, if the odds against 1 are decisive.
  /// Odometry that predicts them worse than the motion of the tag alone is not used: its clock may be
  /// another, or it belongs to another vehicle.
  ///
  /// - Parameters:
  ///   - readings: The readings of the sensors of the tag.
  ///   - ranges: The ranges of the tag, in order of time.
  ///   - anchors: The anchors, as given for the calibration.
  ///   - turnFactors: The factors that turns may have; the first is the usual one.
  ///   - errors: The assumed errors, if the configuration has none.
  /// - Returns: The calibration, with ``odometry`` and the settings for it.
  ///
  /// ## Cost
  /// One pass of a tracker per factor, over at most 3000 ranges and the odometry meanwhile.
  public func withOdometry(
    _ readings: SensorReadings, on ranges: [RangeMeasurement], anchors: [Anchor],
    turnFactors: [Double] = [1, -1], errors: OdometryErrors = OdometryErrors()
  ) -> Self {
    guard !readings.odometry.isEmpty, configuration.isValid(for: anchors) else { return self }
    var result = self
    let stretch = Self.stretch(of: ranges, anchors: anchors)
    let search = Search(
      stretch: stretch, anchors: corrected(anchors), configuration: configuration)
    let without = search.measured(configuration, readings)
    guard without.isFinite else { return self }
    let found = turnFactors.map { factor in
      var candidate = configuration
      var errors = candidate.odometry ?? errors
      errors.turnFactor = factor
      candidate.odometry = errors
      return (configuration: candidate, factor: factor, value: search.measured(candidate, readings))
    }
    guard let usual = found.first, let best = found.max(by: { $0.value < $1.value }) else {
      return self
    }
    let chosen = best.value > usual.value + Self.decisiveEvidence ? best : usual
    let gain = chosen.value - without
    result.odometry = OdometryAgreement(
      turnFactor: chosen.factor, gain: gain, isUsed: gain > 0)
    if gain > 0 { result.configuration = chosen.configuration }
    return result
  }
}
