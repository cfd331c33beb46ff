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
