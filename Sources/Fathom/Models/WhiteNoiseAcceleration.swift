/// Motion at nearly constant velocity along one axis: the acceleration is white noise.
///
/// State: position (m) and velocity (m/s). Discretised exactly, so that two short steps give the
/// same distribution as one long one [Bar-Shalom et al. 2001, Sec. 6.2.2]:
///
///     F = | 1 dt |      Q = q² | dt³/3  dt²/2 |
///         | 0  1 |             | dt²/2  dt    |
@frozen
public struct WhiteNoiseAcceleration: MotionModel, Equatable {
  /// q: root of the spectral density of the acceleration, (m/s²)/√Hz, not negative.
  ///
  /// After a time t the velocity has wandered by about q √t m/s: 0.5 suits a walking person or a
  /// small robot, 2 a drone.
  public var density: Double

  /// The model with acceleration noise of `density`, (m/s²)/√Hz.
  @inlinable
  public init(density: Double) {
    self.density = density
  }

  /// F over a step of `seconds`.
  @inlinable
  public func transition(over seconds: Double) -> Matrix<2, 2> {
    Matrix([[1, seconds], [0, 1]])
  }

  /// Q over a step of `seconds`, not negative.
  @inlinable
  public func noise(over seconds: Double) -> Matrix<2, 2> {
    let moments = moments(over: seconds)
    return Matrix([[moments.position, moments.cross], [moments.cross, moments.velocity]])
  }

  /// The elements of Q over a step of `seconds`.
  @inlinable
  func moments(
    over seconds: Double
  ) -> (position: Double, cross: Double, velocity: Double) {
    let power = density * density
    let square = power * seconds * seconds
    return (square * seconds / 3, square / 2, power * seconds)
  }

  /// Where a state is after `seconds` at its velocity.
  @inlinable
  public func moved(_ state: Vector<2>, over seconds: Double) -> Vector<2> {
    Vector([state[0] + seconds * state[1], state[1]])
  }

  /// F over `seconds`, the same at every state.
  @inlinable
  public func transition(at state: Vector<2>, over seconds: Double) -> Matrix<2, 2> {
    transition(over: seconds)
  }

  /// Q over `seconds`, the same at every state.
  @inlinable
  public func noise(at state: Vector<2>, over seconds: Double) -> Matrix<2, 2> {
    noise(over: seconds)
  }
}
