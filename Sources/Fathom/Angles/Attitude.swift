import RealModule

/// How a device is held in the world: a rotation as a unit quaternion of Hamilton's kind.
///
/// It takes vectors from the device's frame into the world's, v ↦ q v q*, with i j = k: what ROS,
/// TUM and EuRoC files have as `qw, qx, qy, qz`. A quaternion and its negative are one rotation.
public struct Attitude: Sendable, Hashable {
  /// The real part.
  public let w: Double
  /// The first imaginary part.
  public let x: Double
  /// The second imaginary part.
  public let y: Double
  /// The third imaginary part.
  public let z: Double

  /// Quaternions whose length is farther from 1 are none: they are damaged, or something else.
  public static let lengthTolerance = 0.1

  /// The rotation of a quaternion, which is brought to length 1.
  ///
  /// ## Edge cases
  /// Nil where a number is not finite or the length is not within ``lengthTolerance`` of 1: such as
  /// all zeros, which devices write where they do not know.
  public init?(w: Double, x: Double, y: Double, z: Double) {
    let length = (w * w + x * x + y * y + z * z).squareRoot()
    guard length.isFinite, (length - 1).magnitude <= Self.lengthTolerance else { return nil }
    self.init(normalizing: w, x, y, z)
  }

  /// The turn by `heading` about the vertical, counter-clockwise seen from above.
  public init(heading: Angle) {
    let half = 0.5 * heading
    (w, x, y, z) = (half.cosine, 0, 0, half.sine)
  }

  private init(normalizing w: Double, _ x: Double, _ y: Double, _ z: Double) {
    let length = (w * w + x * x + y * y + z * z).squareRoot()
    (self.w, self.x, self.y, self.z) = (w / length, x / length, y / length, z / length)
  }

  /// The axes x, y and z of the device as columns in the world.
  public var axes: Matrix<3, 3> {
    Matrix([
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])
  }

  /// The attitude on the shortest way to `other`, turned evenly [Shoemake 1985].
  ///
  /// - Parameters:
  ///   - other: where the way ends.
  ///   - share: how much of the way is gone, from 0 to 1.
  /// - Returns: The attitude there. Half a turn apart there are many shortest ways; it is on one.
  public func turned(towards other: Attitude, by share: Double) -> Attitude {
    let product = w * other.w + x * other.x + y * other.y + z * other.z
    // Of the quaternion and its negative the one on this side.
    let side = product < 0 ? -1.0 : 1.0
    let angle = Double.acos(min(1, product.magnitude))
    let sine = Double.sin(angle)
    // Close together the way is straight, and its length is no divisor.
    let (own, others) =
      sine > 1e-6
      ? (Double.sin((1 - share) * angle) / sine, side * .sin(share * angle) / sine)
      : (1 - share, side * share)
    return Attitude(
      normalizing: own * w + others * other.w, own * x + others * other.x,
      own * y + others * other.y, own * z + others * other.z)
  }
}
