/// A measured position: the first three components of the state, metres.
@frozen
public struct PositionModel<let N: Int>: MeasurementModel, Equatable {
  /// Measurements of the position.
  @inlinable
  public init() { precondition(N >= 3, "the state has no position") }

  /// The position of `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    Vector([state[0], state[1], state[2]])
  }

  /// Its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<3, N> {
    var result = Matrix<3, N>.zero
    for axis in 0..<3 { result[axis, axis] = 1 }
    return result
  }
}
