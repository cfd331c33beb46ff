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
