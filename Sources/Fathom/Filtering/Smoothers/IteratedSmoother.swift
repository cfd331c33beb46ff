/// The iterated extended smoother: the most likely trajectory of nonlinear models.
///
/// [Bell 1994; Särkkä & Svensson 2020]. Every pass linearises motions and measurements along the
/// trajectory of the last one, then filters and smooths. A pass is a Gauss-Newton step for all
/// states at once, in time linear in their number. The first pass linearises like the extended
/// filter. For linear models the second pass changes nothing.
public struct IteratedSmoother<let N: Int, let M: Int>: Sendable {
  /// One instant with its optional measurement.
  public struct Step: Sendable {
    /// Seconds since the previous instant, not negative; for the first step, since the prior.
    public var seconds: Double
    /// The measurement; nil when absent.
    public var measurement: Vector<M>?
    /// R: the covariance of the measurement noise.
    public var noise: Matrix<M, M>

    /// Creates a step `seconds` after the previous instant, with or without a measurement.
    public init(seconds: Double, measurement: Vector<M>?, noise: Matrix<M, M>) {
      self.seconds = seconds
      self.measurement = measurement
      self.noise = noise
    }
  }

  /// The smoothed trajectory and its convergence.
  public struct Result: Sendable {
    /// The estimate at every step.
    public var states: [Gaussian<N>]
    /// The number of passes.
    public var passes: Int
    /// The largest change of a component in the last pass, in its standard deviations.
    public var change: Double
    /// Whether ``change`` fell below the tolerance.
    public var isConverged: Bool
  }

  /// The estimate before the first step.
  public var prior: Gaussian<N>
  /// The maximum number of passes, at least 1.
  public var passes: Int
  /// The convergence threshold of the trajectory, in standard deviations.
  public var tolerance: Double

  /// Creates a smoother with the prior `prior`.
  public init(prior: Gaussian<N>, passes: Int = 20, tolerance: Double = 1e-6) {
    precondition(passes >= 1, "the number of passes is less than 1")
    self.prior = prior
    self.passes = passes
    self.tolerance = tolerance
  }

  /// Returns the smoothed trajectory of `steps`.
  ///
  /// - Parameters:
  ///   - steps: The steps in time order.
  ///   - motion: The motion model.
  ///   - model: The measurement model of a step, counted from 0. One type serves all steps; its
  ///     values, such as the anchor of a range, may differ.
  /// - Returns: The estimates and their convergence. Allocates several arrays of the length of
  ///   `steps`.
  /// - Throws: ``FilteringError`` of the first update that fails.
  public func smoothed<Motion: MotionModel, Model: MeasurementModel>(
    _ steps: [Step], by motion: Motion, of model: (_ step: Int) -> Model
  ) throws(FilteringError) -> Result
  where
    Motion.State == Vector<N>, Motion.Transition == Matrix<N, N>, Model.State == Vector<N>,
    Model.Measurement == Vector<M>, Model.Derivative == Matrix<M, N>
  {
    var track: [Gaussian<N>] = []
    var change = Double.infinity
    for pass in 1...passes {
      let next = try self.pass(steps, motion, model, about: track)
      if !track.isEmpty { change = Self.change(from: track, to: next) }
      track = next
      if change < tolerance {
        return Result(
          states: Array(track.dropFirst()), passes: pass, change: change, isConverged: true)
      }
    }
    return Result(
      states: Array(track.dropFirst()), passes: passes, change: change, isConverged: false)
  }

  /// One pass, linearised about `track`, which begins with the state before the first step, or is
  /// empty.
  private func pass<Motion: MotionModel, Model: MeasurementModel>(
    _ steps: [Step], _ motion: Motion, _ model: (Int) -> Model, about track: [Gaussian<N>]
  ) throws(FilteringError) -> [Gaussian<N>]
  where
    Motion.State == Vector<N>, Motion.Transition == Matrix<N, N>, Model.State == Vector<N>,
    Model.Measurement == Vector<M>, Model.Derivative == Matrix<M, N>
  {
    var state = prior
    var smoother = RauchTungStriebelSmoother(start: prior)
    for (index, step) in steps.enumerated() {
      let filtered = state
      let origin = track.isEmpty ? state.mean : track[index].mean
      let transition = motion.transition(at: origin, over: step.seconds)
      let noise = motion.noise(at: origin, over: step.seconds)
      let offset = motion.moved(origin, over: step.seconds) - transition * origin
      state.predict(transition: transition, processNoise: noise, offset: offset)
      let reversal = Reversal(
        of: filtered, to: state, transition: transition, processNoise: noise)
      if let measurement = step.measurement {
        let point = track.isEmpty ? state.mean : track[index + 1].mean
        let sensor = model(index)
        let observation = sensor.derivative(at: point)
        let residual = sensor.residual(of: measurement, from: sensor.measurement(at: point))
        try state.condition(
          onResidual: residual - observation * (state.mean - point), observation: observation,
          noise: step.noise)
      }
      smoother.append(state, reversal: reversal)
    }
    return smoother.smoothed()
  }

  /// Returns the largest change of a component in its standard deviations.
  private static func change(
    from old: [Gaussian<N>], to new: [Gaussian<N>]
  ) -> Double {
    var largest = 0.0
    for (before, after) in zip(old, new) {
      let step = after.mean - before.mean
      for index in 0..<N where after.covariance[index, index] > 0 {
        let deviation = after.covariance[index, index].squareRoot()
        largest = max(largest, step[index].magnitude / deviation)
      }
    }
    return largest
  }
}
