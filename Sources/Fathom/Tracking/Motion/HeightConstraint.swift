import RealModule

/// How much a height that is known with an error says in a second.
///
/// A tag that keeps to a height h with the standard deviation σ is not measured anew with every
/// range: its deviation lasts. The height therefore counts as a continuous measurement, so weak
/// that it alone, against the motion of the tag, holds the standard deviation σ and no less. With
/// white acceleration of density q and a continuous measurement of density r, the variance of the
/// position settles at √2 q^½ r^¾ where the past is known, and at a quarter of it where past and
/// future are, by its Riccati equation; setting that equal to σ² gives r.
///
/// Where ranges tell of the height too, they outweigh it by as much, and a deviation that lasts
/// for ever, of k σ, never makes the estimate wrong by more than k times what it claims.
struct HeightInformation: Sendable, Equatable {
  /// The height, metres.
  let height: Double
  /// Its variance, m².
  let variance: Double
  /// The density r, m² s; infinite where the tag does not move vertically.
  let density: Double

  /// What is known, from the past alone or from all of a recording.
  enum Knowledge: Sendable {
    case past
    case pastAndFuture
  }

  /// The information of a height.
  ///
  /// - Parameters:
  ///   - known: the height and its standard deviation, metres.
  ///   - acceleration: density of the vertical acceleration, (m/s²)/√Hz.
  ///   - knowledge: what else is known.
  init(_ known: (value: Double, sigma: Double), acceleration: Double, knowledge: Knowledge) {
    height = known.value
    variance = known.sigma * known.sigma
    let share = knowledge == .past ? Double.sqrt(2) : Double.sqrt(2) / 4
    density = Double.pow(variance / (share * acceleration.squareRoot()), 4.0 / 3.0)
  }

  /// The variance with which the height counts once in `seconds`, m²: never less than its own.
  @inline(__always)
  func variance(over seconds: Double) -> Double { max(variance, density / seconds) }
}

/// The height of a track in both modes of motion.
struct HeightConstraint: Sendable {
  /// Metres.
  let metres: Double
  private let lowNoise: HeightInformation
  private let highNoise: HeightInformation

  /// The constraint of a height in metres with its standard deviation, on motion in `modes`.
  init(_ known: (value: Double, sigma: Double), modes: MotionModes) {
    metres = known.value
    lowNoise = HeightInformation(
      known, acceleration: modes.lowNoise.verticalDensity, knowledge: .past)
    highNoise =
      modes.isSingle
      ? lowNoise
      : HeightInformation(known, acceleration: modes.highNoise.verticalDensity, knowledge: .past)
  }

  /// The variances with which it counts once in `seconds`, above 0.
  @inline(__always)
  func variance(over seconds: Double) -> TrackState.Pair {
    TrackState.Pair(lowNoise.variance(over: seconds), highNoise.variance(over: seconds))
  }
}

extension TrackState {
  /// Takes in the height as a measurement, with the given variances in both modes, m²; nothing for
  /// a tag that is tracked in the plane.
  ///
  /// - Parameters:
  ///   - height: metres.
  ///   - variance: of the measurement, above 0; infinite for none.
  mutating func condition(onHeight height: Double, variance: Pair) {
    guard axes == 3 else { return }
    let panelCount = panelCount
    let expectation = withMutableElements { p in
      // What the state has in common with z is its third column; the first panel has that as rows.
      p.gain[panel: 0] = SIMD4(lowHalf: p[2, 0], highHalf: p[2, 1])
      for index in 1..<max(1, panelCount) { p.gain[panel: index] = p.panel(index)[2] }
      return Expectation(residual: height - p.mean[2], spread: p[2, 2], terms: p[2, 2])
    }
    condition(on: expectation, variance: variance)
  }
}
