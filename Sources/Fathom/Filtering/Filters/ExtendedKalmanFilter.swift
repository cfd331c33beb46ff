/// The Kalman filter of nonlinear models, linearised at the present estimate.
///
/// [Särkkä 2013, Alg. 5.4]: the mean moves through the model itself, the covariance through its
/// derivative, and a measurement is taken as linear about the prediction. Any models of the same
/// state may alternate, one call each.
///
/// ```swift
/// var filter = ExtendedKalmanFilter(state: start)
/// filter.predict(by: ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.2), over: 0.1)
/// try filter.update(Vector<1>([7.31]), of: RangeModel(anchor: anchor), noise: Matrix([[0.01]]))
/// ```
///
/// For motions and measurements that are linear it is ``KalmanFilter``.
@frozen
public struct ExtendedKalmanFilter<let N: Int>: Sendable, Equatable {
  /// The present estimate.
  public var state: Gaussian<N>

  /// A filter that believes `state` before the first measurement.
  @inlinable
  public init(state: Gaussian<N>) {
    self.state = state
  }

  /// Moves the estimate forward by `seconds`, which are not negative.
  ///
  /// No heap allocation.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    state.predict(by: motion, over: seconds)
  }

  /// Moves the estimate forward, and returns the way back for a smoother; see ``Reversal``.
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

  /// Takes in a measurement; nil is none, and changes nothing.
  ///
  /// - Parameters:
  ///   - measurement: the measured numbers.
  ///   - model: how they depend on the state.
  ///   - noise: R, the covariance of their noise.
  /// - Returns: The innovation, or nil where there was no measurement. No heap allocation.
  /// - Throws: ``FilteringError``; the estimate is unchanged then.
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
  /// Takes in a range; nil is none, and changes nothing.
  ///
  /// The answers of any other measurement, to rounding, sooner: see
  /// `Gaussian.condition(on:of:noise:)` of a range.
  ///
  /// - Parameters:
  ///   - measurement: the measured distance, metres.
  ///   - model: the anchor.
  ///   - noise: R, the variance of the range, m².
  /// - Returns: The innovation, or nil where there was no measurement. No heap allocation.
  /// - Throws: ``FilteringError``; the estimate is unchanged then.
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
  /// Moves the estimate through a motion linearised at its mean.
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
  ///   - measurement: the measured numbers.
  ///   - model: how they depend on the state.
  ///   - noise: R, the covariance of their noise.
  /// - Returns: The innovation.
  /// - Throws: ``FilteringError``; the estimate is unchanged then.
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
