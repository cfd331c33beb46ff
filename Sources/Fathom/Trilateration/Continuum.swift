/// The circle or sphere of positions that ranges leave where their anchors lack two dimensions or
/// more.
///
/// Anchors on a line leave a circle around it, one anchor a sphere around itself, in a known plane
/// a circle in it.
public struct Continuum<let D: Int>: Sendable, Equatable {
  /// The middle of the circle or sphere, metres.
  public let centre: Vector<D>
  /// Its radius, metres; zero where the ranges do not reach from the line to each other.
  public let radius: Double
  /// Orthonormal directions from the centre that it extends in: two for a circle, three for a
  /// sphere.
  public let directions: [Vector<D>]
}

extension Continuum where D == 3 {
  /// The unit vector along the axis of a circle; nil for a sphere.
  public var axis: Vector<3>? {
    guard directions.count == 2 else { return nil }
    let (first, second) = (directions[0], directions[1])
    return Vector([
      first[1] * second[2] - first[2] * second[1], first[2] * second[0] - first[0] * second[2],
      first[0] * second[1] - first[1] * second[0],
    ])
  }
}

extension RangeProblem {
  /// What the ranges leave of the directions across the flat of their anchors; nil where there are
  /// too few to say.
  ///
  /// The middle solves the linear equations along the flat, and the mean square of the ranges off
  /// it is the square of the radius.
  func continuum(directions: [Vector<D>]) -> Continuum<D>? {
    guard let coordinates = linearCoordinates(dimensions: flat.rank) else { return nil }
    let square = squareOffFlat(at: coordinates, dimensions: flat.rank)
    var centre = flat.centre + flat.offset(of: coordinates)
    for axis in free..<max(free, D) { centre[axis] = known[axis] }
    guard square.isFinite, centre.isFinite else { return nil }
    return Continuum(
      centre: centre, radius: max(0, square).squareRoot(), directions: directions)
  }
}
