/// Distance and rate by two gains: a fixed-gain tracker with a model of constant rate.
///
/// Over an interval T the distance is extrapolated, d⁻ = d + v T; of the residual r = z - d⁻ the share
/// α corrects the distance and r β/T the rate. At a steady interval a constant rate is followed
/// without lag.
///
/// The gains follow from noise [Kalata 1984]: with the tracking index Λ = q T^1.5 / σ, of the density q of
/// the acceleration and the standard deviation σ of a range, they are those of the steady-state Kalman
/// filter, r = (4 + Λ - √(8Λ + Λ²)) / 4, α = 1 - r², β = 2 (1 - r)². They are computed anew for every
/// interval, which is exact for a steady rate and an approximation else; ``ScalarKalmanSmoother`` is
/// exact for all. (Kalata holds the acceleration constant over an interval; q/√T is its standard
/// deviation there.)
///
/// ## Edge cases
/// Ranges of one instant count as their mean. Repeated values count like any others. The first range
/// starts with a rate of 0, so that the lag of a moving link begins at the time since and decays.
/// Otherwise as every ``DistanceSmoother``.
///
/// Constant cost, no allocation.
public struct AlphaBetaSmoother: DistanceSmoother {
  /// Where the gains come from.
  public enum Gains: Sendable, Equatable {
    /// From the standard deviation of a range, metres, and the density of the acceleration,
    /// (m/s²)/√Hz, through the tracking index; each above 0 and finite.
    case noise(rangeSigma: Double, accelerationDensity: Double)
    /// Given for ranges every `interval` seconds: 0 < α ≤ 1, 0 < β < 4 - 2α, interval above 0. The
    /// gain of the rate is β/T, for T below `interval` β/interval, so that close ranges do not shake it.
    case fixed(alpha: Double, beta: Double, interval: Double)
  }

  /// Distance and rate, and what both are for a link that moves at 1 m/s and whose first range was
  /// 0 m, less the truth: a linear filter's own lag.
  private struct State {
    var distance: Double
    var rate = 0.0
    var lag = 0.0
    var rateLag = 1.0
  }

  /// Where the gains come from.
  public let gains: Gains

  private var gate: SampleGate
  private var state = State(distance: 0)
  /// The state that the ranges of the present instant correct, extrapolated to it.
  private var predicted = State(distance: 0)
  private var distanceGain = 1.0
  private var rateGain = 0.0
  private var instant = InstantMean(0)

  /// A smoother with the given gains.
  ///
  /// - Parameters:
  ///   - gains: where the gains come from; the default is 0.10 m and 0.5 (m/s²)/√Hz.
  ///   - restartAfter: longest gap that is bridged, seconds, above 0.
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

  /// Longest gap that the smoother bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Takes the distance measured at `time` and returns the smoothed one; see ``DistanceSmoother``.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let distance, let measured = MeasuredDistance.validated(distance),
      let step = gate.step(to: time)
    else { return nil }
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

  /// Forgets everything seen.
  public mutating func reset() { gate.reset() }

  /// The gains of distance (dimensionless) and rate (1/s) after `interval` seconds, above 0.
  private func gains(after interval: Double) -> (distance: Double, rate: Double) {
    switch gains {
    case .noise(let rangeSigma, let density):
      let index = density / rangeSigma * interval * interval.squareRoot()
      // r = 4 / (4 + Λ + √(8Λ + Λ²)) and this form of 1 - r do not cancel, for small Λ nor for large.
      let root = index.squareRoot() * (8 + index).squareRoot()
      let ratio = 4 / (4 + index + root)
      let rest = (index + root) / (4 + index + root)
      return (rest * (1 + ratio), 2 * rest * rest / interval)
    case .fixed(let alpha, let beta, let nominal):
      return (alpha, beta / max(interval, nominal))
    }
  }
}
