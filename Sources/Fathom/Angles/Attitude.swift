import RealModule

/// The attitude of a device in the world: a rotation as a Hamilton unit quaternion.
///
/// It rotates vectors from the device frame into the world frame, v ↦ q v q*, with i j = k. ROS,
/// TUM and EuRoC files use the same convention for `qw, qx, qy, qz`. A quaternion and its negative
/// are the same rotation.
public struct Attitude: Sendable, Hashable {
  /// The real part.
  public let w: Double
  /// The first imaginary part.
  public let x: Double
  /// The second imaginary part.
  public let y: Double
  /// The third imaginary part.
  public let z: Double

  /// The largest accepted deviation of a quaternion's length from 1; larger ones indicate damaged
  /// data.
  public static let lengthTolerance = 0.1

  /// Creates the rotation of a quaternion, which is normalised.
  ///
  /// ## Edge cases
  /// Returns nil when a component is not finite or the length differs from 1 by more than
  /// ``lengthTolerance``. This includes all zeros, which devices write for "unknown".
  public init?(w: Double, x: Double, y: Double, z: Double) {
    let length = (w * w + x * x + y * y + z * z).squareRoot()
    guard length.isFinite, (length - 1).magnitude <= Self.lengthTolerance else { return nil }
    self.init(normalizing: w, x, y, z)
  }

  /// Creates the rotation by `heading` about the vertical, counter-clockwise seen from above.
  public init(heading: Angle) {
    let half = 0.5 * heading
    (w, x, y, z) = (half.cosine, 0, 0, half.sine)
  }

  private init(normalizing w: Double, _ x: Double, _ y: Double, _ z: Double) {
    let length = (w * w + x * x + y * y + z * z).squareRoot()
    (self.w, self.x, self.y, self.z) = (w / length, x / length, y / length, z / length)
  }

  /// The axes x, y and z of the device as columns, in the world frame.
  public var axes: Matrix<3, 3> {
    Matrix([
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])
  }

  /// Returns an attitude on the shortest rotation to `other`, at constant rate [Shoemake 1985].
  ///
  /// - Parameters:
  ///   - other: The attitude at fraction 1.
  ///   - share: The fraction of the rotation, from 0 to 1.
  /// - Returns: The interpolated attitude. Half a turn apart there are many shortest rotations; the
  ///   result lies on one of them.
  public func turned(towards other: Attitude, by share: Double) -> Attitude {
    let product = w * other.w + x * other.x + y * other.y + z * other.z
    // Of the quaternion and its negative, the one in the same hemisphere.
    let side = product < 0 ? -1.0 : 1.0
    let angle = Double.acos(min(1, product.magnitude))
    let sine = Double.sin(angle)
    // For small angles interpolate linearly, because the sine is too small to divide by.
    let (own, others) =
      sine > 1e-6
      ? (Double.sin((1 - share) * angle) / sine, side * .sin(share * angle) / sine)
      : (1 - share, side * share)
    return Attitude(
      normalizing: own * w + others * other.w, own * x + others * other.x,
      own * y + others * other.y, own * z + others * other.z)
  }
}
