/// A setting of a tracker, smoother or locator with which it cannot work.
public enum ConfigurationError: Error, Sendable, Equatable {
  /// A setting is not a number, or is outside its interval.
  ///
  /// `name` is the property of the configuration, such as ``TrackerConfiguration``, or of ``Anchor``;
  /// `allowed` is its interval in the unit of the property.
  case outOfRange(name: String, value: Double, allowed: ClosedRange<Double>)
  /// The same for a setting of the anchor of an index.
  case anchorOutOfRange(anchor: Int, name: String, value: Double, allowed: ClosedRange<Double>)
  /// The bounds are no box: a lower coordinate is above the upper one, or one is not a number.
  case emptyBounds
  /// The standard deviation of the height is set without a height.
  case heightSigmaWithoutHeight
}

extension ConfigurationError: CustomStringConvertible {
  /// A sentence with the setting, its value and what is allowed.
  public var description: String {
    switch self {
    case .outOfRange(let name, let value, let allowed):
      "\(name) is \(value); it must be from \(allowed.lowerBound) to \(allowed.upperBound)"
    case .anchorOutOfRange(let anchor, let name, let value, let allowed):
      "\(name) of anchor \(anchor) is \(value); it must be from \(allowed.lowerBound) to"
        + " \(allowed.upperBound)"
    case .emptyBounds: "bounds is no box: a lower coordinate is above the upper one"
    case .heightSigmaWithoutHeight: "heightSigma is set, but there is no height"
    }
  }
}

extension ConfigurationError {
  /// A setting or a coordinate with its interval.
  typealias NamedNumber = (name: String, value: Double?, allowed: ClosedRange<Double>)

  /// The intervals of valid settings, in the units of the settings.
  enum Interval {
    /// A coordinate: the Earth, with a margin.
    static let coordinate = -1e9...1e9
    /// A standard deviation of a length, from the tick of any clock on.
    static let sigma = 1e-6...1e9
    static let optionalSigma = 0.0...1e9
    static let time = 1e-3...1e9
    static let optionalTime = 0.0...1e9
    static let share = 0.0...1.0
    static let density = 0.0...1e6
    static let ratio = 1.0...1e3
    static let scaleSigma = 0.0...1.0
    static let rate = 0.0...1e6
    static let freedom = 0.1...Double.infinity
    static let speed = 1e-6...1e6
    static let angle = 1e-9...Double.pi
    static let scale = 1e-6...1e6
    static let turnFactor = -10.0...10.0
  }

  /// Throws for the first setting with a value outside of its interval.
  static func check(_ settings: [NamedNumber]) throws(ConfigurationError) {
    for (name, value, allowed) in settings {
      if let value, !allowed.contains(value) {
        throw .outOfRange(name: name, value: value, allowed: allowed)
      }
    }
  }

  /// Throws unless `bounds` are a box; nil is valid.
  static func check(_ bounds: PositionBounds<3>?) throws(ConfigurationError) {
    guard let bounds else { return }
    for axis in 0..<3 where !(bounds.lower[axis] <= bounds.upper[axis]) { throw .emptyBounds }
  }

  /// Throws for the first number of an anchor outside of its interval.
  static func check(_ anchors: [Anchor]) throws(ConfigurationError) {
    for (index, anchor) in anchors.enumerated() {
      let settings: [NamedNumber] = [
        ("position.x", anchor.position[0], Interval.coordinate),
        ("position.y", anchor.position[1], Interval.coordinate),
        ("position.z", anchor.position[2], Interval.coordinate),
        ("positionSigma", anchor.positionSigma, Interval.optionalSigma),
        ("heightSigma", anchor.heightSigma, Interval.sigma),
        ("bias", anchor.bias, Interval.coordinate), ("scale", anchor.scale, Interval.scale),
      ]
      for (name, value, allowed) in settings {
        if let value, !allowed.contains(value) {
          throw .anchorOutOfRange(anchor: index, name: name, value: value, allowed: allowed)
        }
      }
    }
  }
}

