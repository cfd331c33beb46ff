/// The linear Kalman filter over states of `N` and measurements of `M` components.
///
/// A thin mutable wrapper of the pure functions
/// ``Gaussian/predicted(transition:processNoise:offset:)`` and
/// ``Gaussian/conditioned(onResidual:observation:noise:)`` [Kalman 1960; Särkkä 2013, Thm. 4.2].
/// The time step may differ at every prediction: transition and process noise are arguments.
///
/// ```swift
/// var filter = KalmanFilter(
///   state: Gaussian(mean: Vector<2>([0, 0]), covariance: .diagonal(Vector<2>([25, 4]))),
///   observation: Matrix<1, 2>([[1, 0]]), noise: Matrix<1, 1>([[0.01]]))
/// let motion = WhiteNoiseAcceleration(density: 0.5)
/// filter.predict(transition: motion.transition(over: 0.1), processNoise: motion.noise(over: 0.1))
/// let innovation = try filter.update(Vector<1>([3.2]))
/// ```
@frozen
public struct KalmanFilter<let N: Int, let M: Int>: Sendable, Equatable {
  /// The current estimate: predicted after ``predict(transition:processNoise:offset:)``, filtered
  /// after ``update(_:)``.
  public var state: Gaussian<N>
  /// H, M x N: the observation matrix.
  public var observation: Matrix<M, N>
  /// R, M x M: covariance of the measurement noise.
  public var noise: Matrix<M, M>
  /// d, the offset of the expected measurement H x + d.
  public var offset: Vector<M>

  /// Creates a filter with the prior `state`.
  @inlinable
  public init(
    state: Gaussian<N>, observation: Matrix<M, N>, noise: Matrix<M, M>, offset: Vector<M> = .zero
  ) {
    self.state = state
    self.observation = observation
    self.noise = noise
    self.offset = offset
  }

  /// Predicts the estimate over a time step.
  ///
  /// - Parameters:
  ///   - transition: F over the time step.
  ///   - processNoise: Q over the time step.
  ///   - offset: A known increment of the state, such as a control input.
  @inlinable
  @inline(__always)
  public mutating func predict(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) {
    state.predict(transition: transition, processNoise: processNoise, offset: offset)
  }

  /// Predicts the estimate and returns the reversal for a smoother; see ``Reversal``.
  @inlinable
  public mutating func predictReversibly(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) -> Reversal<N> {
    let filtered = state
    state.predict(transition: transition, processNoise: processNoise, offset: offset)
    return Reversal(
      of: filtered, to: state, transition: transition, processNoise: processNoise)
  }

  /// Updates the estimate with a measurement.
  ///
  /// - Parameter measurement: The measurement, or nil when absent.
  /// - Returns: The innovation, or nil without a measurement; the estimate is then unchanged.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func update(
    _ measurement: Vector<M>?
  ) throws(FilteringError) -> Innovation<M>? {
    guard let measurement else { return nil }
    let residual = measurement - observation * state.mean - offset
    return try state.condition(onResidual: residual, observation: observation, noise: noise)
  }

  /// Updates the estimate with a measurement whose components may be absent.
  ///
  /// An absent component is excluded exactly: its row of H becomes zero and its noise independent.
  /// It affects neither the state nor the likelihood.
  ///
  /// - Parameter components: The measured components, nil when absent.
  /// - Returns: The innovation, zero in the absent components; nil when all are absent.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @discardableResult
  public mutating func update(
    components: InlineArray<M, Double?>
  ) throws(FilteringError) -> Innovation<M>? {
    var residual = -offset
    var observation = observation
    var noise = noise
    let expected = observation * state.mean
    var absent = 0
    for row in 0..<M {
      if let component = components[row] {
        residual[row] += component - expected[row]
        continue
      }
      absent += 1
      residual[row] = 0
      for column in 0..<N { observation[row, column] = 0 }
      for other in 0..<M {
        noise[row, other] = 0
        noise[other, row] = 0
      }
      noise[row, row] = 1
    }
    guard absent < M else { return nil }
    var innovation = try state.condition(
      onResidual: residual, observation: observation, noise: noise)
    innovation.components = M - absent
    return innovation
  }
}
