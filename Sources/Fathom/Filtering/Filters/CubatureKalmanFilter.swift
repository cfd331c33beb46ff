/// The Kalman filter of nonlinear models over the 2 N points of the third-degree cubature rule.
///
/// [Arasaratnam & Haykin 2009]: the points lie √N standard deviations from the mean, each with
/// weight 1 / 2N and none at the mean. There is no tuning parameter and no negative weight. It
/// equals ``UnscentedKalmanFilter`` with ``SigmaPointRule/cubature(order:)``.
@frozen
public struct CubatureKalmanFilter<let N: Int>: Sendable, Equatable {
  /// The underlying filter.
  @usableFromInline
  var filter: UnscentedKalmanFilter<N>

  /// Creates a filter with the prior `state`.
  @inlinable
  public init(state: Gaussian<N>) {
    filter = UnscentedKalmanFilter(state: state, rule: .cubature(order: N))
  }

  /// The current estimate.
  @inlinable
  public var state: Gaussian<N> {
    get { filter.state }
    set { filter.state = newValue }
  }

  /// Predicts the estimate `seconds` ahead, like ``UnscentedKalmanFilter/predict(by:over:)``.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    filter.predict(by: motion, over: seconds)
  }

  /// Predicts the estimate and returns the reversal for a smoother.
  @inlinable
  public mutating func predictReversibly<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) -> Reversal<N> where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    filter.predictReversibly(by: motion, over: seconds)
  }

  /// Updates the estimate with a measurement, like ``UnscentedKalmanFilter/update(_:of:noise:)``.
  @inlinable
  @discardableResult
  public mutating func update<let M: Int, Model: MeasurementModel>(
    _ measurement: Vector<M>?, of model: Model, noise: Matrix<M, M>
  ) throws(FilteringError) -> Innovation<M>?
  where Model.State == Vector<N>, Model.Measurement == Vector<M> {
    try filter.update(measurement, of: model, noise: noise)
  }
}
