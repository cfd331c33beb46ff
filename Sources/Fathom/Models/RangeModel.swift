/// The distance from a point in motion to an anchor, as a measurement of a filter.
///
/// State x = position (m) then velocity (m/s), six numbers:
///
///     h(x) = |p - a|        H = [ (p - a)ᵀ / |p - a|   0 0 0 ]
///
/// An anchor whose position is uncertain adds its variance along the line of sight to the noise.
@frozen
public struct RangeModel: Sendable, Equatable {
  /// a: the anchor's position, metres.
  public var anchor: Vector<3>
  /// Standard deviation of the anchor's position per axis, metres.
  public var anchorSigma: Double

  /// Ranges to `anchor`, whose position is known to `anchorSigma` metres per axis.
  @inlinable
  public init(anchor: Vector<3>, anchorSigma: Double = 0) {
    self.anchor = anchor
    self.anchorSigma = anchorSigma
  }

  /// The distance expected at `state` and its derivative by the state, 1 x 6.
  ///
  /// ## Edge cases
  /// At the anchor itself the derivative does not exist; the x axis stands in for it, so that a
  /// range can still push the position away.
  @inlinable
  public func expectation(at state: Vector<6>) -> (distance: Double, derivative: Matrix<1, 6>) {
    var offset = Vector<3>.zero
    for axis in 0..<3 { offset[axis] = state[axis] - anchor[axis] }
    let distance = offset.length
    var derivative = Matrix<1, 6>.zero
    if distance > 0 {
      for axis in 0..<3 { derivative[0, axis] = offset[axis] / distance }
    } else {
      derivative[0, 0] = 1
    }
    return (distance, derivative)
  }

  /// Variance of the difference between a range of `sigma` metres and the expectation, m².
  @inlinable
  public func variance(sigma: Double) -> Double {
    sigma * sigma + anchorSigma * anchorSigma
  }
}
