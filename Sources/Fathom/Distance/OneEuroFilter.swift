/// The 1€ filter: a low-pass filter whose cut-off rises with speed.
///
/// Little jitter while the distance stands still, little lag while it changes [Casiez et al. 2012].
/// With a low-pass of cut-off f and an interval T having the weight w(f) = T / (T + 1/(2πf)), a range
/// z gives
///
/// 1. the slope (z - x) / T against the last output x, filtered with w(derivative cut-off) into s;
/// 2. the cut-off f = minimum cut-off + speed coefficient · |s|;
/// 3. x ← x + w(f) (z - x).
///
/// The slope is against the lagging output, as published, and so exceeds the true rate: it steers the
/// cut-off and is not reported as a rate.
///
/// ## Edge cases
/// Ranges of one instant count as their mean. Repeated values count like any others (each makes the
/// slope smaller, and the next new value a step). The first range is the first output. Otherwise as
/// every ``DistanceSmoother``.
///
/// Constant cost, no allocation.
public struct OneEuroFilter: DistanceSmoother {
  /// Cut-off at rest, Hz.
  public let minimumCutoff: Double
  /// Rise of the cut-off with speed, Hz per m/s (the β of the paper).
  public let speedCoefficient: Double
  /// Cut-off of the slope, Hz.
  public let derivativeCutoff: Double

  private struct State {
    var distance: Double
    var slope = 0.0
    var lag = 0.0
  }

  private var gate: SampleGate
  private var state = State(distance: 0)
  /// The state before the present instant, and the seconds since.
  private var base = State(distance: 0)
  private var interval = 0.0
  private var instant = InstantMean(0)

  /// A filter with the given cut-offs.
  ///
  /// - Parameters:
  ///   - minimumCutoff: cut-off at rest, Hz, above 0 and finite: lower it until a still link stops
  ///     jittering.
  ///   - speedCoefficient: Hz per m/s, 0 or more and finite: raise it until a moving link no longer
  ///     lags.
  ///   - derivativeCutoff: cut-off of the slope, Hz, above 0 and finite.
  ///   - restartAfter: longest gap that is bridged, seconds, above 0.
  public init(
    minimumCutoff: Double = 0.5, speedCoefficient: Double = 1, derivativeCutoff: Double = 1,
    restartAfter: Double = RangingDefaults.restartAfter
  ) {
    precondition(minimumCutoff > 0 && minimumCutoff.isFinite, "minimumCutoff is not positive")
    precondition(
      speedCoefficient >= 0 && speedCoefficient.isFinite,
      "speedCoefficient is negative or not finite")
    precondition(
      derivativeCutoff > 0 && derivativeCutoff.isFinite, "derivativeCutoff is not positive")
    self.minimumCutoff = minimumCutoff
    self.speedCoefficient = speedCoefficient
    self.derivativeCutoff = derivativeCutoff
    gate = SampleGate(restartAfter: restartAfter)
  }

  /// Longest gap that the filter bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Takes the distance measured at `time` and returns the smoothed one; see ``DistanceSmoother``.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let distance, let measured = MeasuredDistance.validated(distance),
      let step = gate.step(to: time)
    else { return nil }
    switch step {
    case .first:
      interval = 0
      instant = InstantMean(measured)
    case .next(interval: 0):
      instant.add(measured)
    case .next(let interval):
      base = state
      self.interval = interval
      instant = InstantMean(measured)
    }
    state = interval > 0 ? filtered(instant.value) : State(distance: instant.value)
    return SmoothedDistance(distance: state.distance, lag: state.lag, time: time)
  }

  /// Forgets everything seen.
  public mutating func reset() { gate.reset() }

  /// The state after a range of `distance` metres, `interval` seconds after `base`.
  private func filtered(_ distance: Double) -> State {
    let difference = distance - base.distance
    let slope =
      base.slope + weight(ofCutoff: derivativeCutoff) * (difference / interval - base.slope)
    let weight = weight(ofCutoff: minimumCutoff + speedCoefficient * slope.magnitude)
    return State(
      distance: base.distance + weight * difference, slope: slope,
      lag: (1 - weight) * (base.lag + interval))
  }

  /// The weight of a new range in a low-pass filter of `cutoff` Hz.
  private func weight(ofCutoff cutoff: Double) -> Double {
    interval / (interval + 1 / (2 * Double.pi * cutoff))
  }
}
