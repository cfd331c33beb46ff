import RealModule

/// A convention for the two angles of a point in a device frame, with their derivatives.
///
/// The device frame has x right, y up and -z ahead, as in ``Direction``.
public enum DirectionConvention: Sendable, Hashable, CaseIterable {
  /// Azimuth about the vertical, positive to the right, over the full circle: ``FullSphere``.
  case fullSphere
  /// Bearing about the vertical, positive to the left [REP-103]: the negated azimuth of
  /// ``FullSphere``.
  case bearing
  /// The cone angle that a horizontal antenna array measures: ``AngleOfArrival``.
  case angleOfArrival

  /// Returns azimuth and elevation of a point in the device frame, radians.
  ///
  /// ## Edge cases
  /// Straight up and down the azimuth is 0 or ±π, as the signs of the zeros decide.
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

  /// Returns the derivative of ``angles(of:)``, 2 x 3, rad/m.
  ///
  /// ## Edge cases
  /// Zero where the derivative does not exist: at the device itself, and for the azimuth straight
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

  /// Returns the signed turn from `expected` to `measured` in the shorter direction, radians.
  @inlinable
  static func turn(from expected: Double, to measured: Double) -> Double {
    Angle(radians: measured).difference(from: Angle(radians: expected)).radians
  }
}

/// The recorded position and attitude of a device, which define the frame of its directions.
@frozen
public struct DevicePose: Sendable, Equatable {
  /// Position of the device in the world, metres.
  public var position: Vector<3>
  /// The rotation from the world into the device frame.
  ///
  /// Its rows are the device's axes in the world: x right, y up, z towards the user (-z is ahead).
  public var attitude: Matrix<3, 3>

  /// Creates the pose of a device at `position` with the given rotation from the world into its
  /// frame.
  @inlinable
  public init(position: Vector<3>, attitude: Matrix<3, 3>) {
    self.position = position
    self.attitude = attitude
  }

  /// Returns the pose of a device that stands upright in the world (z up) and looks along +x.
  @inlinable
  public static func upright(at position: Vector<3>) -> Self {
    Self(position: position, attitude: Matrix([[0, -1, 0], [0, 0, 1], [-1, 0, 0]]))
  }

  /// Returns the position of a state in the device frame.
  @inlinable
  func inDeviceFrame<let N: Int>(_ state: Vector<N>) -> Vector<3> {
    precondition(N >= 3, "the state has no position")
    let offset = Vector<3>([state[0], state[1], state[2]]) - position
    return attitude * offset
  }

  /// Converts derivatives with respect to a position in the device frame into derivatives with
  /// respect to the state.
  @inlinable
  func byState<let M: Int, let N: Int>(_ derivative: Matrix<M, 3>) -> Matrix<M, N> {
    let turned = derivative * attitude
    var result = Matrix<M, N>.zero
    for row in 0..<M {
      for axis in 0..<3 { result[row, axis] = turned[row, axis] }
    }
    return result
  }
}

/// The unit vector from a device of known pose to the position of a state, in the device frame.
///
/// Phones report directions in this form ([NI reference]): three numbers without wrapping and
/// without poles. Their noise is perpendicular to the line of sight. A variance along the line of
/// sight, such as that of an equal R on all three components, adds no information, because the
/// derivative is zero there.
@frozen
public struct DirectionModel<let N: Int>: MeasurementModel, Equatable {
  /// The pose of the device.
  public var device: DevicePose

  /// Creates a model of directions measured by `device`.
  @inlinable
  public init(device: DevicePose) {
    self.device = device
  }

  /// Returns the direction expected at `state`.
  ///
  /// At the device itself, returns the direction of the world's x axis.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    device.attitude * LineOfSight(to: state, from: device.position).direction
  }

  /// Returns the derivative A (I - u uᵀ) / d, 1/m; zero at the device itself.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<3, N> {
    let sight = LineOfSight(to: state, from: device.position)
    guard sight.distance > 0 else { return .zero }
    var result = Matrix<3, N>.zero
    for row in 0..<3 {
      var along = 0.0
      for axis in 0..<3 { along += device.attitude[row, axis] * sight.direction[axis] }
      for axis in 0..<3 {
        let across = device.attitude[row, axis] - along * sight.direction[axis]
        result[row, axis] = across / sight.distance
      }
    }
    return result
  }
}

/// Azimuth and elevation of the position of a state, as measured by a device of known pose.
///
/// Two numbers, radians, in one of the conventions of ``DirectionConvention``. Residuals are
/// wrapped to the shorter direction. For a device that measures only the azimuth, give the
/// elevation a very large variance.
@frozen
public struct AnglesModel<let N: Int>: MeasurementModel, Equatable {
  /// The pose of the device.
  public var device: DevicePose
  /// The convention of the angles.
  public var convention: DirectionConvention

  /// Creates a model of angles measured by `device`.
  @inlinable
  public init(device: DevicePose, convention: DirectionConvention) {
    self.device = device
    self.convention = convention
  }

  /// Returns azimuth and elevation expected at `state`, radians.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<2> {
    convention.angles(of: device.inDeviceFrame(state))
  }

  /// Returns their derivative, rad/m.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<2, N> {
    device.byState(convention.derivative(at: device.inDeviceFrame(state)))
  }

  /// Returns the difference, wrapped to (-π, π].
  @inlinable
  public func residual(of measurement: Vector<2>, from expected: Vector<2>) -> Vector<2> {
    Vector([
      DirectionConvention.turn(from: expected[0], to: measurement[0]),
      DirectionConvention.turn(from: expected[1], to: measurement[1]),
    ])
  }
}

/// Distance, azimuth and elevation of the position of a state, as measured by a device of known
/// pose.
///
/// Three numbers: metres, radians, radians; see ``AnglesModel``.
@frozen
public struct RangeAnglesModel<let N: Int>: MeasurementModel, Equatable {
  /// The model of the two angles.
  public var angles: AnglesModel<N>

  /// Creates a model of ranges and angles measured by `device`.
  @inlinable
  public init(device: DevicePose, convention: DirectionConvention) {
    angles = AnglesModel(device: device, convention: convention)
  }

  /// Returns distance, azimuth and elevation expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    let seen = angles.measurement(at: state)
    let distance = LineOfSight(to: state, from: angles.device.position).distance
    return Vector([distance, seen[0], seen[1]])
  }

  /// Returns their derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<3, N> {
    let sight = LineOfSight(to: state, from: angles.device.position)
    let seen = angles.derivative(at: state)
    var result = Matrix<3, N>.zero
    for axis in 0..<3 {
      result[0, axis] = sight.direction[axis]
      result[1, axis] = seen[0, axis]
      result[2, axis] = seen[1, axis]
    }
    return result
  }

  /// Returns the difference, with the angles wrapped to (-π, π].
  @inlinable
  public func residual(of measurement: Vector<3>, from expected: Vector<3>) -> Vector<3> {
    Vector([
      measurement[0] - expected[0],
      DirectionConvention.turn(from: expected[1], to: measurement[1]),
      DirectionConvention.turn(from: expected[2], to: measurement[2]),
    ])
  }
}
