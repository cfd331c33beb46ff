/// A normal prior of a position: what is known before the ranges are used.
public struct PositionPrior<let D: Int>: Sendable, Equatable {
  /// The mean, metres.
  public let position: Vector<D>
  /// The inverse of the covariance, 1/m².
  public let information: Matrix<D, D>

  /// Creates a normal prior, or nil if a number is not finite or the covariance is not positive
  /// definite.
  public init?(position: Vector<D>, covariance: Matrix<D, D>) {
    guard position.isFinite, let information = Cholesky(covariance)?.inverse(),
      information.isFinite
    else { return nil }
    self.position = position
    self.information = information
  }

  /// Creates an isotropic prior, or nil if a number is not finite or `sigma`, metres, is not
  /// positive.
  public init?(position: Vector<D>, sigma: Double) {
    guard sigma > 0 else { return nil }
    self.init(position: position, covariance: sigma * sigma * Matrix<D, D>.identity)
  }
}

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
