import RealModule

/// Two angles of a point in a device frame and their derivatives, in a named convention.
///
/// x right, y up, ahead is -z, as everywhere in ``Direction``.
public enum DirectionConvention: Sendable, Hashable, CaseIterable {
  /// Azimuth about the vertical, positive to the right, over the full circle: ``FullSphere``.
  case fullSphere
  /// Bearing about the vertical, positive to the left, as robots count [REP-103]: the azimuth of
  /// ``FullSphere`` with the other sign.
  case bearing
  /// The cone angle of a horizontal antenna array: ``AngleOfArrival``.
  case angleOfArrival

  /// Azimuth and elevation of a point in the device frame, radians.
  ///
  /// ## Edge cases
  /// Straight up and down the azimuth is 0, or what the signs of the zeros make of it.
  public func angles(of point: Vector<3>) -> Vector<2> {
    let (x, y, z) = (point[0], point[1], point[2])
    let elevation = Double.atan2(y: y, x: .hypot(x, z))
    switch self {
    case .fullSphere: return Vector([.atan2(y: x, x: -z), elevation])
    case .bearing: return Vector([-.atan2(y: x, x: -z), elevation])
    case .angleOfArrival:
      let front = Double.atan2(y: x, x: .hypot(y, z))
      guard z > 0 else { return Vector([front, elevation]) }
      return Vector([front < 0 ? -.pi - front : .pi - front, elevation])
    }
  }

  /// The derivative of ``angles(of:)``, 2 x 3, rad/m.
  ///
  /// ## Edge cases
  /// Zero where the derivative does not exist: at the device itself, and of the azimuth straight
  /// above and below it.
  public func derivative(at point: Vector<3>) -> Matrix<2, 3> {
    let (x, y, z) = (point[0], point[1], point[2])
    let square = x * x + y * y + z * z
    let level = x * x + z * z
    guard square > 0 else { return .zero }
    var result = Matrix<2, 3>.zero
    let radius = level.squareRoot()
    result[1, 1] = radius / square
    if radius > 0 {
      result[1, 0] = -x * y / (radius * square)
      result[1, 2] = -z * y / (radius * square)
    }
    switch self {
    case .fullSphere, .bearing:
      guard level > 0 else { return result }
      let sign = self == .fullSphere ? 1.0 : -1.0
      result[0, 0] = -sign * z / level
      result[0, 2] = sign * x / level
    case .angleOfArrival:
      let depth = (y * y + z * z).squareRoot()
      guard depth > 0 else { return result }
      let sign = z > 0 ? -1.0 : 1.0
      result[0, 0] = sign * depth / square
      result[0, 1] = -sign * x * y / (depth * square)
      result[0, 2] = -sign * x * z / (depth * square)
    }
    return result
  }

  /// The turn from `expected` to `measured` by the shorter way, of both angles.
  @inlinable
  static func turn(from expected: Double, to measured: Double) -> Double {
    Angle(radians: measured).difference(from: Angle(radians: expected)).radians
  }
}
