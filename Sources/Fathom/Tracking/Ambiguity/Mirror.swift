/// A plane in which two places of a tag are images of each other.
struct Mirror: Sendable {
  /// A point in the plane.
  let centre: Vector<3>
  /// The unit normal of the plane.
  let normal: Vector<3>

  /// Creates the mirror with a centre and a unit normal.
  init(centre: Vector<3>, normal: Vector<3>) {
    (self.centre, self.normal) = (centre, normal)
  }

  /// Creates the mirror half way between two positions; nil if they are equal.
  init?(between first: Vector<3>, and second: Vector<3>) {
    let across = second - first
    let length = across.length
    guard length > 0, length.isFinite else { return nil }
    self.init(centre: first + 0.5 * across, normal: (1 / length) * across)
  }

  /// Creates the plane that fits `anchors` best, or the vertical plane for a tag at a known height; nil if
  /// the anchors span less.
  init?(behind anchors: [Vector<3>], isLevel: Bool) {
    let free = isLevel ? 2 : 3
    let span = AnchorSpan(of: anchors, free: free)
    guard span.rank >= free - 1 else { return nil }
    self.init(centre: span.centre, normal: span.axes.row(free - 1))
  }

  /// Returns the distance of a position from the plane, metres, signed along the normal.
  @inline(__always)
  func distance(of position: Vector<3>) -> Double { (position - centre).dot(normal) }

  /// Returns the image of a position.
  @inline(__always)
  func image(of position: Vector<3>) -> Vector<3> {
    position + (-2 * distance(of: position)) * normal
  }
}
