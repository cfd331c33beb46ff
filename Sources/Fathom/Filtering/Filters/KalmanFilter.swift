/// The linear Kalman filter over states of `N` and measurements of `M` numbers.
///
/// A thin mutable shell around the pure kernels
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
  /// The present estimate: predicted after ``predict(transition:processNoise:offset:)``, filtered
  /// after ``update(_:)``.
  public var state: Gaussian<N>
  /// H, M x N: what of the state is measured.
  public var observation: Matrix<M, N>
  /// R, M x M: covariance of the measurement noise.
  public var noise: Matrix<M, M>
  /// d, added to H x to give the expected measurement.
  public var offset: Vector<M>

  /// A filter that believes `state` before the first measurement.
  @inlinable
  public init(
    state: Gaussian<N>, observation: Matrix<M, N>, noise: Matrix<M, M>, offset: Vector<M> = .zero
  ) {
    self.state = state
    self.observation = observation
    self.noise = noise
    self.offset = offset
  }

  /// Moves the estimate forward in time.
  ///
  /// - Parameters:
  ///   - transition: F over the time step.
  ///   - processNoise: Q over the time step.
  ///   - offset: what is added to the state, such as a known control.
  @inlinable
  @inline(__always)
  public mutating func predict(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) {
    state.predict(transition: transition, processNoise: processNoise, offset: offset)
  }

  /// Moves the estimate forward, and returns the way back for a smoother; see ``Reversal``.
  @inlinable
  public mutating func predictReversibly(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) -> Reversal<N> {
    let filtered = state
    state.predict(transition: transition, processNoise: processNoise, offset: offset)
    return Reversal(
      of: filtered, to: state, transition: transition, processNoise: processNoise)
  }

  /// Takes in a measurement.
  ///
  /// - Parameter measurement: the measured numbers, or nil where there was no measurement.
  /// - Returns: The innovation, or nil where there was no measurement; the estimate is unchanged
  ///   then.
  /// - Throws: ``FilteringError``; the estimate is unchanged then.
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

  /// Takes in a measurement of which single components may be absent.
  ///
  /// An absent component is taken out of the update exactly: its row of H becomes zero and its
  /// noise independent, so that it neither moves the state nor counts in the likelihood.
  ///
  /// - Parameter components: the measured numbers, nil where one was not measured.
  /// - Returns: The innovation, zero in the absent components; nil where all are absent.
  /// - Throws: ``FilteringError``; the estimate is unchanged then.
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
