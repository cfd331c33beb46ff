/// A measured height: the third component of the state, metres, as of a barometer or a known floor.
@frozen
public struct HeightModel<let N: Int>: MeasurementModel, Equatable {
  /// Measurements of the height.
  @inlinable
  public init() { precondition(N >= 3, "the state has no height") }

  /// The height of `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<1> { Vector(repeating: state[2]) }

  /// Its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<1, N> {
    var result = Matrix<1, N>.zero
    result[0, 2] = 1
    return result
  }
}