extension TrackerConfiguration {
  /// Returns whether ``validate(for:)`` does not throw.
  func isValid(for anchors: [Anchor]) -> Bool { (try? validate(for: anchors)) != nil }

  /// Throws if a tracker or smoother among `anchors` cannot work with these settings.
  ///
  /// - Parameter anchors: The anchors.
  /// - Throws: The first setting that is invalid.
  public func validate(for anchors: [Anchor]) throws(ConfigurationError) {
    typealias Interval = ConfigurationError.Interval
    try ConfigurationError.check([
      ("modes.motion.horizontalDensity", modes.motion.horizontalDensity, Interval.density),
      ("modes.motion.verticalDensity", modes.motion.verticalDensity, Interval.density),
      ("modes.processNoiseRatio", modes.processNoiseRatio, Interval.ratio),
      ("modes.switchingRate", modes.switchingRate, Interval.rate),
      ("errors.sigma", errors.sigma, Interval.sigma),
      ("errors.correlatedShare", errors.correlatedShare, Interval.share),
      ("errors.correlationTime", errors.correlationTime, Interval.time),
      ("errors.repetitionTime", errors.repetitionTime, Interval.optionalTime),
      ("errors.commonModeSigma", errors.commonModeSigma, Interval.optionalSigma),
      ("errors.commonModeTime", errors.commonModeTime, Interval.time),
      ("errors.biasSigma", errors.biasSigma, Interval.optionalSigma),
      ("errors.scaleSigma", errors.scaleSigma, Interval.scaleSigma),
      ("errors.persistentSigma", errors.persistentSigma, Interval.optionalSigma),
      ("errors.remainingBiasSigma", errors.remainingBiasSigma, Interval.optionalSigma),
      ("errors.degreesOfFreedom", errors.degreesOfFreedom, Interval.freedom),
      ("height", height, Interval.coordinate),
      ("heightSigma", heightSigma, Interval.sigma),
      ("headingSigma", headingSigma?.radians, Interval.angle),
      ("heights.sigma", heights?.sigma, Interval.sigma),
      ("heights.persistentShare", heights?.persistentShare, Interval.share),
      ("heights.offsetSigma", heights?.offsetSigma, Interval.optionalSigma),
      ("heights.driftDensity", heights?.driftDensity, Interval.optionalSigma),
      ("odometry.distanceNoise", odometry?.distanceNoise, Interval.optionalSigma),
      ("odometry.scaleSigma", odometry?.scaleSigma, Interval.share),
      ("odometry.headingNoise", odometry?.headingNoise, Interval.optionalSigma),
      ("odometry.turnNoise", odometry?.turnNoise, Interval.share),
      ("odometry.driftSigma", odometry?.driftSigma, Interval.optionalSigma),
      ("odometry.turnFactor", odometry?.turnFactor, Interval.turnFactor),
      ("odometry.slipRate", odometry?.slipRate, Interval.rate),
      ("odometry.slipTime", odometry?.slipTime, Interval.time),
      ("inertial.accelerationNoise", inertial?.accelerationNoise, Interval.sigma),
      ("inertial.levelSigma", inertial?.levelSigma, Interval.optionalSigma),
      ("inertial.levellingTime", inertial?.levellingTime, Interval.time),
      ("inertial.headingNoise", inertial?.headingNoise, Interval.optionalSigma),
      ("inertial.accelerationFactor", inertial?.accelerationFactor, Interval.turnFactor),
      ("startWindow", startWindow, Interval.time),
      ("startVelocitySigma", startVelocitySigma, Interval.speed),
      ("coastAfter", coastAfter, Interval.optionalTime),
      ("longestGap", longestGap, Interval.time),
      ("clockStep", clockStep, Interval.optionalTime),
    ])
    if heightSigma != nil, height == nil { throw .heightSigmaWithoutHeight }
    try ConfigurationError.check(bounds)
    try ConfigurationError.check(anchors)
  }
}
