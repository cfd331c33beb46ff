/// The distance from a point in motion to an anchor, as a measurement of a filter.
///
/// State x = position (m) then velocity (m/s), six numbers:
///
///     h(x) = |p - a|        H = [ (p - a)ᵀ / |p - a|   0 0 0 ]
///
/// An anchor whose position is uncertain adds its variance along the line of sight to the noise.
@frozen
public struct RangeModel: MeasurementModel, Equatable {
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
  @inline(__always)
  public func expectation(at state: Vector<6>) -> (distance: Double, derivative: Matrix<1, 6>) {
    let x = state[0] - anchor[0]
    let y = state[1] - anchor[1]
    let z = state[2] - anchor[2]
    let square = x * x + y * y + z * z
    // Beyond these bounds a square could have overflowed or lost its digits.
    guard square > 1e-280, square < 1e280 else {
      let (distance, direction) = Self.direction(of: Vector([x, y, z]))
      return (distance, Matrix([[direction[0], direction[1], direction[2], 0, 0, 0]]))
    }
    let distance = square.squareRoot()
    return (distance, Matrix([[x / distance, y / distance, z / distance, 0, 0, 0]]))
  }

  /// Length and direction of `offset`, which may be tiny, huge or zero.
  @usableFromInline
  static func direction(of offset: Vector<3>) -> (distance: Double, direction: Vector<3>) {
    let distance = offset.length
    guard distance > 0 else { return (distance, Vector([1, 0, 0])) }
    return (
      distance, Vector([offset[0] / distance, offset[1] / distance, offset[2] / distance])
    )
  }

  /// Variance of the difference between a range of `sigma` metres and the expectation, m².
  @inlinable
  public func variance(sigma: Double) -> Double {
    sigma * sigma + anchorSigma * anchorSigma
  }

  /// The distance expected at `state`.
  @inlinable
  public func measurement(at state: Vector<6>) -> Vector<1> {
    Vector(repeating: expectation(at: state).distance)
  }

  /// The derivative of the distance at `state`.
  @inlinable
  public func derivative(at state: Vector<6>) -> Matrix<1, 6> {
    expectation(at: state).derivative
  }
}
