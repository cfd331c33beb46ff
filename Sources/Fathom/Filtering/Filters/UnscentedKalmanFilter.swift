/// The unscented Kalman filter, which samples nonlinear models instead of linearising them.
///
/// [Julier & Uhlmann 2004; Särkkä 2013, Alg. 5.14]: sigma points are propagated through the model,
/// and mean and covariances are those of their images. No derivative is needed. The second-order
/// terms of the model are captured. They matter when the standard deviation is large relative to
/// the distance over which the model bends, as for ranges close to an anchor.
///
/// The update is a Joseph form over sigma points, a sum of squares,
///
///     P' = Σ w (d - K e) (d - K e)ᵀ + K R Kᵀ
///
/// P' is therefore a covariance for every rule without negative weights. With a negative central
/// weight the covariance can become indefinite. The update is then repeated with deviations from
/// the central point.
@frozen
public struct UnscentedKalmanFilter<let N: Int>: Sendable, Equatable {
  /// The points on which a measurement is evaluated after a prediction.
  public enum Points: Sendable, Hashable {
    /// New points drawn from the predicted mean and covariance, including process noise.
    case redrawn
    /// The points propagated by the prediction.
    ///
    /// They do not contain the process noise, so the innovation covariance lacks it. On linear
    /// models this differs from the Kalman filter. For comparison with implementations that reuse
    /// the points.
    case reused
  }

  /// The current estimate.
  public var state: Gaussian<N> {
    didSet { propagated = nil }
  }
  /// The rule that places the points.
  public let rule: SigmaPointRule
  /// The points on which a measurement is evaluated.
  public let points: Points
  /// The points propagated by the last prediction, until the estimate changes otherwise.
  @usableFromInline
  var propagated: Propagated?

  /// Propagated points with the process noise added to their covariance.
  @usableFromInline
  struct Propagated: Sendable, Equatable {
    @usableFromInline
    var points: SigmaPoints<N>
    @usableFromInline
    var noise: Matrix<N, N>

    @inlinable
    init(points: SigmaPoints<N>, noise: Matrix<N, N>) {
      self.points = points
      self.noise = noise
    }
  }

  /// Creates a filter with the prior `state`.
  ///
  /// - Parameters:
  ///   - state: The prior mean and covariance.
  ///   - rule: The rule that places the points; the default ``SigmaPointRule/cubature(order:)`` has
  ///     no negative weight.
  ///   - points: The points on which a measurement is evaluated.
  @inlinable
  public init(
    state: Gaussian<N>, rule: SigmaPointRule = .cubature(order: N), points: Points = .redrawn
  ) {
    self.state = state
    self.rule = rule
    self.points = points
  }

  /// Predicts the estimate `seconds` ahead, not negative.
  ///
  /// 2 N + 1 evaluations of the motion and about 2 N³ multiplications; no heap allocation.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    _ = move(by: motion, over: seconds)
  }

  /// Predicts the estimate and returns the reversal for a smoother.
  ///
  /// As in [Särkkä 2013, Alg. 9.3], with the covariance as a sum of squares.
  @inlinable
  public mutating func predictReversibly<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) -> Reversal<N> where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    let filtered = state
    let (before, after, noise) = move(by: motion, over: seconds)
    let gain = state.covariance.semidefiniteDivide(before.covariance(with: after))
    return Reversal(
      gain: gain, filtered: filtered.mean, predicted: state.mean,
      covariance: before.less(gain, times: after).covariance + noise.congruent(through: gain))
  }

  /// Predicts the estimate and returns the deviations before and after, with the added process
  /// noise.
  @inlinable
  mutating func move<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) -> (before: SigmaDeviations<N, N>, after: SigmaDeviations<N, N>, noise: Matrix<N, N>)
  where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    let drawn = SigmaPoints(state, rule: rule)
    let noise = motion.noise(at: state.mean, over: seconds)
    var before = drawn.carried(through: { $0 })
    var after = drawn.carried(through: { motion.moved($0, over: seconds) })
    var spread = after.covariance
    if rule.centralCovarianceWeight < 0, !spread.isPositiveSemidefinite {
      before = before.aboutTheCentre()
      after = after.aboutTheCentre()
      spread = after.covariance
    }
    state = Gaussian(mean: after.mean, covariance: spread + noise)
    if points == .reused {
      var moved = drawn
      moved.centre = motion.moved(drawn.centre, over: seconds)
      for point in 0..<N {
        let first = motion.moved(drawn.ahead.row(point), over: seconds)
        let second = motion.moved(drawn.behind.row(point), over: seconds)
        for column in 0..<N {
          moved.ahead[point, column] = first[column]
          moved.behind[point, column] = second[column]
        }
      }
      propagated = Propagated(points: moved, noise: noise)
    }
    return (before, after, noise)
  }

  /// Updates the estimate with a measurement; nil leaves it unchanged.
  ///
  /// - Parameters:
  ///   - measurement: The measurement.
  ///   - model: The measurement model; its derivative is not used.
  ///   - noise: R, the covariance of the measurement noise.
  /// - Returns: The innovation, or nil without a measurement. 2 N + 1 evaluations of the model; no
  ///   heap allocation.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @discardableResult
  public mutating func update<let M: Int, Model: MeasurementModel>(
    _ measurement: Vector<M>?, of model: Model, noise: Matrix<M, M>
  ) throws(FilteringError) -> Innovation<M>?
  where Model.State == Vector<N>, Model.Measurement == Vector<M> {
    guard let measurement else { return nil }
    let drawn = propagated?.points ?? SigmaPoints(state, rule: rule)
    let added = propagated?.noise ?? .zero
    var states = drawn.carried(through: { $0 })
    var seen = drawn.carried(
      through: { model.measurement(at: $0) },
      residual: { model.residual(of: $0, from: $1) })
    let residual = model.residual(of: measurement, from: seen.mean)
    guard residual.isFinite else { throw .notFinite }

    for attempt in 0..<2 {
      let spread = seen.covariance + noise
      guard let root = Cholesky(spread) else {
        if attempt == 0, rule.centralCovarianceWeight < 0 {
          (states, seen) = (states.aboutTheCentre(), seen.aboutTheCentre())
          continue
        }
        throw spread.isFinite ? .indefiniteInnovation : .notFinite
      }
      let cross = states.covariance(with: seen)
      var gain = Matrix<N, M>.zero
      for row in 0..<N {
        let solution = root.solve(cross.row(row))
        for column in 0..<M { gain[row, column] = solution[column] }
      }
      let remainder = states.less(gain, times: seen).covariance
      let noisy = (gain * noise).timesTransposed(gain).symmetrized()
      let posterior = Gaussian(
        mean: state.mean + gain * residual, covariance: remainder + noisy + added)
      if attempt == 0, rule.centralCovarianceWeight < 0,
        !posterior.covariance.isPositiveSemidefinite
      {
        (states, seen) = (states.aboutTheCentre(), seen.aboutTheCentre())
        continue
      }
      guard posterior.isFinite else { throw .notFinite }
      state = posterior
      let whitened = root.forward(residual)
      return Innovation(
        residual: residual, covariance: spread, normalizedSquare: whitened.dot(whitened))
    }
    throw .indefiniteInnovation
  }
}
