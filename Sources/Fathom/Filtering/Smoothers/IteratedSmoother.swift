/// The most likely trajectory of nonlinear models: the extended smoother repeated at its own
/// result.
///
/// [Bell 1994; Särkkä & Svensson 2020]. Every pass linearises motions and measurements along the
/// trajectory of the last one, then filters and smooths: a Gauss-Newton step for all states at
/// once, in time linear in their number. The first pass linearises as the extended filter does.
/// Where models are linear, the second pass changes nothing.
public struct IteratedSmoother<let N: Int, let M: Int>: Sendable {
  /// What happened at an instant.
  public struct Step: Sendable {
    /// Seconds since the instant before, not negative; of the first step, since the prior.
    public var seconds: Double
    /// The measured numbers; nil where there were none.
    public var measurement: Vector<M>?
    /// R: the covariance of their noise.
    public var noise: Matrix<M, M>

    /// A measurement, or none, `seconds` after the instant before.
    public init(seconds: Double, measurement: Vector<M>?, noise: Matrix<M, M>) {
      self.seconds = seconds
      self.measurement = measurement
      self.noise = noise
    }
  }

  /// What the smoother found.
  public struct Result: Sendable {
    /// The estimate at every step.
    public var states: [Gaussian<N>]
    /// How many passes were made.
    public var passes: Int
    /// The largest change of a component in the last pass, in its standard deviations.
    public var change: Double
    /// Whether ``change`` fell below the tolerance.
    public var isConverged: Bool
  }

  /// The estimate before the first step.
  public var prior: Gaussian<N>
  /// The largest number of passes, at least 1.
  public var passes: Int
  /// The change below which the trajectory rests, in standard deviations.
  public var tolerance: Double

  /// A smoother that begins with `prior`.
  public init(prior: Gaussian<N>, passes: Int = 20, tolerance: Double = 1e-6) {
    precondition(passes >= 1, "there is at least one pass")
    self.prior = prior
    self.passes = passes
    self.tolerance = tolerance
  }

  /// The trajectory of `steps`.
  ///
  /// - Parameters:
  ///   - steps: in order of time.
  ///   - motion: how the state moves.
  ///   - model: how the measurement of a step, counted from 0, depends on the state. One type
  ///     serves all steps; its values, such as the anchor of a range, may differ.
  /// - Returns: The estimates and how they were reached. Allocates several arrays of the length of
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

  /// One pass about `track`, which has the state before the first step at its head, or is empty.
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

  /// The largest change of a component in its standard deviations.
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
