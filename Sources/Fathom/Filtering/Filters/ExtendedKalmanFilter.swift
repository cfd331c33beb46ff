/// The extended Kalman filter: nonlinear models, linearised at the current estimate.
///
/// [Särkkä 2013, Alg. 5.4]: the mean moves through the model itself and the covariance through its
/// derivative. A measurement is linearised at the prediction. Different models of the same state
/// may alternate, one per call.
///
/// ```swift
/// var filter = ExtendedKalmanFilter(state: start)
/// filter.predict(by: ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.2), over: 0.1)
/// try filter.update(Vector<1>([7.31]), of: RangeModel(anchor: anchor), noise: Matrix([[0.01]]))
/// ```
///
/// For linear motions and measurements it equals ``KalmanFilter``.
@frozen
public struct ExtendedKalmanFilter<let N: Int>: Sendable, Equatable {
  /// The current estimate.
  public var state: Gaussian<N>

  /// Creates a filter with the prior `state`.
  @inlinable
  public init(state: Gaussian<N>) {
    self.state = state
  }

  /// Predicts the estimate `seconds` ahead, not negative.
  ///
  /// No heap allocation.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    state.predict(by: motion, over: seconds)
  }

  /// Predicts the estimate and returns the reversal for a smoother; see ``Reversal``.
  @inlinable
  public mutating func predictReversibly<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) -> Reversal<N> where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    let filtered = state
    state.predict(by: motion, over: seconds)
    return Reversal(
      of: filtered, to: state, transition: motion.transition(at: filtered.mean, over: seconds),
      processNoise: motion.noise(at: filtered.mean, over: seconds))
  }

  /// Updates the estimate with a measurement; nil leaves it unchanged.
  ///
  /// - Parameters:
  ///   - measurement: The measurement.
  ///   - model: The measurement model.
  ///   - noise: R, the covariance of the measurement noise.
  /// - Returns: The innovation, or nil without a measurement. No heap allocation.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @discardableResult
  public mutating func update<let M: Int, Model: MeasurementModel>(
    _ measurement: Vector<M>?, of model: Model, noise: Matrix<M, M>
  ) throws(FilteringError) -> Innovation<M>?
  where
    Model.State == Vector<N>, Model.Measurement == Vector<M>, Model.Derivative == Matrix<M, N>
  {
    guard let measurement else { return nil }
    return try state.condition(on: measurement, of: model, noise: noise)
  }
}

extension ExtendedKalmanFilter where N == 6 {
  /// Updates the estimate with a range; nil leaves it unchanged.
  ///
  /// Returns the result of the general update, to rounding, at lower latency: see
  /// `Gaussian.condition(on:of:noise:)` of a range.
  ///
  /// - Parameters:
  ///   - measurement: The measured distance, metres.
  ///   - model: The range model of the anchor.
  ///   - noise: R, the variance of the range, m².
  /// - Returns: The innovation, or nil without a measurement. No heap allocation.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func update(
    _ measurement: Vector<1>?, of model: RangeModel, noise: Matrix<1, 1>
  ) throws(FilteringError) -> Innovation<1>? {
    guard let measurement else { return nil }
    return try state.condition(on: measurement, of: model, noise: noise)
  }
}

extension Gaussian {
  /// Predicts the estimate through a motion linearised at its mean.
  ///
  /// [Särkkä 2013, Eq. 5.26]. No heap allocation.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    let moved = motion.moved(mean, over: seconds)
    predict(
      transition: motion.transition(at: mean, over: seconds),
      processNoise: motion.noise(at: mean, over: seconds))
    mean = moved
  }

  /// Conditions the estimate on a measurement linearised at its mean.
  ///
  /// [Särkkä 2013, Eq. 5.27]. No heap allocation.
  ///
  /// - Parameters:
  ///   - measurement: The measurement.
  ///   - model: The measurement model.
  ///   - noise: R, the covariance of the measurement noise.
  /// - Returns: The innovation.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @discardableResult
  public mutating func condition<let M: Int, Model: MeasurementModel>(
    on measurement: Vector<M>, of model: Model, noise: Matrix<M, M>
  ) throws(FilteringError) -> Innovation<M>
  where
    Model.State == Vector<N>, Model.Measurement == Vector<M>, Model.Derivative == Matrix<M, N>
  {
    try condition(
      onResidual: model.residual(of: measurement, from: model.measurement(at: mean)),
      observation: model.derivative(at: mean), noise: noise)
  }
}
