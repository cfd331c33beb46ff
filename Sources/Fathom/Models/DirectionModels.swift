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

/// Where a device is and how it is held, as it was recorded: the frame of directions.
@frozen
public struct DevicePose: Sendable, Equatable {
  /// Position of the device in the world, metres.
  public var position: Vector<3>
  /// The rotation from the world into the device frame: its rows are the device's axes in the
  /// world, x right, y up, z towards the user (ahead is -z).
  public var attitude: Matrix<3, 3>

  /// A device at `position` with the given rotation from the world into its frame.
  @inlinable
  public init(position: Vector<3>, attitude: Matrix<3, 3>) {
    self.position = position
    self.attitude = attitude
  }

  /// The device frame of one that stands upright in the world (z up) and looks along +x.
  @inlinable
  public static func upright(at position: Vector<3>) -> Self {
    Self(position: position, attitude: Matrix([[0, -1, 0], [0, 0, 1], [-1, 0, 0]]))
  }

  /// The position of a state in the device frame.
  @inlinable
  func inDeviceFrame<let N: Int>(_ state: Vector<N>) -> Vector<3> {
    precondition(N >= 3, "the state has no position")
    let offset = Vector<3>([state[0], state[1], state[2]]) - position
    return attitude * offset
  }

  /// Derivatives by a position in the device frame turned into derivatives by the state.
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

/// The direction, as a vector of length 1 in the frame of a device of known pose, of the position
/// of a state.
///
/// What phones report ([NI reference]): three numbers without wrapping and without poles. Their
/// noise lies across the line of sight; a variance along it too, as of an equal R on all three,
/// adds no information, since the derivative has no part there.
@frozen
public struct DirectionModel<let N: Int>: MeasurementModel, Equatable {
  /// Where the device is and how it is held.
  public var device: DevicePose

  /// Directions seen by `device`.
  @inlinable
  public init(device: DevicePose) {
    self.device = device
  }

  /// The direction expected at `state`; that of the world's x axis at the device itself.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    device.attitude * LineOfSight(to: state, from: device.position).direction
  }

  /// Its derivative A (I - u uᵀ) / d, 1/m; zero at the device itself.
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

/// Azimuth and elevation under which a device of known pose sees the position of a state.
///
/// Two numbers, radians, in one of the conventions of ``DirectionConvention``. Residuals go the
/// shorter way round. Of a device that measures only the azimuth, give the elevation a huge
/// variance.
@frozen
public struct AnglesModel<let N: Int>: MeasurementModel, Equatable {
  /// Where the device is and how it is held.
  public var device: DevicePose
  /// What its angles mean.
  public var convention: DirectionConvention

  /// Angles seen by `device`.
  @inlinable
  public init(device: DevicePose, convention: DirectionConvention) {
    self.device = device
    self.convention = convention
  }

  /// Azimuth and elevation expected at `state`, radians.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<2> {
    convention.angles(of: device.inDeviceFrame(state))
  }

  /// Their derivative, rad/m.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<2, N> {
    device.byState(convention.derivative(at: device.inDeviceFrame(state)))
  }

  /// The difference by the shorter way round.
  @inlinable
  public func residual(of measurement: Vector<2>, from expected: Vector<2>) -> Vector<2> {
    Vector([
      DirectionConvention.turn(from: expected[0], to: measurement[0]),
      DirectionConvention.turn(from: expected[1], to: measurement[1]),
    ])
  }
}

/// Distance, azimuth and elevation under which a device of known pose sees the position of a state.
///
/// Three numbers: metres, radians, radians; see ``AnglesModel``.
@frozen
public struct RangeAnglesModel<let N: Int>: MeasurementModel, Equatable {
  /// The angles.
  public var angles: AnglesModel<N>

  /// Range and angles measured by `device`.
  @inlinable
  public init(device: DevicePose, convention: DirectionConvention) {
    angles = AnglesModel(device: device, convention: convention)
  }

  /// Distance, azimuth and elevation expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    let seen = angles.measurement(at: state)
    let distance = LineOfSight(to: state, from: angles.device.position).distance
    return Vector([distance, seen[0], seen[1]])
  }

  /// Their derivative.
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

  /// The difference, of the angles by the shorter way round.
  @inlinable
  public func residual(of measurement: Vector<3>, from expected: Vector<3>) -> Vector<3> {
    Vector([
      measurement[0] - expected[0],
      DirectionConvention.turn(from: expected[1], to: measurement[1]),
      DirectionConvention.turn(from: expected[2], to: measurement[2]),
    ])
  }
}
