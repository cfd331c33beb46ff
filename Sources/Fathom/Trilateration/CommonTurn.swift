/// A turn about the vertical that the orientations of all sightings have in common: the error of a
/// compass, or a heading that was never known.
///
/// Orientations R are then truly T R, with T the turn; what was measured of a position p is measured
/// of Tᵀ (p - a) + a with the orientation as it was given.
struct CommonTurn {
  private let cosine: Double
  private let sine: Double

  /// The turn by `angle`, counter-clockwise seen from above.
  init(_ angle: Angle) {
    (cosine, sine) = (angle.cosine, angle.sine)
  }

  /// A vector in the world, turned.
  func applied(to vector: Vector<3>) -> Vector<3> {
    Vector([
      cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1], vector[2],
    ])
  }

  /// `position` turned back about `anchor`.
  func undone(_ position: Vector<3>, about anchor: Vector<3>) -> Vector<3> {
    let (x, y) = (position[0] - anchor[0], position[1] - anchor[1])
    // Without a turn the position is what it was, to the bit.
    if sine == 0, cosine == 1 { return position }
    return Vector([
      anchor[0] + cosine * x + sine * y, anchor[1] - sine * x + cosine * y, position[2],
    ])
  }

  /// How fast `position`, turned back about `anchor` already, moves with the angle.
  static func motion(of position: Vector<3>, about anchor: Vector<3>) -> Vector<3> {
    Vector([position[1] - anchor[1], anchor[0] - position[0], 0])
  }
}
