/// How inertial data agree with the ranges of a tag.
public struct InertialAgreement: Sendable, Equatable, Codable {
  /// The factor on the acceleration with which they agree best.
  public var accelerationFactor: Double
  /// The noise of the acceleration with which they agree best, in (m/s²)/√Hz.
  public var accelerationNoise: Double
  /// The gain in log-likelihood of the ranges by following them, in nats.
  public var gain: Double
  /// Whether they are used.
  public var isUsed: Bool
}

extension TrackerCalibration {
  /// The noises of the acceleration that are tried, as steps of a factor of two from the assumed one.
  private static let steps = -5...4

  /// Returns the same calibration with inertial data that agree with the ranges, if they do.
  ///
  /// Files differ in whether the acceleration at rest points up or down. Ranges show which it is, and
  /// how much a sensor shakes: the sign and the noise with which a track predicts the ranges best are
  /// taken. Inertial data that predict them worse than the motion of the tag alone are not used: their
  /// clock may be another, or their axes may be left-handed.
  ///
  /// - Parameters:
  ///   - readings: The readings of the sensors of the tag.
  ///   - ranges: The ranges of the tag, in order of time; without any, the time differences of
  ///     `readings` take their place.
  ///   - anchors: The anchors, as given for the calibration.
  /// - Returns: The calibration, with ``inertial`` and the settings for it; unchanged if it uses
  ///   odometry.
  ///
  /// ## Cost
  /// Some six passes of a tracker over at most 3000 ranges or time differences, and the inertial
  /// data meanwhile.
  public func withInertial(
    _ readings: SensorReadings, on ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> Self {
    guard !readings.inertial.isEmpty, configuration.odometry == nil,
      configuration.isValid(for: anchors)
    else { return self }
    let sites = corrected(anchors)
    let search = Search(
      stretch: Self.stretch(of: ranges, anchors: anchors), anchors: sites,
      configuration: configuration)
    let differences = Array(readings.differences.prefix(Self.greatestDifferenceCount))
    func measured(_ configuration: Tracker.Configuration) -> Double {
      ranges.isEmpty
        ? Self.logLikelihood(configuration, of: differences, anchors: sites, readings)
        : search.measured(configuration, readings)
    }
    let without = measured(configuration)
    guard without.isFinite else { return self }
    let given = configuration.inertial ?? InertialErrors()
    func tried(_ factor: Double, noise: Int) -> (errors: InertialErrors, value: Double) {
      var errors = given
      errors.accelerationFactor = factor
      errors.accelerationNoise *= Double(sign: .plus, exponent: noise, significand: 1)
      var candidate = configuration
      candidate.inertial = errors
      return (errors, measured(candidate))
    }
    let (up, down) = (tried(1, noise: 0), tried(-1, noise: 0))
    var best = down.value > up.value + Self.decisiveEvidence ? down : up
    let factor = best.errors.accelerationFactor
    for direction in [1, -1] {
      var step = direction
      while Self.steps.contains(step) {
        let next = tried(factor, noise: step)
        guard next.value > best.value else { break }
        best = next
        step += direction
      }
    }
    let gain = best.value - without
    var result = self
    result.inertial = InertialAgreement(
      accelerationFactor: factor, accelerationNoise: best.errors.accelerationNoise, gain: gain,
      isUsed: gain > 0)
    if gain > 0 { result.configuration.inertial = best.errors }
    return result
  }
}
