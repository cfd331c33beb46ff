import RealModule

/// A box that contains the position, for selecting between mirror images.
public struct PositionBounds<let D: Int>: Sendable, Equatable, Codable {
  /// The smallest coordinates, metres; minus infinity for no bound.
  public var lower: Vector<D>
  /// The largest coordinates, metres; infinity for no bound.
  public var upper: Vector<D>

  /// Creates the box between two corners.
  public init(lower: Vector<D>, upper: Vector<D>) {
    self.lower = lower
    self.upper = upper
  }

  /// Returns whether a position lies inside the box or on its border.
  public func contains(_ position: Vector<D>) -> Bool {
    for axis in 0..<D where !(position[axis] >= lower[axis] && position[axis] <= upper[axis]) {
      return false
    }
    return true
  }
}

extension PositionBounds<3> {
  /// Moves a position outside of the box into it.
  ///
  /// For every face that it is beyond, the normal distribution is truncated there, and the result has
  /// the mean of the rest and its covariance [Simon 2006]. A position beyond by more than its standard
  /// deviation shows an error of that size, so that the square of the excess is added.
  func keep(_ position: inout Vector<3>, _ covariance: inout Matrix<3, 3>) {
    for axis in 0..<3 {
      let isAbove = position[axis] > upper[axis]
      guard isAbove || position[axis] < lower[axis] else { continue }
      let face = isAbove ? upper[axis] : lower[axis]
      let excess = (position[axis] - face).magnitude
      let variance = covariance[axis, axis]
      // A height that is exact stays.
      guard variance > 0, variance.isFinite else { continue }
      let sigma = variance.squareRoot()
      let beyond = excess / sigma
      let hazard = Self.hazard(beyond)
      // From the face inwards, at most to the middle.
      let depth = min(sigma * (hazard - beyond), 0.5 * (upper[axis] - lower[axis]))
      let shift = (face - position[axis] + (isAbove ? -depth : depth)) / variance
      let unexplained = max(0, beyond - 1)
      let change = (unexplained * unexplained - hazard * (hazard - beyond)) / variance
      let response = covariance.row(axis)
      position += shift * response
      position[axis] = min(max(position[axis], lower[axis]), upper[axis])
      covariance.addOuterProduct(of: response, times: change)
    }
    // A shift along one axis may move the others by their correlation.
    for axis in 0..<3 where covariance[axis, axis] > 0 {
      position[axis] = min(max(position[axis], lower[axis]), upper[axis])
    }
  }

  /// Returns the density of a standard normal variable at `bound`, above 0, over the probability of
  /// a larger value.
  private static func hazard(_ bound: Double) -> Double {
    // Far out both underflow: an asymptotic series.
    if bound > 20 { return bound + 1 / bound - 2 / (bound * bound * bound) }
    let density = Double.exp(-0.5 * bound * bound) / (2 * Double.pi).squareRoot()
    return density / (0.5 * Double.erfc(bound * 0.5.squareRoot()))
  }
}
