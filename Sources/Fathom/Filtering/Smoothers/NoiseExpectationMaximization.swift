import RealModule

/// An estimator of process and measurement noise from the measurements, by expectation maximisation
/// (EM).
///
/// [Dempster, Laird & Rubin 1977; Shumway & Stoffer 1982]. The E step uses a filter and a smoother
/// to compute the expected squared disturbances of state and measurements under the current noise.
/// The M step computes in closed form the noise that best explains these disturbances, whose
/// likelihood is never lower. EM converges slowly, so every second pass extrapolates [Varadhan &
/// Roland 2008], unless this reduces the likelihood. The estimated parameters are two factors. λ
/// multiplies the covariance Q of the motion; for models of white acceleration it is the square of
/// the factor on their density. ρ multiplies the covariance R of the measurements:
///
///     λ' = Σ E[tr(Q⁺ w wᵀ)] / Σ rank Q        ρ' = Σ E[tr(R⁻¹ v vᵀ)] / Σ M
///
/// with Q and R as given. The disturbances come from the backward recursion for the adjoint of the
/// state [Koopman 1993], which inverts only the innovation covariance. It is equivalent to the
/// Rauch-Tung-Striebel smoother with its lag-one covariances, which would be lost to rounding over
/// short steps.
///
/// Nonlinear models are linearised as in ``ExtendedKalmanFilter``; the likelihood then rises up to
/// changes of the linearisation.
///
/// ```swift
/// let search = NoiseExpectationMaximization<6, 1>(prior: start)
/// let found = try search.maximized(steps, by: motion) { RangeModel(anchor: anchors[$0]) }
/// let density = motion.horizontalDensity * found.motionFactor.squareRoot()
/// ```
public struct NoiseExpectationMaximization<let N: Int, let M: Int>: Sendable {
  /// One instant with its optional measurement.
  public typealias Step = IteratedSmoother<N, M>.Step

  /// The estimated factors and their convergence.
  public struct Estimate: Sendable, Equatable {
    /// λ: the factor on Q.
    public var motionFactor: Double
    /// ρ: the factor on R.
    public var measurementFactor: Double
    /// The log-likelihood of the measurements at the start of each pass, followed by that of the
    /// final factors.
    public var logLikelihoods: [Double]
    /// Whether the last pass changed no factor by more than the tolerance.
    public var isConverged: Bool
  }

  /// The estimate before the first step.
  public var prior: Gaussian<N>
  /// The maximum number of passes, at least 1; a pass whose extrapolation is rejected filters
  /// twice.
  public var passes: Int
  /// The relative change of the factors below which the search has converged.
  public var tolerance: Double

  /// Creates a search over runs that begin with `prior`.
  ///
  /// - Parameters:
  ///   - prior: The estimate before the first step.
  ///   - passes: The maximum number of passes, at least 1.
  ///   - tolerance: The relative change of the factors below which the search has converged.
  public init(prior: Gaussian<N>, passes: Int = 200, tolerance: Double = 1e-4) {
    precondition(passes >= 1, "the number of passes is less than 1")
    self.prior = prior
    self.passes = passes
    self.tolerance = tolerance
  }

  /// Returns the factors that maximise the likelihood of the measurements.
  ///
  /// - Parameters:
  ///   - steps: The steps in time order; R of each is its ``IteratedSmoother/Step/noise``.
  ///   - motion: The motion model, with the Q to be scaled.
  ///   - model: The measurement model of a step, counted from 0.
  /// - Returns: The factors and their convergence; 1 for an unobservable factor, such as λ without
  ///   any step of positive duration or ρ without measurements. Allocates some arrays of the length
  ///   of `steps`; a pass costs about as much as filter and smoother.
  /// - Throws: ``FilteringError`` of the first update that fails.
  public func maximized<Motion: MotionModel, Model: MeasurementModel>(
    _ steps: [Step], by motion: Motion, of model: (_ step: Int) -> Model
  ) throws(FilteringError) -> Estimate
  where
    Motion.State == Vector<N>, Motion.Transition == Matrix<N, N>, Model.State == Vector<N>,
    Model.Measurement == Vector<M>, Model.Derivative == Matrix<M, N>
  {
    var search = SquaredExtrapolation(from: Vector<2>.zero, reach: Self.reach)
    var isConverged = false
    var traces: [Trace] = []
    traces.reserveCapacity(steps.count)
    for _ in 0..<passes where !isConverged {
      var factors = Self.factors(search.next)
      // The filter may fail at an extrapolated point, which counts as a rejection.
      let leapt =
        search.isLeaping ? try? filter(steps, motion, model, factors, into: &traces) : nil
      let logLikelihood: Double
      if let leapt, search.accepts(leapt) {
        logLikelihood = leapt
      } else {
        search.fallBack()
        factors = Self.factors(search.next)
        logLikelihood = try filter(steps, motion, model, factors, into: &traces)
      }
      let growth = Self.growth(of: factors, traces)
      isConverged = max(abs(growth.motion - 1), abs(growth.measurement - 1)) < tolerance
      let change = Vector<2>([.log(growth.motion), .log(growth.measurement)])
      search.advance(to: search.next + change, value: logLikelihood)
    }
    let factors = Self.factors(search.image)
    let logLikelihood = try filter(steps, motion, model, factors, into: &traces)
    return Estimate(
      motionFactor: factors.motion, measurementFactor: factors.measurement,
      logLikelihoods: search.values + [logLikelihood], isConverged: isConverged)
  }

  /// λ and ρ.
  private typealias Factors = (motion: Double, measurement: Double)

