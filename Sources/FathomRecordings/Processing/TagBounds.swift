import Fathom

/// A box that holds the tags, as files and settings have it.
package enum TagBounds {
  /// The box between two corners.
  ///
  /// - Parameter corners: the least and the greatest coordinates, two or three each; without a third
  ///   the box goes all the way up.
  /// - Returns: The box; nil where the corners make none.
  package static func box(_ corners: [[Double]]) -> PositionBounds<3>? {
    guard corners.count == 2, corners[0].count == corners[1].count,
      (2...3).contains(corners[0].count),
      zip(corners[0], corners[1]).allSatisfy({ $0.isFinite && $1.isFinite && $0 <= $1 })
    else { return nil }
    var bounds = PositionBounds<3>(
      lower: Vector(repeating: -.infinity), upper: Vector(repeating: .infinity))
    for axis in corners[0].indices {
      bounds.lower[axis] = corners[0][axis]
      bounds.upper[axis] = corners[1][axis]
    }
    return bounds
  }
}
