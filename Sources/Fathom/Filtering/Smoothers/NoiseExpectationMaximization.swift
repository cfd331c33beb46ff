import RealModule

/// How much noise a motion and a measurement have, from the measurements themselves, by expectation
/// and maximisation.
///
/// [Dempster, Laird & Rubin 1977; Shumway & Stoffer 1982]. Given noises, a filter and a smoother
/// say what disturbed the state and the measurements in the mean of all runs that fit (E); the
/// noises that explain these disturbances best are known in closed form (M), and are never less
/// likely than those before. Such passes creep: every second one begins where many of them would
/// lead [Varadhan & Roland 2008], unless that is less likely. Sought are the factor λ on the
/// covariance Q of the motion, which for models of white acceleration is the square of the factor
/// on their density, and the factor ρ on the covariance R of the measurements:
///
///     λ' = Σ E[tr(Q⁺ w wᵀ)] / Σ rank Q        ρ' = Σ E[tr(R⁻¹ v vᵀ)] / Σ M
///
/// with Q and R as given. The disturbances come from the backward recursion for the adjoint of the
/// state [Koopman 1993], which needs no inverse but that of the innovation's covariance: it is the
/// smoother of Rauch, Tung and Striebel with its covariances from one instant to the next, where
/// these are not lost in rounding over short steps.
///
/// For models that are not linear both are linearised as in ``ExtendedKalmanFilter``; then the
/// likelihood rises but for what the linearisation changes.
///
/// ```swift
/// let search = NoiseExpectationMaximization<6, 1>(prior: start)
/// let found = try search.maximized(steps, by: motion) { RangeModel(anchor: anchors[$0]) }
/// let density = motion.horizontalDensity * found.motionFactor.squareRoot()
/// ```
public struct NoiseExpectationMaximization<let N: Int, let M: Int>: Sendable {
  /// What happened at an instant.
  public typealias Step = IteratedSmoother<N, M>.Step

  /// What was found.
  public struct Estimate: Sendable, Equatable {
    /// λ: by what Q is to be multiplied.
    public var motionFactor: Double
    /// ρ: by what R is to be multiplied.
    public var measurementFactor: Double
    /// The log-likelihood of the measurements with the factors that each pass began with, and last
    /// that with the factors found.
    public var logLikelihoods: [Double]
    /// Whether the last pass changed no factor by more than the tolerance.
    public var isConverged: Bool
  }

  /// The estimate before the first step.
  public var prior: Gaussian<N>
  /// The largest number of passes, at least 1; where a leap does no good, a pass filters twice.
  public var passes: Int
  /// The search ends when a pass changes no factor by more than this share of it.
  public var tolerance: Double

  /// A search over runs that begin with `prior`.
  ///
  /// - Parameters:
  ///   - prior: the estimate before the first step.
  ///   - passes: the largest number of passes, at least 1.
  ///   - tolerance: the relative change of a factor in which the search may end.
  public init(prior: Gaussian<N>, passes: Int = 200, tolerance: Double = 1e-4) {
    precondition(passes >= 1, "there is at least one pass")
    self.prior = prior
    self.passes = passes
    self.tolerance = tolerance
  }

  /// The factors that make the measurements most likely.
  ///
  /// - Parameters:
  ///   - steps: in order of time; R of each is its ``IteratedSmoother/Step/noise``.
  ///   - motion: how the state moves, with the Q that is to be scaled.
  ///   - model: how the measurement of a step, counted from 0, depends on the state.
  /// - Returns: The factors and how they were reached; 1 for a factor of which nothing is seen, as
  ///   where no step lasts or nothing was measured. Allocates some arrays of the length of `steps`;
  ///   a pass costs about as much as filter and smoother.
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
      // Where a leap leads the filter may fail: that is worse, too.
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

  /// The factors with the given logarithms.
  private static func factors(_ logarithms: Vector<2>) -> Factors {
    (.exp(logarithms[0]), .exp(logarithms[1]))
  }

  /// By which power of e a factor may change in one leap.
  private static var reach: Double { 5 }

  /// What of a step the way back needs.
  private struct Trace {
    var transition: Matrix<N, N>
    /// Q as given.
    var motionNoise: Matrix<N, N>
    /// How many components of the state Q disturbs.
    var rank: Int
    var update: Update?
  }

  /// A measurement as the filter saw it.
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

  /// The filter with the given factors; returns the log-likelihood.
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

  /// By what a pass multiplies the factors: the way back through `traces`.
  ///
  /// With u and D the adjoint of a measurement and its covariance, and r and Λ those of the state,
  /// E[tr(R⁻¹ v vᵀ)] = ρ M + ρ² (uᵀ R u - tr R D), and of the motion alike. The state itself would
  /// be m + P r with the covariance P - P Λ P.
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

  /// By what to multiply a factor whose disturbances, `count` numbers, have the given sum.
  ///
  /// The mean square of a disturbance is positive: what rounding leaves of it is too.
  private static func growth(of factor: Double, by sum: Double, count: Int) -> Double {
    count > 0 ? max(1e-3, 1 + factor * sum / Double(count)) : 1
  }
}

extension Matrix where Rows == Columns {
  /// How many directions of a covariance have a variance.
  fileprivate func semidefiniteRank() -> Int {
    let root = semidefiniteRoot()
    var rank = 0
    for index in 0..<Rows where root[index, index] > 0 { rank += 1 }
    return rank
  }

  /// The trace of the product with another symmetric matrix.
  fileprivate func traceOfProduct(_ other: Self) -> Double {
    var sum = 0.0
    for row in 0..<Rows {
      for column in 0..<Rows { sum += self[row, column] * other[row, column] }
    }
    return sum
  }
}
