/// The distance from a moving point to an anchor.
///
/// The state x has six components, position (m) then velocity (m/s):
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

  /// Creates a model of ranges to `anchor`, whose position has a standard deviation of
  /// `anchorSigma` metres per axis.
  @inlinable
  public init(anchor: Vector<3>, anchorSigma: Double = 0) {
    self.anchor = anchor
    self.anchorSigma = anchorSigma
  }

  /// Returns the distance expected at `state` and its derivative with respect to the state, 1 x 6.
  ///
  /// ## Edge cases
  /// At the anchor itself the derivative does not exist. The x axis is used instead, so that a
  /// range can still move the position off the anchor.
  @inlinable
  @inline(__always)
  public func expectation(at state: Vector<6>) -> (distance: Double, derivative: Matrix<1, 6>) {
    let x = state[0] - anchor[0]
    let y = state[1] - anchor[1]
    let z = state[2] - anchor[2]
    let square = x * x + y * y + z * z
    // Outside these bounds the square may have overflowed or lost its digits.
    guard square > 1e-280, square < 1e280 else {
      let (distance, direction) = Self.direction(of: Vector([x, y, z]))
      return (distance, Matrix([[direction[0], direction[1], direction[2], 0, 0, 0]]))
    }
    let distance = square.squareRoot()
    return (distance, Matrix([[x / distance, y / distance, z / distance, 0, 0, 0]]))
  }

  /// Returns length and direction of `offset`, which may be tiny, huge or zero.
  @usableFromInline
  static func direction(of offset: Vector<3>) -> (distance: Double, direction: Vector<3>) {
    let distance = offset.length
    guard distance > 0 else { return (distance, Vector([1, 0, 0])) }
    return (
      distance, Vector([offset[0] / distance, offset[1] / distance, offset[2] / distance])
    )
  }

  /// Returns the variance of the innovation of a range with standard deviation `sigma` (metres),
  /// m².
  @inlinable
  public func variance(sigma: Double) -> Double {
    sigma * sigma + anchorSigma * anchorSigma
  }

  /// Returns the distance expected at `state`.
  @inlinable
  public func measurement(at state: Vector<6>) -> Vector<1> {
    Vector(repeating: expectation(at: state).distance)
  }

  /// Returns the derivative of the distance at `state`.
  @inlinable
  public func derivative(at state: Vector<6>) -> Matrix<1, 6> {
    expectation(at: state).derivative
  }
}

/// A range whose bias and scale error are components of the state.
///
///     h(x) = (1 + k) |p - a| + b
///
/// Bias b (metres) and scale error k (dimensionless, 0.06 for 6 %) are the components of the state
/// at ``bias`` and ``scale``; either may be omitted. The first three components are the position.
@frozen
public struct ScaledRangeModel<let N: Int>: MeasurementModel, Equatable {
  /// a: the anchor's position, metres.
  public var anchor: Vector<3>
  /// Index of the bias in the state, 3..<N; nil without one.
  public var bias: Int?
  /// Index of the scale error in the state, 3..<N; nil without one.
  public var scale: Int?

  /// Creates a model of ranges to `anchor`.
  @inlinable
  public init(anchor: Vector<3>, bias: Int? = nil, scale: Int? = nil) {
    precondition((bias ?? 3) >= 3 && (bias ?? 3) < max(N, 4), "the bias is not in the state")
    precondition((scale ?? 3) >= 3 && (scale ?? 3) < max(N, 4), "the scale is not in the state")
    self.anchor = anchor
    self.bias = bias
    self.scale = scale
  }

  /// Returns the range expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<1> {
    let distance = LineOfSight(to: state, from: anchor).distance
    let stretch = 1 + (scale.map { state[$0] } ?? 0)
    return Vector(repeating: stretch * distance + (bias.map { state[$0] } ?? 0))
  }

  /// Returns its derivative; at the anchor itself the x axis replaces the line of sight.
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
  /// Unit vector; the x axis when the distance is zero.
  @usableFromInline
  let direction: Vector<3>

  @inlinable
  init<let N: Int>(to state: Vector<N>, from point: Vector<3>) {
    precondition(N >= 3, "the state has no position")
    (distance, direction) = RangeModel.direction(
      of: Vector([state[0] - point[0], state[1] - point[1], state[2] - point[2]]))
  }
}

/// A range difference between two anchors: a time difference of arrival times the speed of light.
///
///     h(x) = |p - a| - |p - b|
///
/// The first three components of the state are the position. Without noise, no difference exceeds
/// the distance between the anchors, ``baseline``.
@frozen
public struct RangeDifferenceModel<let N: Int>: MeasurementModel, Equatable {
  /// a: the anchor whose distance counts positive, metres.
  public var first: Vector<3>
  /// b: the anchor whose distance counts negative, metres.
  public var second: Vector<3>

  /// Creates a model of the distance to `first` minus the distance to `second`.
  @inlinable
  public init(first: Vector<3>, second: Vector<3>) {
    self.first = first
    self.second = second
  }

  /// The distance between the anchors, which only noise lets a difference exceed, metres.
  @inlinable
  public var baseline: Double { (first - second).length }

  /// Returns the difference expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<1> {
    let difference =
      LineOfSight(to: state, from: first).distance - LineOfSight(to: state, from: second).distance
    return Vector(repeating: difference)
  }

  /// Returns its derivative: the difference of the two line-of-sight vectors.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<1, N> {
    let (one, other) = (LineOfSight(to: state, from: first), LineOfSight(to: state, from: second))
    var result = Matrix<1, N>.zero
    for axis in 0..<3 { result[0, axis] = one.direction[axis] - other.direction[axis] }
    return result
  }
}
