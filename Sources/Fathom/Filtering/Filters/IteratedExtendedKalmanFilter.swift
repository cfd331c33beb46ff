/// The extended Kalman filter whose update is repeated at its own result until it rests.
///
/// The update is the Gauss-Newton method for the most likely state [Bell & Cathey 1993]: with x₀ =
/// m,
///
///     xᵢ₊₁ = m + Kᵢ (z - h(xᵢ) - Hᵢ (m - xᵢ))
///
/// and the covariance is that at the last xᵢ. It pays where a measurement is much more exact than
/// the prediction, such as a range close to its anchor; where it is not, the first step is the
/// last.
///
/// ## Edge cases
/// Gauss-Newton need not converge where the residual stays large; it stops at ``iterations``.
@frozen
public struct IteratedExtendedKalmanFilter<let N: Int>: Sendable, Equatable {
  /// The present estimate.
  public var state: Gaussian<N>
  /// The largest number of linearisations of an update, at least 1.
  public var iterations: Int
  /// The step below which an update rests, in standard deviations of the state it started from.
  public var tolerance: Double

  /// A filter that believes `state` before the first measurement.
  @inlinable
  public init(state: Gaussian<N>, iterations: Int = 10, tolerance: Double = 1e-8) {
    precondition(iterations >= 1, "an update takes at least one step")
    self.state = state
    self.iterations = iterations
    self.tolerance = tolerance
  }

  /// Moves the estimate forward by `seconds`; as ``ExtendedKalmanFilter/predict(by:over:)``.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    state.predict(by: motion, over: seconds)
  }

  /// Takes in a measurement; nil is none, and changes nothing.
  ///
  /// - Returns: The innovation at the prediction, as the filter without iterations has it, or nil
  ///   where there was no measurement. No heap allocation; each step costs an update.
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

  /// Whether no component of `step` exceeds the tolerance.
  @inlinable
  func rests(_ step: Vector<N>) -> Bool {
    for index in 0..<N {
      let variance = state.covariance[index, index]
      if step[index] * step[index] > tolerance * tolerance * variance { return false }
    }
    return true
  }
}
