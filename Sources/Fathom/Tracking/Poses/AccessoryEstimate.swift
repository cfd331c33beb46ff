/// How far the position of a standing accessory is determined, and what movement is missing.
///
/// The states are those of Nearby Interaction's camera assistance [NI reference].
public enum AccessoryConvergence: Sendable, Hashable {
  /// There were no poses with ranges yet.
  case unknown
  /// The position, or a part of it, is not determined; the kinds of movement that would help.
  case notConverged([MissingMovement])
  /// Position and height are determined, without a mirror image.
  case converged

  /// A movement of the device that would determine the position of the accessory.
  public enum MissingMovement: String, Sendable, Hashable, CaseIterable, Codable {
    /// The device has hardly moved.
    case movement
    /// The device has moved along a straight line, or hardly across its line of sight to the
    /// accessory: walk sideways, off the line.
    case sidewaysMovement = "sideways_movement"
    /// The device has not moved up and down enough to tell the height of the accessory.
    case verticalMovement = "vertical_movement"
  }

  /// The missing kinds of movement; empty if there are none.
  public var missing: [MissingMovement] {
    if case .notConverged(let missing) = self { missing } else { [] }
  }
}

/// The place of a standing accessory in the world frame of a moving device.
public struct AccessoryEstimate: Sendable, Equatable {
  /// The time of the last range that counted.
  public var time: Timestamp
  /// The position, metres: in the device's world frame as it is at this time.
  public var position: Vector<3>
  /// Covariance of the position, m², if the alternatives are wrong.
  public var covariance: Matrix<3, 3>
  /// Mirror images and other positions that explain the ranges, the likeliest first.
  public var alternatives: [PositionAlternative<3>]
  /// The probability of the position, from 0 to 1; the rest is that of the alternatives.
  public var probability: Double
  /// What is determined.
  public var convergence: AccessoryConvergence

  /// The first alternative, metres; nil without one.
  public var alternative: Vector<3>? { alternatives.first?.position }

  /// Returns the place of the accessory as seen from `pose`.
  public func bearing(from pose: TimedPose) -> AccessoryBearing {
    let offset = position - pose.position
    let level = (offset[0] * offset[0] + offset[1] * offset[1]).squareRoot()
    var result = AccessoryBearing(distance: offset.length, vertical: vertical(from: pose))
    guard let ahead = pose.heading, level > 0 else { return result }
    let unit = Vector<2>(x: offset[0] / level, y: offset[1] / level)
    let angle = FullSphere.azimuth(
      right: ahead[1] * unit[0] - ahead[0] * unit[1], ahead: ahead.dot(unit))
    let across = Vector<3>(x: -unit[1], y: unit[0], z: 0)
    let sigma = max(0, across.dot(covariance * across)).squareRoot() / level
    // Beyond a right angle the accessory may be on any side.
    guard sigma < .pi / 2 else { return result }
    (result.horizontalAngle, result.horizontalSigma) = (angle, Angle(radians: sigma))
    return result
  }

  /// Height differences up to this share of the distance, and up to ``sameHeight``, count as the same.
  private static let sameShare = 0.1
  private static let sameHeight = 0.3

  private func vertical(from pose: TimedPose) -> VerticalEstimate {
    let offset = position - pose.position
    let limit = max(Self.sameHeight, Self.sameShare * offset.length)
    let sigma = max(0, covariance[2, 2]).squareRoot()
    func verdict(_ height: Double, _ sigma: Double) -> VerticalEstimate {
      if height - sigma > limit { return .above }
      if height + sigma < -limit { return .below }
      return height.magnitude + sigma <= 2 * limit ? .same : .unknown
    }
    let own = verdict(offset[2], sigma)
    for other in alternatives {
      let spread = max(0, other.covariance?[2, 2] ?? 0).squareRoot()
      let image = verdict(other.position[2] - pose.position[2], spread)
      if image == own { continue }
      let isOpposite =
        (own == .above && image == .below) || (own == .below && image == .above)
      return isOpposite ? .aboveOrBelow : .unknown
    }
    return own
  }
}

/// The place of an accessory as a device shows it: distance, horizontal angle and a category of height.
public struct AccessoryBearing: Sendable, Equatable {
  /// The distance, metres.
  public var distance: Double
  /// The angle between ahead of the device and the accessory in the horizontal plane, positive to the
  /// right; nil without an attitude, and while it may be anything.
  public var horizontalAngle: Angle?
  /// Standard deviation of that angle.
  public var horizontalSigma: Angle?
  /// Whether the accessory is above or below the device.
  public var vertical: VerticalEstimate
}
