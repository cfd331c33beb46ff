/// The last known distance and direction of an accessory [Qorvo guide].
///
/// Follows the rules of the app that its users know, and keeps what those rules forget: whether a
/// direction was measured or made of a horizontal angle, and whether it is as new as the distance.
public struct LocationRecord: Sendable, Equatable {
  /// What an update changed.
  public enum Change: Sendable, Hashable {
    /// Nothing: the update has no distance.
    case none
    /// The distance; the direction is an old one, or there is none yet.
    case distance
    /// Distance and direction.
    case distanceAndDirection
  }

  /// The distance, metres; 0 before the first update.
  public private(set) var distance: Float = 0
  /// The direction vector, as reported or made of a horizontal angle; zeros before the first.
  public private(set) var vector: SIMD3<Float> = .zero
  /// What ``vector`` was made of; nil before the first.
  public private(set) var origin: Direction.Origin?
  /// The height relative to the device; changes only together with a horizontal angle.
  public private(set) var elevation: VerticalEstimate = .unknown
  /// The flag of the source: the distance is new, the direction an old one.
  ///
  /// An update after convergence that lacks its horizontal angle leaves the flag as it was, so that
  /// **false does not promise a new direction**; ``isDirectionCurrent`` does.
  public private(set) var hasNoUpdate = false
  /// Whether the direction belongs to the same update as the distance.
  public private(set) var isDirectionCurrent = false

  /// The record before the first update.
  public init() {}

  /// The direction, which knows its origin; nil before the first.
  ///
  /// May be an old one: see ``isDirectionCurrent``.
  public var direction: Direction? {
    origin.flatMap { Direction(reported: vector, origin: $0) }
  }

  /// Takes in the first object of an update, the only one that counts.
  ///
  /// 1. Without a distance nothing changes, the flag included.
  /// 2. A direction is stored and clears ``hasNoUpdate``; ``elevation`` stays.
  /// 3. Without one, after convergence, the horizontal angle becomes the direction, the vertical
  ///    estimate the elevation, and the flag is cleared; where the angle is absent, all three stay.
  /// 4. Without one, before convergence, direction and elevation stay and the flag is set.
  ///
  /// - Parameters:
  ///   - distance: metres.
  ///   - direction: the measured vector, ahead is -z.
  ///   - horizontalAngle: radians, positive to the right.
  ///   - verticalEstimate: looked at only together with the horizontal angle.
  ///   - converged: whether camera assistance has converged.
  ///
  /// - Returns: what changed.
  ///
  /// ## Edge cases
  /// What devices write in place of a number counts as absent, like nil [NI reference]: NaN,
  /// infinities, magnitudes at the greatest finite `Float`, a negative distance, the zero vector. A
  /// distance of exactly 0 is one, because here absence has a value of its own.
  @discardableResult
  public mutating func update(
    distance: Float?, direction: SIMD3<Float>?, horizontalAngle: Float?,
    verticalEstimate: VerticalEstimate, converged: Bool
  ) -> Change {
    guard
      let distance,
      MeasuredDistance.absence(of: Double(distance), zeroIsDistance: true) == nil
    else { return .none }
    self.distance = distance
    isDirectionCurrent = false

    if let direction, Direction(reported: direction) != nil {
      vector = direction
      origin = .measured
    } else if converged {
      guard let horizontalAngle, horizontalAngle.magnitude < .greatestFiniteMagnitude else {
        return .distance
      }
      vector = NearbyInteraction.direction(fromHorizontalAngle: horizontalAngle)
      origin = .horizontalAngle
      elevation = verticalEstimate
    } else {
      hasNoUpdate = true
      return .distance
    }
    hasNoUpdate = false
    isDirectionCurrent = true
    return .distanceAndDirection
  }
}
