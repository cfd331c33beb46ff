import Fathom

/// Returns the distance between two points, in metres.
public func distance(from first: Vector<3>, to second: Vector<3>) -> Double {
  (first - second).length
}
