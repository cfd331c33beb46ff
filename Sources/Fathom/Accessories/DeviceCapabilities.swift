/// The capabilities of a phone's ultra-wideband system [Qorvo guide].
public struct DeviceCapabilities: OptionSet, Sendable, Hashable {
  /// One bit per capability.
  public let rawValue: UInt8

  /// Creates the set of capabilities with the given bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Precise distances.
  public static let preciseDistance = Self(rawValue: 1 << 0)
  /// Direction vectors.
  public static let direction = Self(rawValue: 1 << 1)
  /// Camera assistance, which provides a horizontal angle and a vertical estimate.
  public static let cameraAssistance = Self(rawValue: 1 << 2)
  /// Coarse distances.
  public static let coarseDistance = Self(rawValue: 1 << 3)
  /// Fine ranging.
  public static let fineRanging = Self(rawValue: 1 << 4)
  /// Coarse ranging.
  public static let coarseRanging = Self(rawValue: 1 << 5)
  /// Angles of arrival at an antenna array.
  public static let angleOfArrival = Self(rawValue: 1 << 6)
  /// A synthetic aperture formed by moving the phone.
  public static let syntheticAperture = Self(rawValue: 1 << 7)

  /// iPhone 11, 12 and 13.
  public static let iPhone11To13 = Self(rawValue: .max)
  /// iPhone 14, Pro and Max: no direction vectors.
  public static let iPhone14: Self = [.preciseDistance, .cameraAssistance, .syntheticAperture]

  /// How to read the direction vectors of the device.
  ///
  /// Pass this value to ``NearbyInteraction/azimuth(of:capability:)``. The device selects the
  /// formula, even in an update without a vector.
  public var directionCapability: DirectionCapability {
    contains(.direction) ? .measured : .horizontalAngleOnly
  }

  /// The direction data that an update of a session can contain beside the distance.
  public enum DirectionUpdate: Sendable, Hashable {
    /// Distance only.
    case none
    /// A measured vector, while the peer is within the cone in front of the device.
    case vector
    /// A horizontal angle and a vertical estimate; the estimate is a category, not an angle.
    case horizontalAngle
  }

  /// Returns the direction data to expect in an update for a given state of the session.
  ///
  /// - Parameters:
  ///   - converged: Whether camera assistance has converged (see ``Convergence``). Only relevant
  ///     for devices without direction vectors.
  ///   - inBackground: Whether the app runs in the background, where updates contain only
  ///     distances.
  ///
  /// - Returns: The direction data to expect; an update may contain less.
  public func directionUpdate(converged: Bool, inBackground: Bool = false) -> DirectionUpdate {
    if inBackground { return .none }
    if contains(.direction) { return .vector }
    return contains(.cameraAssistance) && converged ? .horizontalAngle : .none
  }
}

/// The convergence state of camera assistance for a peer [Qorvo guide].
///
/// Camera assistance has converged when it has found the horizontal angle of the peer.
public struct Convergence: Sendable, Hashable {
  /// A reason why camera assistance has not converged.
  public enum Obstacle: String, Sendable, Hashable, CaseIterable {
    /// The phone must be swept further from side to side.
    case insufficientHorizontalSweep
    /// The phone must be swept further up and down.
    case insufficientVerticalSweep
    /// The phone must be moved further.
    case insufficientMovement
    /// The camera needs more light.
    case insufficientLighting
  }

  /// The convergence status that a session reports.
  public enum Status: Sendable, Hashable {
    /// The state is unknown.
    case unknown
    /// Not converged, for the given reasons.
    case notConverged(Set<Obstacle>)
    /// Converged.
    case converged
  }

  /// Whether camera assistance has converged.
  public private(set) var isReached = false

  /// Creates the state at the start of a session: not converged.
  public init() {}

  /// Processes a convergence status of the session.
  ///
  /// ``Status/converged`` sets the state. A status of ``Status/notConverged(_:)`` clears it only if
  /// its reasons include ``Obstacle/insufficientLighting``. All others keep the state.
  public mutating func update(_ status: Status) {
    switch status {
    case .converged: isReached = true
    case .notConverged(let obstacles) where obstacles.contains(.insufficientLighting):
      isReached = false
    case .notConverged, .unknown: break
    }
  }
}
