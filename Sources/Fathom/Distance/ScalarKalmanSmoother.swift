/// A Kalman filter of one distance with its standard deviation.
///
/// Two motion models are available, with noise in physical units [Bar-Shalom et al. 2001, Sec.
/// 6.2]. Both are integrated exactly over any interval T between ranges:
///
/// - constant position: the rate is white noise of density q (m/s)/√Hz, process noise q² T;
/// - constant velocity: the acceleration is white noise of density q (m/s²)/√Hz, process noise q²
///   [[T³/3, T²/2], [T²/2, T]] of distance and rate.
///
/// The covariance is updated in Joseph form. The gains do not depend on the measured values.
///
/// ## Edge cases
/// Ranges with the same time stamp are independent measurements: each reduces the variance. So does
/// a repeated value. For a device that repeats its last value, discard the repeats first; otherwise
/// sigma is too small. The smoother rejects no range; use a ``HampelFilter`` before it when
/// outliers occur. The first range starts with a rate of 0 and the given standard deviation. All
/// other cases are as in every ``DistanceSmoother``.
///
/// Constant cost, no allocation.
public struct ScalarKalmanSmoother: DistanceSmoother {
  /// The motion model of the distance.
  public enum Motion: Sendable, Equatable {
    /// A random walk; `rateDensity` in (m/s)/√Hz, 0...1e6.
    case constantPosition(rateDensity: Double)
    /// Nearly constant rate; `accelerationDensity` in (m/s²)/√Hz, 0...1e6, and `rateSigma`, the
    /// prior standard deviation of the rate, m/s, 0...1e6.
    case constantVelocity(
      accelerationDensity: Double = RangingDefaults.accelerationDensity,
      rateSigma: Double = RangingDefaults.rateSigma)
  }

  /// The motion model of the distance.
  public let motion: Motion
  /// Standard deviation of a range, metres.
  public let rangeSigma: Double

  private var gate: SampleGate
  private var state = State()

  /// Creates a smoother with the given noise.
  ///
  /// - Parameters:
  ///   - motion: The motion model of the distance.
  ///   - rangeSigma: The standard deviation of a range, metres, 1e-6...1e6.
  ///   - restartAfter: The longest gap that is bridged, seconds, above 0.
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

  /// The longest gap that the smoother bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Processes the distance measured at `time` and returns the smoothed one; see
  /// ``DistanceSmoother``.
  ///
  /// - Returns: The distance, sigma, lag and, for constant velocity, the rate; nil when the input
  ///   was absent or late.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let (measured, step) = gate.admit(distance, at: time) else { return nil }
    switch step {
    case .first: start(at: measured)
    case .next(let interval):
      // A local copy keeps the state in registers. Reading it back from memory in other widths than
      // it was written would stall on store forwarding.
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

  /// Discards all samples.
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
  /// For constant position the rate is 0 with zero variance: its row of the covariance and its gain
  /// stay 0.
  private struct State {
    var distance = 0.0
    var rate = 0.0
    var variance = 0.0
    var covariance = 0.0
    var rateVariance = 0.0
    /// The true less the estimated distance and rate of a link that moves at 1 m/s since the start.
    ///
    /// The filter is linear, so this is its lag.
    var lag = 0.0
    var rateLag = 1.0

    /// Lags below this value are set to zero (metres and m/s, at 1 m/s).
    private static let leastLag = 1e-100

    @inline(__always)
    mutating func extrapolate(over interval: Double) {
      distance += interval * rate
      lag += interval * rateLag
      variance += interval * (2 * covariance + interval * rateVariance)
      covariance += interval * rateVariance
    }

    /// Joseph form, (I - K H) P (I - K H)ᵀ + K R Kᵀ with H = [1 0], expanded.
    @inline(__always)
    mutating func condition(on measured: Double, variance noise: Double) {
      let gain = variance / (variance + noise)
      let rateGain = covariance / (variance + noise)
      let residual = measured - distance
      distance += gain * residual
      rate += rateGain * residual
      rateLag -= rateGain * lag
      lag -= gain * lag
      // The lag decays exponentially; arithmetic on subnormal numbers is a hundred times slower.
      if lag.magnitude < Self.leastLag, rateLag.magnitude < Self.leastLag {
        (lag, rateLag) = (0, 0)
      }
      // Rounding could make the variance negative when the rate is almost exactly known.
      rateVariance += rateGain * (rateGain * (variance + noise) - 2 * covariance)
      rateVariance = max(rateVariance, 0)
      covariance = (1 - gain) * (covariance - rateGain * variance) + gain * noise * rateGain
      variance = (1 - gain) * (1 - gain) * variance + gain * gain * noise
    }
  }
}
