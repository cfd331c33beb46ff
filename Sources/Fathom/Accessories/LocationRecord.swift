/// The last known distance and direction of an accessory [Qorvo guide].
///
/// Follows the update rules of the published app. In addition, it records the origin of a direction
/// (measured, or derived from a horizontal angle) and whether it is as recent as the distance.
public struct LocationRecord: Sendable, Equatable {
  /// The values that an update changed.
  public enum Change: Sendable, Hashable {
    /// No values: the update contains no distance.
    case none
    /// The distance; the direction is from an earlier update, or still missing.
    case distance
    /// The distance and the direction.
    case distanceAndDirection
  }

  /// The distance in metres; 0 before the first update.
  public private(set) var distance: Float = 0
  /// The direction vector, measured or derived from a horizontal angle; zero before the first.
  public private(set) var vector: SIMD3<Float> = .zero
  /// The origin of ``vector``; nil before the first.
  public private(set) var origin: Direction.Origin?
  /// The elevation relative to the device; changes only together with a horizontal angle.
  public private(set) var elevation: VerticalEstimate = .unknown
  /// The flag of the published app: the distance is new, the direction is from an earlier update.
  ///
  /// An update after convergence without a horizontal angle keeps the flag. **False therefore does
  /// not imply a new direction**; use ``isDirectionCurrent`` instead.
  public private(set) var hasNoUpdate = false
  /// Whether distance and direction come from the same update.
  public private(set) var isDirectionCurrent = false

  /// Creates the record before the first update.
  public init() {}

  /// The direction with its origin; nil before the first.
  ///
  /// It may come from an earlier update than the distance: see ``isDirectionCurrent``.
  public var direction: Direction? {
    origin.flatMap { Direction(reported: vector, origin: $0) }
  }

  /// Processes the first object of an update; the published app uses only this one.
  ///
  /// 1. Without a distance, nothing changes, including the flag.
  /// 2. A direction is stored and clears ``hasNoUpdate``; ``elevation`` stays.
  /// 3. Without a direction, after convergence: the horizontal angle becomes the direction, the
  ///    vertical estimate becomes the elevation, and the flag is cleared. If the angle is absent,
  ///    all three stay.
  /// 4. Without a direction, before convergence: direction and elevation stay, and the flag is set.
  ///
  /// - Parameters:
  ///   - distance: The distance in metres.
  ///   - direction: The measured vector; ahead is -z.
  ///   - horizontalAngle: The horizontal angle in radians, positive to the right.
  ///   - verticalEstimate: The vertical estimate; used only together with the horizontal angle.
  ///   - converged: Whether camera assistance has converged.
  ///
  /// - Returns: The values that changed.
  ///
  /// ## Edge cases
  /// Placeholder values that devices write count as absent, like nil [NI reference]: NaN,
  /// infinities, magnitudes equal to the greatest finite `Float`, a negative distance, the zero
  /// vector. A distance of exactly 0 is valid, because nil represents absence here.
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
