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
