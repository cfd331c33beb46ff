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