  /// Returns the factors with the given logarithms.
  private static func factors(_ logarithms: Vector<2>) -> Factors {
    (.exp(logarithms[0]), .exp(logarithms[1]))
  }

  /// The largest change of a factor's natural logarithm in one extrapolation.
  private static var reach: Double { 5 }

  /// The quantities of a step that the backward recursion needs.
  private struct Trace {
    var transition: Matrix<N, N>
    /// Q as given.
    var motionNoise: Matrix<N, N>
    /// The number of state components that Q disturbs.
    var rank: Int
    var update: Update?
  }

  /// The quantities of an update that the backward recursion needs.
  private struct Update {
    /// H.
    var observation: Matrix<M, N>
    /// R as given.
    var noise: Matrix<M, M>
    /// S⁻¹.
    var inverse: Matrix<M, M>
    /// S⁻¹ y.
    var residual: Vector<M>
    /// K.
    var gain: Matrix<N, M>
  }

  /// Runs the filter with the given factors and returns the log-likelihood.
  private func filter<Motion: MotionModel, Model: MeasurementModel>(
    _ steps: [Step], _ motion: Motion, _ model: (Int) -> Model, _ factors: Factors,
    into traces: inout [Trace]
  ) throws(FilteringError) -> Double
  where
    Motion.State == Vector<N>, Motion.Transition == Matrix<N, N>, Model.State == Vector<N>,
    Model.Measurement == Vector<M>, Model.Derivative == Matrix<M, N>
  {
    traces.removeAll(keepingCapacity: true)
    var state = prior
    var logLikelihood = 0.0
    for (index, step) in steps.enumerated() {
      let origin = state.mean
      let transition = motion.transition(at: origin, over: step.seconds)
      let noise = motion.noise(at: origin, over: step.seconds)
      state.predict(transition: transition, processNoise: factors.motion * noise)
      state.mean = motion.moved(origin, over: step.seconds)
      var trace = Trace(
        transition: transition, motionNoise: noise, rank: noise.semidefiniteRank())
      if let measurement = step.measurement {
        let sensor = model(index)
        let observation = sensor.derivative(at: state.mean)
        let residual = sensor.residual(
          of: measurement, from: sensor.measurement(at: state.mean))
        let cross = state.covariance.timesTransposed(observation)
        let innovation = try state.condition(
          onResidual: residual, observation: observation,
          noise: factors.measurement * step.noise)
        guard let root = Cholesky(innovation.covariance) else { throw .indefiniteInnovation }
        let inverse = root.inverse()
        logLikelihood += innovation.logLikelihood
        trace.update = Update(
          observation: observation, noise: step.noise, inverse: inverse,
          residual: root.solve(residual), gain: cross * inverse)
      }
      traces.append(trace)
    }
    return logLikelihood
  }

  /// Returns the factors' growth in one pass, by the backward recursion through `traces`.
  ///
  /// With u and D the adjoint of a measurement and its covariance, and r and Λ those of the state,
  /// E[tr(R⁻¹ v vᵀ)] = ρ M + ρ² (uᵀ R u - tr R D), and similarly for the motion. The smoothed state
  /// would be m + P r with the covariance P - P Λ P.
  private static func growth(of factors: Factors, _ traces: [Trace]) -> Factors {
    var adjoint = Vector<N>.zero
    var spread = Matrix<N, N>.zero
    var (motionSum, measurementSum) = (0.0, 0.0)
    var (motionCount, measurementCount) = (0, 0)
    for trace in traces.reversed() {
      if let update = trace.update {
        let back = update.gain.transposed()
        let pull = update.residual - back * adjoint
        let pullSpread = update.inverse + (back * spread) * update.gain
        measurementSum += pull.dot(update.noise * pull) - update.noise.traceOfProduct(pullSpread)
        measurementCount += M
        let kept = Matrix<N, N>.identity - update.gain * update.observation
        let observed = update.observation.transposed()
        adjoint += observed * pull
        spread =
          ((observed * update.inverse) * update.observation
          + (kept.transposed() * spread) * kept).symmetrized()
      }
      motionSum +=
        adjoint.dot(trace.motionNoise * adjoint) - trace.motionNoise.traceOfProduct(spread)
      motionCount += trace.rank
      let carried = trace.transition.transposed()
      adjoint = carried * adjoint
      spread = ((carried * spread) * trace.transition).symmetrized()
    }
    return (
      growth(of: factors.motion, by: motionSum, count: motionCount),
      growth(of: factors.measurement, by: measurementSum, count: measurementCount)
    )
  }

  /// Returns the growth of a factor whose `count` disturbances have the given sum.
  ///
  /// The mean square of a disturbance is positive; the lower bound keeps it positive after
  /// rounding.
  private static func growth(of factor: Double, by sum: Double, count: Int) -> Double {
    count > 0 ? max(1e-3, 1 + factor * sum / Double(count)) : 1
  }
}

extension Matrix where Rows == Columns {
  /// Returns the number of directions of a covariance that have a variance.
  fileprivate func semidefiniteRank() -> Int {
    let root = semidefiniteRoot()
    var rank = 0
    for index in 0..<Rows where root[index, index] > 0 { rank += 1 }
    return rank
  }

  /// Returns the trace of the product with another symmetric matrix.
  fileprivate func traceOfProduct(_ other: Self) -> Double {
    var sum = 0.0
    for row in 0..<Rows {
      for column in 0..<Rows { sum += self[row, column] * other[row, column] }
    }
    return sum
  }
}
