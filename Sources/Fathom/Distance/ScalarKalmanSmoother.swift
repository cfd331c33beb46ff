/// Kalman filter of one distance, with its standard deviation.
///
/// Two motion models with noise in physical units [Bar-Shalom et al. 2001, Sec. 6.2], integrated
/// exactly over the interval T between ranges, whatever it is:
///
/// - constant position: the rate is white noise of density q (m/s)/√Hz, process noise q² T;
/// - constant velocity: the acceleration is white noise of density q (m/s²)/√Hz, process noise
///   q² [[T³/3, T²/2], [T²/2, T]] of distance and rate.
///
/// The covariance is updated in Joseph form. Gains do not depend on the measured values.
///
/// ## Edge cases
/// Ranges of one instant are measurements of their own: each makes the estimate more certain. So does a
/// repeated value; where a device repeats its last value instead of measuring, drop the repeats first,
/// or sigma is too small. No range is rejected: put a ``HampelFilter`` before it where outliers occur.
/// The first range starts with a rate of 0, of the given uncertainty. Otherwise as every
/// ``DistanceSmoother``.
///
/// Constant cost, no allocation.
public struct ScalarKalmanSmoother: DistanceSmoother {
  /// How the distance is expected to change.
  public enum Motion: Sendable, Equatable {
    /// It wanders; `rateDensity` in (m/s)/√Hz, 0...1e6.
    case constantPosition(rateDensity: Double)
    /// It keeps its rate but for accelerations; `accelerationDensity` in (m/s²)/√Hz, 0...1e6, and
    /// `rateSigma`, the standard deviation of the unknown rate at the start, m/s, 0...1e6.
    case constantVelocity(
      accelerationDensity: Double = RangingDefaults.accelerationDensity,
      rateSigma: Double = RangingDefaults.rateSigma)
  }

  /// How the distance is expected to change.
  public let motion: Motion
  /// Standard deviation of a range, metres.
  public let rangeSigma: Double

  private var gate: SampleGate
  private var state = State()

  /// A smoother with the given noise.
  ///
  /// - Parameters:
  ///   - motion: how the distance is expected to change.
  ///   - rangeSigma: standard deviation of a range, metres, 1e-6...1e6.
  ///   - restartAfter: longest gap that is bridged, seconds, above 0.
  public init(
    motion: Motion = .constantVelocity(), rangeSigma: Double = RangingDefaults.rangeSigma,
    restartAfter: Double = RangingDefaults.restartAfter
  ) {
    precondition((1e-6...1e6).contains(rangeSigma), "rangeSigma is not in 1e-6...1e6")
    switch motion {
    case .constantPosition(let density):
      precondition((0...1e6).contains(density), "rateDensity is not in 0...1e6")
    case .constantVelocity(let density, let rateSigma):
      precondition((0...1e6).contains(density), "accelerationDensity is not in 0...1e6")
      precondition((0...1e6).contains(rateSigma), "rateSigma is not in 0...1e6")
    }
    self.motion = motion
    self.rangeSigma = rangeSigma
    gate = SampleGate(restartAfter: restartAfter)
  }

  /// Longest gap that the smoother bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Takes the distance measured at `time` and returns the smoothed one; see ``DistanceSmoother``.
  ///
  /// - Returns: distance, sigma, lag and, for constant velocity, the rate; nil where the input was
  ///   absent or late.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let distance, let measured = MeasuredDistance.validated(distance),
      let step = gate.step(to: time)
    else { return nil }
    switch step {
    case .first: start(at: measured)
    case .next(let interval):
      // In between it stays in registers: read back from memory in other pieces than it was just
      // written in, it would have to wait.
      var next = predicted(over: interval)
      next.condition(on: measured, variance: rangeSigma * rangeSigma)
      state = next
    }
    var rate: Double?
    if case .constantVelocity = motion { rate = state.rate }
    return SmoothedDistance(
      distance: max(state.distance, 0), sigma: state.variance.squareRoot(), rate: rate,
      lag: state.lag, time: time)
  }

  /// Forgets everything seen.
  public mutating func reset() { gate.reset() }

  private mutating func start(at distance: Double) {
    state = State()
    state.distance = distance
    state.variance = rangeSigma * rangeSigma
    if case .constantVelocity(_, let rateSigma) = motion {
      state.rateVariance = rateSigma * rateSigma
    }
  }

  @inline(__always)
  private func predicted(over interval: Double) -> State {
    var state = state
    switch motion {
    case .constantPosition(let density):
      state.extrapolate(over: interval)
      state.variance += density * density * interval
    case .constantVelocity(let density, _):
      state.extrapolate(over: interval)
      let power = density * density * interval
      state.variance += power * interval * interval / 3
      state.covariance += power * interval / 2
      state.rateVariance += power
    }
    return state
  }

  /// Distance and rate with their covariance.
  ///
  /// Constant position is the case in which the rate is 0 and known to be: its row of the covariance,
  /// and with it its gain, stays 0.
  private struct State {
    var distance = 0.0
    var rate = 0.0
    var variance = 0.0
    var covariance = 0.0
    var rateVariance = 0.0
    /// The true less the estimated distance and rate of a link that moves at 1 m/s since the start: the
    /// filter is linear, so that this is its lag.
    var lag = 0.0
    var rateLag = 1.0

    /// Nothing that moves is that far behind, metres and metres per second.
    private static let leastLag = 1e-100

    @inline(__always)
    mutating func extrapolate(over interval: Double) {
      distance += interval * rate
      lag += interval * rateLag
      variance += interval * (2 * covariance + interval * rateVariance)
      covariance += interval * rateVariance
    }

    /// Joseph form, (I - K H) P (I - K H)ᵀ + K R Kᵀ with H = [1 0], written out.
    @inline(__always)
    mutating func condition(on measured: Double, variance noise: Double) {
      let gain = variance / (variance + noise)
      let rateGain = covariance / (variance + noise)
      let residual = measured - distance
      distance += gain * residual
      rate += rateGain * residual
      rateLag -= rateGain * lag
      lag -= gain * lag
      // It fades for ever, and processors compute with numbers next to zero a hundred times slower.
      if lag.magnitude < Self.leastLag, rateLag.magnitude < Self.leastLag {
        (lag, rateLag) = (0, 0)
      }
      // Not below 0, which rounding could do where the rate is all but certain.
      rateVariance += rateGain * (rateGain * (variance + noise) - 2 * covariance)
      rateVariance = max(rateVariance, 0)
      covariance = (1 - gain) * (covariance - rateGain * variance) + gain * noise * rateGain
      variance = (1 - gain) * (1 - gain) * variance + gain * gain * noise
    }
  }
}
