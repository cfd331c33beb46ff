import Fathom

extension RecordingSummary {
  /// The place of a standing accessory in the frame of the device's poses.
  public struct Accessory: Sendable, Codable, Equatable {
    /// Name of the device.
    public var tag: String
    /// Name of the accessory.
    public var accessory: String
    /// `converged`, `not_converged` or `unknown`.
    public var convergence: String
    /// The movements that would help: `movement`, `sideways_movement`, `vertical_movement`.
    public var missing: [String]
    /// The position, metres; nil before the first.
    public var positionM: [Double]?
    /// Its covariance, m²: xx, xy, xz, yy, yz, zz.
    public var covarianceM2: [Double]?
    /// The probability of the position among the alternatives.
    public var probability: Double?
    /// The other positions that explain the ranges, metres, the likeliest first.
    public var alternativesM: [[Double]]?
    /// How often the poses jumped, so that the world began anew.
    public var restarts: Int

    /// Creates the summary of `locator` at its end.
    init(tag: String, accessory: String, _ locator: AccessoryLocator) {
      self.tag = tag
      self.accessory = accessory
      convergence =
        switch locator.convergence {
        case .unknown: "unknown"
        case .notConverged: "not_converged"
        case .converged: "converged"
        }
      missing = locator.convergence.missing.map(\.rawValue)
      restarts = locator.restarts
      guard let estimate = locator.estimate else { return }
      positionM = (0..<3).map { estimate.position[$0] }
      covarianceM2 = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map {
        estimate.covariance[$0.0, $0.1]
      }
      probability = estimate.probability
      alternativesM = estimate.alternatives.map { other in (0..<3).map { other.position[$0] } }
    }
  }
}

extension RecordingSummary {
  /// The frame of a tag's poses in that of the anchors, at the last pose.
  ///
  /// A position q of the poses is at t + R q, with the rotation R by the heading about the vertical. It
  /// drifts with the visual odometry.
  public struct PoseFrame: Sendable, Codable, Equatable {
    /// Name of the tag.
    public var tag: String
    /// The heading, counter-clockwise, radians; nil while it is unknown.
    public var headingRad: Double?
    /// Its standard deviation, radians.
    public var headingSigmaRad: Double?
    /// The translation t, metres; nil while the heading is unknown.
    public var translationM: [Double]?
    /// Standard deviations of the position of the last pose among the anchors, metres.
    public var sigmaM: [Double]?
  }
}
