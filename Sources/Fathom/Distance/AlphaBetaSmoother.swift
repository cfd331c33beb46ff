/// A fixed-gain tracker of distance and rate with a constant-rate model.
///
/// Over an interval T the distance is extrapolated, d⁻ = d + v T. The residual r = z - d⁻ corrects
/// the distance by α r and the rate by β r/T. At a steady interval a constant rate is followed
/// without lag.
///
/// The gains follow from the noise [Kalata 1984]. The tracking index is Λ = q T^1.5 / σ, with the
/// density q of the acceleration and the standard deviation σ of a range. The gains are those of
/// the steady-state Kalman filter: r = (4 + Λ - √(8Λ + Λ²)) / 4, α = 1 - r², β = 2 (1 - r)². They
/// are recomputed for every interval, which is exact for a steady rate and otherwise an
/// approximation; ``ScalarKalmanSmoother`` is exact for all intervals. (Kalata holds the
/// acceleration constant over an interval; its standard deviation is then q/√T.)
///
/// ## Edge cases
/// Ranges with the same time stamp are averaged. Repeated values count as independent ranges. The
/// first range starts with a rate of 0, so that the lag of a moving link begins at the time since
/// the start and decays. All other cases are as in every ``DistanceSmoother``.
///
/// Constant cost, no allocation.
public struct AlphaBetaSmoother: DistanceSmoother {
  /// How the gains are determined.
  public enum Gains: Sendable, Equatable {
    /// Computed from the standard deviation of a range, metres, and the density of the
    /// acceleration, (m/s²)/√Hz, through the tracking index; each above 0 and finite.
    case noise(rangeSigma: Double, accelerationDensity: Double)
    /// Given for ranges every `interval` seconds: 0 < α ≤ 1, 0 < β < 4 - 2α, interval above 0. The
    /// rate gain is β/T, and β/interval for T below `interval`, which limits the noise of closely
    /// spaced ranges.
    case fixed(alpha: Double, beta: Double, interval: Double)
  }

  /// Distance and rate, with the lag of both.
  ///
  /// The lag is the filter's own error for a link that moves at 1 m/s and whose first range was 0
  /// m; the filter is linear.
  private struct State {
    var distance: Double
    var rate = 0.0
    var lag = 0.0
    var rateLag = 1.0
  }

  /// How the gains are determined.
  public let gains: Gains

  private var gate: SampleGate
  private var state = State(distance: 0)
  /// The state extrapolated to the present instant, before the correction by its ranges.
  private var predicted = State(distance: 0)
  private var distanceGain = 1.0
  private var rateGain = 0.0
  private var instant = InstantMean(0)

  /// Creates a smoother with the given gains.
  ///
  /// - Parameters:
  ///   - gains: How the gains are determined; the default is 0.10 m and 0.5 (m/s²)/√Hz.
  ///   - restartAfter: The longest gap that is bridged, seconds, above 0.
  public init(
    gains: Gains = .noise(
      rangeSigma: RangingDefaults.rangeSigma,
      accelerationDensity: RangingDefaults.accelerationDensity),
    restartAfter: Double = RangingDefaults.restartAfter
  ) {
    switch gains {
    case .noise(let rangeSigma, let density):
      precondition(rangeSigma > 0 && rangeSigma.isFinite, "rangeSigma is not positive")
      precondition(density > 0 && density.isFinite, "accelerationDensity is not positive")
    case .fixed(let alpha, let beta, let interval):
      precondition(alpha > 0 && alpha <= 1, "alpha is not in (0, 1]")
      precondition(beta > 0 && beta < 4 - 2 * alpha, "beta is not in (0, 4 - 2 alpha)")
      precondition(interval > 0 && interval.isFinite, "interval is not positive")
    }
    self.gains = gains
    gate = SampleGate(restartAfter: restartAfter)
  }

  /// The longest gap that the smoother bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Processes the distance measured at `time` and returns the smoothed one; see
  /// ``DistanceSmoother``.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let (measured, step) = gate.admit(distance, at: time) else { return nil }
    switch step {
    case .first:
      predicted = State(distance: measured)
      (distanceGain, rateGain) = (1, 0)
      instant = InstantMean(measured)
    case .next(interval: 0):
      instant.add(measured)
    case .next(let interval):
      predicted = state
      predicted.distance += state.rate * interval
      predicted.lag += state.rateLag * interval
      (distanceGain, rateGain) = gains(after: interval)
      instant = InstantMean(measured)
    }
    let residual = instant.value - predicted.distance
    state = State(
      distance: predicted.distance + distanceGain * residual,
      rate: predicted.rate + rateGain * residual,
      lag: predicted.lag - distanceGain * predicted.lag,
      rateLag: predicted.rateLag - rateGain * predicted.lag)
    return SmoothedDistance(
      distance: max(state.distance, 0), rate: state.rate, lag: state.lag, time: time)
  }

  /// Discards all samples.
  public mutating func reset() { gate.reset() }

  /// Returns the gains of distance (dimensionless) and rate (1/s) after `interval` seconds, above
  /// 0.
  private func gains(after interval: Double) -> (distance: Double, rate: Double) {
    switch gains {
    case .noise(let rangeSigma, let density):
      let index = density / rangeSigma * interval * interval.squareRoot()
      // r = 4 / (4 + Λ + √(8Λ + Λ²)) and this form of 1 - r avoid cancellation for small and for
      // large Λ.
      let root = index.squareRoot() * (8 + index).squareRoot()
      let ratio = 4 / (4 + index + root)
      let rest = (index + root) / (4 + index + root)
      return (rest * (1 + ratio), 2 * rest * rest / interval)
    case .fixed(let alpha, let beta, let nominal):
      return (alpha, beta / max(interval, nominal))
    }
  }
}
