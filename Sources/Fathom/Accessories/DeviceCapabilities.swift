/// What a phone's ultra-wideband system offers [Qorvo guide].
public struct DeviceCapabilities: OptionSet, Sendable, Hashable {
  /// One bit per capability.
  public let rawValue: UInt8

  /// The capabilities whose bits are set.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Precise distances.
  public static let preciseDistance = Self(rawValue: 1 << 0)
  /// Direction vectors.
  public static let direction = Self(rawValue: 1 << 1)
  /// The camera helps to find a horizontal angle and a vertical estimate.
  public static let cameraAssistance = Self(rawValue: 1 << 2)
  /// Coarse distances.
  public static let coarseDistance = Self(rawValue: 1 << 3)
  /// Fine ranging.
  public static let fineRanging = Self(rawValue: 1 << 4)
  /// Coarse ranging.
  public static let coarseRanging = Self(rawValue: 1 << 5)
  /// Angles of arrival at an antenna array.
  public static let angleOfArrival = Self(rawValue: 1 << 6)
  /// An aperture made by moving the phone.
  public static let syntheticAperture = Self(rawValue: 1 << 7)

  /// iPhone 11, 12 and 13.
  public static let iPhone11To13 = Self(rawValue: .max)
  /// iPhone 14, Pro and Max: no direction vectors.
  public static let iPhone14: Self = [.preciseDistance, .cameraAssistance, .syntheticAperture]

  /// How the vectors of such a device are to be read: the choice of formula in
  /// ``NearbyInteraction/azimuth(of:capability:)`` is this, not whether a vector is there.
  public var directionCapability: DirectionCapability {
    contains(.direction) ? .measured : .horizontalAngleOnly
  }

  /// What an update of a session can bring beside the distance.
  public enum DirectionUpdate: Sendable, Hashable {
    /// Nothing: only the distance is new.
    case none
    /// A measured vector, while the peer is within the cone in front of the device.
    case vector
    /// A horizontal angle and a vertical estimate, which is a category and not an angle.
    case horizontalAngle
  }

  /// What an update can bring beside the distance in a given state of the session.
  ///
  /// - Parameters:
  ///   - converged: whether camera assistance has converged (see ``Convergence``). Matters only to
  ///     devices without direction vectors.
  ///   - inBackground: whether the app runs in the background, where there are only distances.
  ///
  /// - Returns: what to expect; an update may still bring less.
  public func directionUpdate(converged: Bool, inBackground: Bool = false) -> DirectionUpdate {
    if inBackground { return .none }
    if contains(.direction) { return .vector }
    return contains(.cameraAssistance) && converged ? .horizontalAngle : .none
  }
}

/// Whether camera assistance has found the horizontal angle of a peer [Qorvo guide].
public struct Convergence: Sendable, Hashable {
  /// Why it has not.
  public enum Obstacle: String, Sendable, Hashable, CaseIterable {
    /// The phone has to be turned more from side to side.
    case insufficientHorizontalSweep
    /// The phone has to be tilted more up and down.
    case insufficientVerticalSweep
    /// The phone has to be carried around more.
    case insufficientMovement
    /// The camera needs more light.
    case insufficientLighting
  }

  /// What a session reports about it.
  public enum Report: Sendable, Hashable {
    /// Not known.
    case unknown
    /// Not there, for the given reasons.
    case notConverged(Set<Obstacle>)
    /// There.
    case converged
  }

  /// Whether it is there.
  public private(set) var isReached = false

  /// Not converged, as at the start of a session.
  public init() {}

  /// Takes in what the session reports.
  ///
  /// Only ``Report/converged`` sets it, and only reasons with
  /// ``Obstacle/insufficientLighting`` among them clear it; anything else leaves it as it was.
  public mutating func update(_ report: Report) {
    switch report {
    case .converged: isReached = true
    case .notConverged(let obstacles) where obstacles.contains(.insufficientLighting):
      isReached = false
    case .notConverged, .unknown: break
    }
  }
}
