import CVectors

extension TrackState {
  /// The process noise of a tracker between ranges, in both modes.
  struct ProcessNoise: Sendable {
    /// Power density of the acceleration along x and y, in m²/s³.
    var horizontalPower: Pair
    /// Power density of the acceleration along z, in m²/s³.
    var verticalPower: Pair
    /// Stationary variance of a link's error, in m².
    var linkVariance: Double

    /// Creates the process noise of a low- and a high-noise mode and of link errors with the
    /// variance `linkVariance` in m².
    init(_ lowNoise: ConstantVelocity, _ highNoise: ConstantVelocity, linkVariance: Double) {
      let horizontal = Pair(lowNoise.horizontalDensity, highNoise.horizontalDensity)
      let vertical = Pair(lowNoise.verticalDensity, highNoise.verticalDensity)
      horizontalPower = horizontal * horizontal
      verticalPower = vertical * vertical
      self.linkVariance = linkVariance
    }
  }

  /// Predicts the state estimate over a step of `seconds`, not negative, at nearly constant
  /// velocity.
  ///
  /// With the blocks A of positions, C of velocities and B of velocities with positions, over t
  /// seconds:
  ///
  ///     A' = A + t (B + Bᵀ) + t² C
  ///     B' = B + t C
  ///
  /// Every other covariance with a position changes by t times the covariance with its velocity.
  /// `memory`, 0 to 1, is the autocorrelation of a link's error over the step.
  mutating func predict(over seconds: Double, processNoise: ProcessNoise, memory: Double) {
    var powers = cvectors_drift(
      horizontal: processNoise.horizontalPower, vertical: processNoise.verticalPower)
    let (axes, panelCount) = (axes, panelCount)
    let (first, size) = (firstLink, size)
    withMutableElements {
      cvectors_advance($0.panels, $0.mean.numbers, &powers, seconds, axes, panelCount)
    }
    fadeLinks(to: memory)
    guard first < size else { return }
    let renewed = (1 - memory * memory) / (linkScale * linkScale) * processNoise.linkVariance
    withMutableElements { elements in
      for link in first..<size { elements[link, link] += renewed }
    }
  }

  /// Holds the position over a gap of `seconds` and resets the velocity to zero with the standard
  /// deviation `speed` in m/s.
  ///
  /// The covariance is that of a prediction over the first `followed` seconds, in which the
  /// velocity is used, plus (`speed` · `seconds`)². It therefore never shrinks as a gap grows.
  mutating func hold(
    over seconds: Double, followed: Double, speed: Double, processNoise: ProcessNoise,
    memory: Double
  ) {
    let axes = axes
    let places = withElements { ($0.mean[0], $0.mean[1], $0.mean[2]) }
    predict(over: min(seconds, followed), processNoise: processNoise, memory: memory)
    let size = size
    withMutableElements { elements in
      for axis in 0..<axes {
        elements.mean[axis] = axis == 0 ? places.0 : axis == 1 ? places.1 : places.2
        let velocity = axes + axis
        // A fixed height stays fixed.
        let isFree = elements[velocity, velocity][0] > 0
        elements.mean[velocity] = .zero
        for other in 0..<size {
          elements[max(velocity, other), min(velocity, other)] = .zero
        }
        guard isFree else { continue }
        elements[axis, axis] += speed * speed * seconds * seconds
        elements[velocity, velocity] = Pair(repeating: speed * speed)
      }
    }
  }
}
