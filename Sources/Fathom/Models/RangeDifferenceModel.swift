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
