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
