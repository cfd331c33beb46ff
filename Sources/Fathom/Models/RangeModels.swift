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

/// A range with a bias and a scale error that are part of the state.
///
///     h(x) = (1 + k) |p - a| + b
///
/// Bias b (metres) and scale error k (dimensionless, 0.06 for 6 %) are the components of the state
/// at ``bias`` and ``scale``; either may be left out. The position is in the first three.
@frozen
public struct ScaledRangeModel<let N: Int>: MeasurementModel, Equatable {
  /// a: the anchor's position, metres.
  public var anchor: Vector<3>
  /// Which component of the state is the bias, 3..<N; nil for none.
  public var bias: Int?
  /// Which component of the state is the scale error, 3..<N; nil for none.
  public var scale: Int?

  /// Ranges to `anchor`.
  @inlinable
  public init(anchor: Vector<3>, bias: Int? = nil, scale: Int? = nil) {
    precondition((bias ?? 3) >= 3 && (bias ?? 3) < max(N, 4), "the bias is not in the state")
    precondition((scale ?? 3) >= 3 && (scale ?? 3) < max(N, 4), "the scale is not in the state")
    self.anchor = anchor
    self.bias = bias
    self.scale = scale
  }

  /// The range expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<1> {
    let distance = LineOfSight(to: state, from: anchor).distance
    let stretch = 1 + (scale.map { state[$0] } ?? 0)
    return Vector(repeating: stretch * distance + (bias.map { state[$0] } ?? 0))
  }

  /// Its derivative; at the anchor itself the x axis stands in for the line of sight.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<1, N> {
    let sight = LineOfSight(to: state, from: anchor)
    let stretch = 1 + (scale.map { state[$0] } ?? 0)
    var result = Matrix<1, N>.zero
    for axis in 0..<3 { result[0, axis] = stretch * sight.direction[axis] }
    if let bias { result[0, bias] = 1 }
    if let scale { result[0, scale] = sight.distance }
    return result
  }
}

/// Length and direction of the line from a point to the position of a state.
@frozen
@usableFromInline
struct LineOfSight {
  @usableFromInline
  let distance: Double
  /// Of length 1; the x axis where the distance is zero.
  @usableFromInline
  let direction: Vector<3>

  @inlinable
  init<let N: Int>(to state: Vector<N>, from point: Vector<3>) {
    precondition(N >= 3, "the state has no position")
    (distance, direction) = RangeModel.direction(
      of: Vector([state[0] - point[0], state[1] - point[1], state[2] - point[2]]))
  }
}

/// How much farther one anchor is than another: a time difference of arrival times the speed of
/// light.
///
///     h(x) = |p - a| - |p - b|
///
/// The position is in the first three components of the state. No possible difference exceeds the
/// distance of the anchors, ``baseline``.
@frozen
public struct RangeDifferenceModel<let N: Int>: MeasurementModel, Equatable {
  /// a: the anchor whose distance counts positive, metres.
  public var first: Vector<3>
  /// b: the anchor whose distance counts negative, metres.
  public var second: Vector<3>

  /// Differences of the distances to `first` and to `second`.
  @inlinable
  public init(first: Vector<3>, second: Vector<3>) {
    self.first = first
    self.second = second
  }

  /// The distance of the anchors, which no difference exceeds but for its noise, metres.
  @inlinable
  public var baseline: Double { (first - second).length }

  /// The difference expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<1> {
    let difference =
      LineOfSight(to: state, from: first).distance - LineOfSight(to: state, from: second).distance
    return Vector(repeating: difference)
  }

  /// Its derivative: the difference of two lines of sight.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<1, N> {
    let (one, other) = (LineOfSight(to: state, from: first), LineOfSight(to: state, from: second))
    var result = Matrix<1, N>.zero
    for axis in 0..<3 { result[0, axis] = one.direction[axis] - other.direction[axis] }
    return result
  }
}
