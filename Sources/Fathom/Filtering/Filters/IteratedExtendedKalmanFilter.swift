/// The iterated extended Kalman filter, which relinearises each update at its result until
/// convergence.
///
/// The update is the Gauss-Newton method for the most likely state [Bell & Cathey 1993]: with x₀ =
/// m,
///
///     xᵢ₊₁ = m + Kᵢ (z - h(xᵢ) - Hᵢ (m - xᵢ))
///
/// and the covariance is that at the last xᵢ. The iteration helps when a measurement is much more
/// accurate than the prediction, such as a range close to its anchor. Otherwise the first step
/// already converges.
///
/// ## Edge cases
/// Gauss-Newton may fail to converge for large residuals; it stops after ``iterations`` steps.
@frozen
public struct IteratedExtendedKalmanFilter<let N: Int>: Sendable, Equatable {
  /// The current estimate.
  public var state: Gaussian<N>
  /// The maximum number of linearisations per update, at least 1.
  public var iterations: Int
  /// The convergence threshold of a step, in prior standard deviations of the state.
  public var tolerance: Double

  /// Creates a filter with the prior `state`.
  @inlinable
  public init(state: Gaussian<N>, iterations: Int = 10, tolerance: Double = 1e-8) {
    precondition(iterations >= 1, "iterations is less than 1")
    self.state = state
    self.iterations = iterations
    self.tolerance = tolerance
  }

  /// Predicts the estimate `seconds` ahead, like ``ExtendedKalmanFilter/predict(by:over:)``.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    state.predict(by: motion, over: seconds)
  }

  /// Updates the estimate with a measurement; nil leaves it unchanged.
  ///
  /// - Returns: The innovation at the prediction, equal to that of the filter without iterations,
  ///   or nil without a measurement. No heap allocation; each step costs an update.
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
    var posterior = state
    let innovation = try posterior.condition(on: measurement, of: model, noise: noise)
    for _ in 1..<max(iterations, 1) {
      let point = posterior.mean
      let observation = model.derivative(at: point)
      let residual = model.residual(of: measurement, from: model.measurement(at: point))
      posterior = state
      try posterior.condition(
        onResidual: residual - observation * (state.mean - point), observation: observation,
        noise: noise)
      if rests(posterior.mean - point) { break }
    }
    state = posterior
    return innovation
  }

  /// Returns whether no component of `step` exceeds the tolerance.
  @inlinable
  func rests(_ step: Vector<N>) -> Bool {
    for index in 0..<N {
      let variance = state.covariance[index, index]
      if step[index] * step[index] > tolerance * tolerance * variance { return false }
    }
    return true
  }
}
