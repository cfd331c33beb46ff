/// The Kalman filter of nonlinear models over the 2 N points of the third-degree cubature rule.
///
/// [Arasaratnam & Haykin 2009]: the points lie √N standard deviations from the mean, all with
/// weight 1 / 2N and none at the mean, so that nothing is to be tuned and no weight is negative. It
/// is ``UnscentedKalmanFilter`` with ``SigmaPointRule/cubature(order:)``, under its own name.
@frozen
public struct CubatureKalmanFilter<let N: Int>: Sendable, Equatable {
  /// The filter that does the work.
  @usableFromInline
  var filter: UnscentedKalmanFilter<N>

  /// A filter that believes `state` before the first measurement.
  @inlinable
  public init(state: Gaussian<N>) {
    filter = UnscentedKalmanFilter(state: state, rule: .cubature(order: N))
  }

  /// The present estimate.
  @inlinable
  public var state: Gaussian<N> {
    get { filter.state }
    set { filter.state = newValue }
  }

  /// Moves the estimate forward by `seconds`; as ``UnscentedKalmanFilter/predict(by:over:)``.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    filter.predict(by: motion, over: seconds)
  }

  /// Moves the estimate forward, and returns the way back for a smoother.
  @inlinable
  public mutating func predictReversibly<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) -> Reversal<N> where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    filter.predictReversibly(by: motion, over: seconds)
  }

  /// Takes in a measurement; as ``UnscentedKalmanFilter/update(_:of:noise:)``.
  @inlinable
  @discardableResult
  public mutating func update<let M: Int, Model: MeasurementModel>(
    _ measurement: Vector<M>?, of model: Model, noise: Matrix<M, M>
  ) throws(FilteringError) -> Innovation<M>?
  where Model.State == Vector<N>, Model.Measurement == Vector<M> {
    try filter.update(measurement, of: model, noise: noise)
  }
}
