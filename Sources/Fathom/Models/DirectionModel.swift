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
