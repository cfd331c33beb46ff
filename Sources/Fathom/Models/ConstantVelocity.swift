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

    // With P = | A  B |:  A' = A + dt (B + Bᵀ) + dt² C,  B' = B + dt C,  C' = C, then Q is added.
    //          | Bᵀ C |
    let prior = state.covariance
    var covariance = prior
    for row in 0..<3 {
      for column in 0...row {
        let position =
          prior[row, column]
          + seconds
          * (prior[row, column + 3] + prior[column, row + 3] + seconds
            * prior[row + 3, column + 3])
        covariance[row, column] = position
        covariance[column, row] = position
      }
      for column in 0..<3 {
        let cross = prior[row, column + 3] + seconds * prior[row + 3, column + 3]
        covariance[row, column + 3] = cross
        covariance[column + 3, row] = cross
      }
    }
    for axis in 0..<3 {
      let density = axis < 2 ? horizontalDensity : verticalDensity
      let noise = WhiteNoiseAcceleration(density: density).noise(over: seconds)
      covariance[axis, axis] += noise[0, 0]
      covariance[axis, axis + 3] += noise[0, 1]
      covariance[axis + 3, axis] += noise[0, 1]
      covariance[axis + 3, axis + 3] += noise[1, 1]
    }
    return Gaussian(mean: mean, covariance: covariance)
  }
}
