/// A normal prior of a position: what is known before its ranges are used.
public struct PositionPrior<let D: Int>: Sendable, Equatable {
  /// The most likely position, metres.
  public let position: Vector<D>
  /// The inverse of its covariance, 1/m².
  public let information: Matrix<D, D>

  /// A normal prior; nil where a number is not finite or the covariance is not positive definite.
  public init?(position: Vector<D>, covariance: Matrix<D, D>) {
    guard position.isFinite, let information = Cholesky(covariance)?.inverse(),
      information.isFinite
    else { return nil }
    self.position = position
    self.information = information
  }

  /// A prior of the same accuracy in all directions; nil where a number is not finite or `sigma`,
  /// metres, not positive.
  public init?(position: Vector<D>, sigma: Double) {
    guard sigma > 0 else { return nil }
    self.init(position: position, covariance: sigma * sigma * Matrix<D, D>.identity)
  }
}

/// A box that holds the position: it chooses between mirror images.
public struct PositionBounds<let D: Int>: Sendable, Equatable {
  /// The least coordinates, metres; minus infinity where there is no bound.
  public var lower: Vector<D>
  /// The greatest coordinates, metres; infinity where there is no bound.
  public var upper: Vector<D>

  /// The box between two corners.
  public init(lower: Vector<D>, upper: Vector<D>) {
    self.lower = lower
    self.upper = upper
  }

  /// Whether a position lies inside or on the border.
  public func contains(_ position: Vector<D>) -> Bool {
    for axis in 0..<D where !(position[axis] >= lower[axis] && position[axis] <= upper[axis]) {
      return false
    }
    return true
  }
}
