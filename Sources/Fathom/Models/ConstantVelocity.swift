/// A motion model of nearly constant velocity along one axis: the acceleration is white noise.
///
/// State: position (m) and velocity (m/s). The discretisation is exact, so that two short steps
/// give the same distribution as one long step [Bar-Shalom et al. 2001, Sec. 6.2.2]:
///
///     F = | 1 dt |      Q = q² | dt³/3  dt²/2 |
///         | 0  1 |             | dt²/2  dt    |
@frozen
public struct WhiteNoiseAcceleration: MotionModel, Equatable {
  /// q: square root of the spectral density of the acceleration, (m/s²)/√Hz, not negative.
  ///
  /// After a time t the velocity has changed by about q √t m/s. 0.5 suits a walking person or a
  /// small robot, 2 a drone.
  public var density: Double

  /// Creates the model with acceleration noise of `density`, (m/s²)/√Hz.
  @inlinable
  public init(density: Double) {
    self.density = density
  }

  /// Returns F over a step of `seconds`.
  @inlinable
  public func transition(over seconds: Double) -> Matrix<2, 2> {
    Matrix([[1, seconds], [0, 1]])
  }

  /// Returns Q over a step of `seconds`, not negative.
  @inlinable
  public func noise(over seconds: Double) -> Matrix<2, 2> {
    let moments = moments(over: seconds)
    return Matrix([[moments.position, moments.cross], [moments.cross, moments.velocity]])
  }

  /// Returns the elements of Q over a step of `seconds`.
  @inlinable
  func moments(
    over seconds: Double
  ) -> (position: Double, cross: Double, velocity: Double) {
    let power = density * density
    let square = power * seconds * seconds
    return (square * seconds / 3, square / 2, power * seconds)
  }

  /// Returns the state after `seconds` at constant velocity.
  @inlinable
  public func moved(_ state: Vector<2>, over seconds: Double) -> Vector<2> {
    Vector([state[0] + seconds * state[1], state[1]])
  }

  /// Returns F over `seconds`, which does not depend on the state.
  @inlinable
  public func transition(at state: Vector<2>, over seconds: Double) -> Matrix<2, 2> {
    transition(over: seconds)
  }

  /// Returns Q over `seconds`, which does not depend on the state.
  @inlinable
  public func noise(at state: Vector<2>, over seconds: Double) -> Matrix<2, 2> {
    noise(over: seconds)
  }
}

/// A motion model of nearly constant velocity in space: white-noise acceleration on every axis.
///
/// The state has six components: position x, y, z (m), then velocity x, y, z (m/s), in the world
/// frame. The transition consists of whole 3 x 3 blocks, so that a prediction needs no matrix
/// product. The model equals ``WhiteNoiseAcceleration`` applied per axis.
///
/// For a tag of known height, set the variances of z and its velocity and ``verticalDensity`` to
/// zero. The height then stays constant.
@frozen
public struct ConstantVelocity: MotionModel, Equatable, Codable {
  /// Square root of the spectral density of the acceleration along x and y, (m/s²)/√Hz.
  public var horizontalDensity: Double
  /// Square root of the spectral density of the acceleration along z, (m/s²)/√Hz.
  public var verticalDensity: Double

  /// Creates the model with acceleration noise of the given densities, (m/s²)/√Hz, not negative.
  @inlinable
  public init(horizontalDensity: Double, verticalDensity: Double) {
    self.horizontalDensity = horizontalDensity
    self.verticalDensity = verticalDensity
  }

  /// Returns the state after `seconds` at constant velocity.
  @inlinable
  public func moved(_ state: Vector<6>, over seconds: Double) -> Vector<6> {
    var state = state
    for axis in 0..<3 { state[axis] += seconds * state[axis + 3] }
    return state
  }

  /// Returns F over `seconds`, which does not depend on the state.
  @inlinable
  public func transition(at state: Vector<6>, over seconds: Double) -> Matrix<6, 6> {
    var result = Matrix<6, 6>.identity
    for axis in 0..<3 { result[axis, axis + 3] = seconds }
    return result
  }

  /// Returns Q over `seconds`, which does not depend on the state.
  @inlinable
  public func noise(at state: Vector<6>, over seconds: Double) -> Matrix<6, 6> {
    var result = Matrix<6, 6>.zero
    for axis in 0..<3 {
      let density = axis < 2 ? horizontalDensity : verticalDensity
      let moments = WhiteNoiseAcceleration(density: density).moments(over: seconds)
      result[axis, axis] = moments.position
      result[axis, axis + 3] = moments.cross
      result[axis + 3, axis] = moments.cross
      result[axis + 3, axis + 3] = moments.velocity
    }
    return result
  }
}
