/// The 1€ filter: a low-pass filter whose cut-off frequency rises with speed.
///
/// It has little jitter at constant distance and little lag while the distance changes [Casiez et
/// al. 2012]. A low-pass filter of cut-off f at an interval T has the weight w(f) = T / (T +
/// 1/(2πf)). A range z is processed in three steps:
///
/// 1. the slope (z - x) / T relative to the last output x, filtered with w(derivative cut-off) into
///    s;
/// 2. the cut-off f = minimum cut-off + speed coefficient · |s|;
/// 3. x ← x + w(f) (z - x).
///
/// The slope is relative to the lagging output, as published, and therefore exceeds the true rate.
/// It controls the cut-off and is not reported as a rate.
///
/// ## Edge cases
/// Ranges with the same time stamp are averaged. Repeated values count as independent ranges: each
/// reduces the slope and makes the next new value a step. The first range is the first output. All
/// other cases are as in every ``DistanceSmoother``.
///
/// Constant cost, no allocation.
public struct OneEuroFilter: DistanceSmoother {
  /// Cut-off at zero speed, Hz.
  public let minimumCutoff: Double
  /// Increase of the cut-off with speed, Hz per m/s (β in the paper).
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
  /// The state before the present instant, and the time since, seconds.
  private var base = State(distance: 0)
  private var interval = 0.0
  private var instant = InstantMean(0)

  /// Creates a filter with the given cut-offs.
  ///
  /// - Parameters:
  ///   - minimumCutoff: The cut-off at zero speed, Hz, above 0 and finite. Lower it to reduce the
  ///     jitter of a stationary link.
  ///   - speedCoefficient: Hz per m/s, 0 or more and finite. Raise it to reduce the lag of a moving
  ///     link.
  ///   - derivativeCutoff: The cut-off of the slope, Hz, above 0 and finite.
  ///   - restartAfter: The longest gap that is bridged, seconds, above 0.
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

  /// The longest gap that the filter bridges, seconds.
  public var restartAfter: Double { gate.restartAfter }

  /// Processes the distance measured at `time` and returns the smoothed one; see
  /// ``DistanceSmoother``.
  public mutating func update(_ distance: Double?, at time: Timestamp) -> SmoothedDistance? {
    guard let (measured, step) = gate.admit(distance, at: time) else { return nil }
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

  /// Discards all samples.
  public mutating func reset() { gate.reset() }

  /// Returns the state after a range of `distance` metres, `interval` seconds after `base`.
  private func filtered(_ distance: Double) -> State {
    let difference = distance - base.distance
    let slope =
      base.slope + weight(ofCutoff: derivativeCutoff) * (difference / interval - base.slope)
    let weight = weight(ofCutoff: minimumCutoff + speedCoefficient * slope.magnitude)
    return State(
      distance: base.distance + weight * difference, slope: slope,
      lag: (1 - weight) * (base.lag + interval))
  }

  /// Returns the weight of a new range in a low-pass filter of `cutoff` Hz.
  private func weight(ofCutoff cutoff: Double) -> Double {
    interval / (interval + 1 / (2 * Double.pi * cutoff))
  }
}
