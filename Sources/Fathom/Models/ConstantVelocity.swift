/// Motion at nearly constant velocity in space: white-noise acceleration on every axis.
///
/// State of six numbers: position x, y, z (m), then velocity x, y, z (m/s), in the world frame. The
/// transition touches only whole 3 x 3 blocks, so that a prediction needs no matrix product; it
/// equals ``WhiteNoiseAcceleration`` applied per axis.
///
/// A tag whose height is known is the same state with zero variance in z and its velocity, and zero
/// ``verticalDensity``: nothing ever moves it off its height.
@frozen
public struct ConstantVelocity: Sendable, Equatable {
  /// Root of the spectral density of the acceleration along x and y, (m/s²)/√Hz.
  public var horizontalDensity: Double
  /// Root of the spectral density of the acceleration along z, (m/s²)/√Hz.
  public var verticalDensity: Double

  /// The model with acceleration noise of the given densities, (m/s²)/√Hz, not negative.
  @inlinable
  public init(horizontalDensity: Double, verticalDensity: Double) {
    self.horizontalDensity = horizontalDensity
    self.verticalDensity = verticalDensity
  }

  /// The belief after a step of `seconds`, which are not negative.
  ///
  /// No heap allocation.
  @inlinable
  public func predict(_ state: Gaussian<6>, over seconds: Double) -> Gaussian<6> {
    var mean = state.mean
    for axis in 0..<3 { mean[axis] += seconds * mean[axis + 3] }
    let horizontal = WhiteNoiseAcceleration(density: horizontalDensity)
    let vertical = WhiteNoiseAcceleration(density: verticalDensity)
    let noises = (horizontal.moments(over: seconds), vertical.moments(over: seconds))

    // With P = | A  B |:  A' = A + dt (B + Bᵀ) + dt² C,  B' = B + dt C,  C' = C, then Q is added.
    //          | Bᵀ C |   A goes first: it needs the old B.
    var covariance = state.covariance
    covariance.withMutableElements { p in
      for row in 0..<3 {
        for column in 0...row {
          let crosses = p[6 * row + column + 3] + p[6 * column + row + 3]
          let velocity = p[6 * (row + 3) + column + 3]
          let position = p[6 * row + column] + seconds * (crosses + seconds * velocity)
          p[6 * row + column] = position
          p[6 * column + row] = position
        }
      }
      for row in 0..<3 {
        for column in 0..<3 {
          let cross = p[6 * row + column + 3] + seconds * p[6 * (row + 3) + column + 3]
          p[6 * row + column + 3] = cross
          p[6 * (column + 3) + row] = cross
        }
      }
      for axis in 0..<3 {
        let noise = axis < 2 ? noises.0 : noises.1
        p[7 * axis] += noise.position
        p[7 * axis + 3] += noise.cross
        p[7 * axis + 18] += noise.cross
        p[7 * (axis + 3)] += noise.velocity
      }
    }
    return Gaussian(mean: mean, covariance: covariance)
  }
}
