import CVectors

extension TrackState {
  /// What a tracker assumes to happen between ranges, in both modes.
  struct ProcessNoise: Sendable {
    /// Power of the acceleration along x and y, m²/s³.
    var horizontalPower: Pair
    /// Power of the acceleration along z, m²/s³.
    var verticalPower: Pair
    /// Variance of a link's error on its own, m².
    var linkVariance: Double

    /// The motion of a low-noise and of a high-noise mode, and errors of links with a variance of
    /// `linkVariance` m².
    init(_ lowNoise: ConstantVelocity, _ highNoise: ConstantVelocity, linkVariance: Double) {
      let horizontal = Pair(lowNoise.horizontalDensity, highNoise.horizontalDensity)
      let vertical = Pair(lowNoise.verticalDensity, highNoise.verticalDensity)
      horizontalPower = horizontal * horizontal
      verticalPower = vertical * vertical
      self.linkVariance = linkVariance
    }
  }

  /// Carries the state estimate over a step of `seconds` of nearly constant velocity.
  ///
  /// With A of positions, C of velocities and B of velocities with positions, over t seconds:
  ///
  ///     A' = A + t (B + Bᵀ) + t² C
  ///     B' = B + t C
  ///
  /// and all else that is correlated with a position moves by t times what it is with the velocity.
  ///
  /// - Parameters:
  ///   - seconds: the step, not negative.
  ///   - processNoise: what happens in it.
  ///   - memory: what is left of a link's error after the step, 0 to 1.
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

  /// Holds the position over a gap of `seconds` in which the tag may have gone anywhere at `speed`
  /// metres per second, and forgets the velocity.
  ///
  /// The covariance is that of the `followed` seconds over which the velocity is still believed,
  /// enlarged by how far the tag may have gone altogether, so that it never shrinks as a gap grows.
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
        // A height that does not move stays where it is.
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
