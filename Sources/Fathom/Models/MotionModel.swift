/// How a state moves by itself: what a filter needs to know between measurements.
///
/// Models are small values, one file each; `State` is a `Vector<N>`, `Transition` a `Matrix<N, N>`.
/// All are discretised exactly where a closed form exists, so that steps may have any length.
public protocol MotionModel: Sendable {
  /// The state, `Vector<N>`.
  associatedtype State
  /// A matrix over states, `Matrix<N, N>`.
  associatedtype Transition

  /// f(x): where a state is after `seconds`, which are not negative, when nothing disturbs it.
  func moved(_ state: State, over seconds: Double) -> State

  /// F: the derivative of ``moved(_:over:)`` by the state.
  func transition(at state: State, over seconds: Double) -> Transition

  /// Q: the covariance of what disturbs the state over `seconds`; symmetric and positive
  /// semi-definite.
  func noise(at state: State, over seconds: Double) -> Transition
}

/// A motion that is linear in the state over every step: x' = F x + w, with F and Q given by
/// closures.
@frozen
public struct LinearMotion<let N: Int>: MotionModel {
  /// F over a step of so many seconds.
  public let transition: @Sendable (Double) -> Matrix<N, N>
  /// Q over a step of so many seconds.
  public let noise: @Sendable (Double) -> Matrix<N, N>

  /// The motion with the given matrices.
  @inlinable
  public init(
    transition: @escaping @Sendable (_ seconds: Double) -> Matrix<N, N>,
    noise: @escaping @Sendable (_ seconds: Double) -> Matrix<N, N>
  ) {
    self.transition = transition
    self.noise = noise
  }

  /// F x.
  @inlinable
  public func moved(_ state: Vector<N>, over seconds: Double) -> Vector<N> {
    transition(seconds) * state
  }

  /// F.
  @inlinable
  public func transition(at state: Vector<N>, over seconds: Double) -> Matrix<N, N> {
    transition(seconds)
  }

  /// Q.
  @inlinable
  public func noise(at state: Vector<N>, over seconds: Double) -> Matrix<N, N> { noise(seconds) }
}

/// States that stay where they are but for a random walk: constant positions, biases, clock
/// offsets.
///
/// F is the identity; Q grows with time, per component by the square of its density.
@frozen
public struct RandomWalkMotion<let N: Int>: MotionModel, Equatable {
  /// Root of the spectral density of the rate of every component, its unit per √s; not negative.
  ///
  /// After a time t a component has wandered by density · √t. Zero keeps it.
  public var densities: Vector<N>

  /// The walk with the given densities.
  @inlinable
  public init(densities: Vector<N>) {
    self.densities = densities
  }

  /// The state itself.
  @inlinable
  public func moved(_ state: Vector<N>, over seconds: Double) -> Vector<N> { state }

  /// The identity.
  @inlinable
  public func transition(at state: Vector<N>, over seconds: Double) -> Matrix<N, N> { .identity }

  /// Q over `seconds`, the same at every state.
  @inlinable
  public func noise(at state: Vector<N>, over seconds: Double) -> Matrix<N, N> {
    var result = Matrix<N, N>.zero
    for index in 0..<N { result[index, index] = densities[index] * densities[index] * seconds }
    return result
  }
}
