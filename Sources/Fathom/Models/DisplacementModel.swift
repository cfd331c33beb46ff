/// A measured velocity, or the increment that odometry saw over a short span.
///
/// The state's velocity, components 3 to 5, in the frame of `attitude` and times `span`. With a
/// span of 1 s it is a velocity, m/s; with the time since the last reading an increment, metres,
/// whose velocity is taken as that at its end: right to first order in the span.
@frozen
public struct DisplacementModel<let N: Int>: MeasurementModel, Equatable {
  /// The rotation from the world into the frame of the measurement.
  public var attitude: Matrix<3, 3>
  /// How many seconds of velocity are measured, above 0.
  public var span: Double

  /// Velocities, or increments over `span` seconds, in the frame of `attitude`.
  @inlinable
  public init(attitude: Matrix<3, 3> = .identity, span: Double = 1) {
    precondition(N >= 6, "the state has no velocity")
    precondition(span > 0, "the span is not positive")
    self.attitude = attitude
    self.span = span
  }

  /// The increment expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    span * (attitude * Vector([state[3], state[4], state[5]]))
  }

  /// Its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<3, N> {
    var result = Matrix<3, N>.zero
    for row in 0..<3 {
      for axis in 0..<3 { result[row, axis + 3] = span * attitude[row, axis] }
    }
    return result
  }
}
