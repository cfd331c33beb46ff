/// A motion model: the transition of a state over time and its process noise.
///
/// `State` is a `Vector<N>`, `Transition` a `Matrix<N, N>`. All models are discretised exactly
/// where a closed form exists, so that steps may have any length.
public protocol MotionModel: Sendable {
  /// The state, `Vector<N>`.
  associatedtype State
  /// A matrix over states, `Matrix<N, N>`.
  associatedtype Transition

  /// Returns f(x), the state after `seconds` (not negative) without disturbance.
  func moved(_ state: State, over seconds: Double) -> State

  /// Returns F, the derivative of ``moved(_:over:)`` with respect to the state.
  func transition(at state: State, over seconds: Double) -> Transition

  /// Returns Q, the covariance of the process noise over `seconds`, symmetric and positive
  /// semi-definite.
  func noise(at state: State, over seconds: Double) -> Transition
}

/// A motion that is linear in the state over every step: x' = F x + w, with F and Q given by
/// closures.
@frozen
public struct LinearMotion<let N: Int>: MotionModel {
  /// F as a function of the step, seconds.
  public let transition: @Sendable (Double) -> Matrix<N, N>
  /// Q as a function of the step, seconds.
  public let noise: @Sendable (Double) -> Matrix<N, N>

  /// Creates the motion with the given matrices.
  @inlinable
  public init(
    transition: @escaping @Sendable (_ seconds: Double) -> Matrix<N, N>,
    noise: @escaping @Sendable (_ seconds: Double) -> Matrix<N, N>
  ) {
    self.transition = transition
    self.noise = noise
  }

  /// Returns F x.
  @inlinable
  public func moved(_ state: Vector<N>, over seconds: Double) -> Vector<N> {
    transition(seconds) * state
  }

  /// Returns F.
  @inlinable
  public func transition(at state: Vector<N>, over seconds: Double) -> Matrix<N, N> {
    transition(seconds)
  }

  /// Returns Q.
  @inlinable
  public func noise(at state: Vector<N>, over seconds: Double) -> Matrix<N, N> { noise(seconds) }
}

/// A motion model for constants with a random walk: fixed positions, biases, clock offsets.
///
/// F is the identity. Q grows linearly with time, by the square of the density per component.
@frozen
public struct RandomWalkMotion<let N: Int>: MotionModel, Equatable {
  /// Square root of the spectral density of the rate of every component, its unit per √s; not
  /// negative.
  ///
  /// After a time t a component has changed by about density · √t. Zero keeps it constant.
  public var densities: Vector<N>

  /// Creates the random walk with the given densities.
  @inlinable
  public init(densities: Vector<N>) {
    self.densities = densities
  }

  /// Returns the state unchanged.
  @inlinable
  public func moved(_ state: Vector<N>, over seconds: Double) -> Vector<N> { state }

  /// Returns the identity.
  @inlinable
  public func transition(at state: Vector<N>, over seconds: Double) -> Matrix<N, N> { .identity }

  /// Returns Q over `seconds`, which does not depend on the state.
  @inlinable
  public func noise(at state: Vector<N>, over seconds: Double) -> Matrix<N, N> {
    var result = Matrix<N, N>.zero
    for index in 0..<N { result[index, index] = densities[index] * densities[index] * seconds }
    return result
  }
}
