import RealModule

/// The information per second of a height with a standard deviation.
///
/// A tag that keeps a height h with the standard deviation σ does not provide a new measurement of
/// the height with every range, because its deviation is correlated. The height therefore counts as
/// a continuous measurement. It is so weak that alone, against the motion of the tag, it holds
/// exactly the standard deviation σ. With white acceleration of density q and a continuous
/// measurement of density r, the Riccati equation gives the steady-state variance of the position:
/// √2 q^½ r^¾ from the past, and a quarter of it from past and future. Setting it equal to σ² gives
/// r.
///
/// Ranges that determine the height outweigh the constraint accordingly. A permanent deviation of k
/// σ causes an error of at most k times the estimated standard deviation.
struct HeightInformation: Sendable, Equatable {
  /// The height, in metres.
  let height: Double
  /// Its variance, in m².
  let variance: Double
  /// The density r in m² s; infinite if the tag does not move vertically.
  let density: Double

  /// The measurements available to an estimate: the past alone, or a whole recording.
  enum Knowledge: Sendable {
    case past
    case pastAndFuture
  }

  /// Creates the information of a height that is `known` with a standard deviation, both in metres.
  ///
  /// `acceleration` is the density of the vertical acceleration, in (m/s²)/√Hz.
  init(_ known: (value: Double, sigma: Double), acceleration: Double, knowledge: Knowledge) {
    height = known.value
    variance = known.sigma * known.sigma
    let share = knowledge == .past ? Double.sqrt(2) : Double.sqrt(2) / 4
    density = Double.pow(variance / (share * acceleration.squareRoot()), 4.0 / 3.0)
  }

  /// Returns the variance of one height measurement per `seconds` in m², at least its own variance.
  @inline(__always)
  func variance(over seconds: Double) -> Double { max(variance, density / seconds) }
}

/// The height constraint of a track in both modes of motion.
struct HeightConstraint: Sendable {
  /// The height in metres.
  let metres: Double
  private let lowNoise: HeightInformation
  private let highNoise: HeightInformation

  /// Creates the constraint for a height and its standard deviation in metres, with motion in
  /// `modes`.
  init(_ known: (value: Double, sigma: Double), modes: MotionModes) {
    metres = known.value
    lowNoise = HeightInformation(
      known, acceleration: modes.lowNoise.verticalDensity, knowledge: .past)
    highNoise =
      modes.isSingle
      ? lowNoise
      : HeightInformation(known, acceleration: modes.highNoise.verticalDensity, knowledge: .past)
  }

  /// Returns the variances of one height measurement per `seconds`, above 0.
  @inline(__always)
  func variance(over seconds: Double) -> TrackState.Pair {
    TrackState.Pair(lowNoise.variance(over: seconds), highNoise.variance(over: seconds))
  }
}

extension TrackState {
  /// Updates the state with the height as a measurement; no effect for a tag tracked in the plane.
  ///
  /// `height` is in metres. `variance` is that in both modes in m², above 0; infinite without
  /// information.
  mutating func condition(onHeight height: Double, variance: Pair) {
    guard axes == 3 else { return }
    let panelCount = panelCount
    let expectation = withMutableElements { p in
      // The covariance with z is the third column; the first panel stores it as rows.
      p.gain[panel: 0] = SIMD4(lowHalf: p[2, 0], highHalf: p[2, 1])
      for index in 1..<max(1, panelCount) { p.gain[panel: index] = p.panel(index)[2] }
      return Expectation(residual: height - p.mean[2], spread: p[2, 2], terms: p[2, 2])
    }
    condition(on: expectation, variance: variance)
  }
}
