/// The Kalman filter of nonlinear models that samples instead of linearising.
///
/// [Julier & Uhlmann 2004; Särkkä 2013, Alg. 5.14]: sigma points are carried through the model, and
/// mean and covariances are those of what they become. No derivative is asked for. All of the
/// curvature of second order is seen, which matters where the estimate is wide beside the distance
/// over which a model bends: ranges close to an anchor.
///
/// The update has the Joseph form of sigma points, a sum of squares,
///
///     P' = Σ w (d - K e) (d - K e)ᵀ + K R Kᵀ
///
/// so that P' is a covariance with every rule that has no negative weight. With a negative central
/// weight the covariance can come out indefinite; the update is then repeated with deviations from
/// the central point.
@frozen
public struct UnscentedKalmanFilter<let N: Int>: Sendable, Equatable {
  /// Which points a measurement sees after a prediction.
  public enum Points: Sendable, Hashable {
    /// New ones, drawn of the predicted mean and covariance, process noise included.
    case redrawn
    /// Those that the prediction moved. They do not know of the process noise, so that the
    /// innovation lacks it: on linear models this is not the Kalman filter. For comparison with
    /// implementations that do so.
    case reused
  }

  /// The present estimate.
  public var state: Gaussian<N> {
    didSet { propagated = nil }
  }
  /// Where the points lie.
  public let rule: SigmaPointRule
  /// Which points a measurement sees.
  public let points: Points
  /// The points that the last prediction moved, while nothing else has changed the estimate.
  @usableFromInline
  var propagated: Propagated?

  /// Points moved by a prediction, and what was added to their covariance.
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

  /// A filter that believes `state` before the first measurement.
  ///
  /// - Parameters:
  ///   - state: mean and covariance.
  ///   - rule: where the points lie; ``SigmaPointRule/cubature(order:)`` unless given, which has no
  ///     negative weight.
  ///   - points: which points a measurement sees.
  @inlinable
  public init(
    state: Gaussian<N>, rule: SigmaPointRule = .cubature(order: N), points: Points = .redrawn
  ) {
    self.state = state
    self.rule = rule
    self.points = points
  }

  /// Moves the estimate forward by `seconds`, which are not negative.
  ///
  /// 2 N + 1 evaluations of the motion and about 2 N³ multiplications; no heap allocation.
  @inlinable
  public mutating func predict<Motion: MotionModel>(
    by motion: Motion, over seconds: Double
  ) where Motion.State == Vector<N>, Motion.Transition == Matrix<N, N> {
    _ = move(by: motion, over: seconds)
  }

  /// Moves the estimate forward, and returns the way back for a smoother.
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

  /// Moves the estimate, and returns the deviations before and after with the noise that was added.
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

  /// Takes in a measurement; nil is none, and changes nothing.
  ///
  /// - Parameters:
  ///   - measurement: the measured numbers.
  ///   - model: how they depend on the state; its derivative is not asked for.
  ///   - noise: R, the covariance of their noise.
  /// - Returns: The innovation, or nil where there was no measurement. 2 N + 1 evaluations of the
  ///   model; no heap allocation.
  /// - Throws: ``FilteringError``; the estimate is unchanged then.
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
