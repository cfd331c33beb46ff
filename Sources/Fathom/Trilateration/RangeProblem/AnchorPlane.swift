/// A nearly horizontal plane of anchors, such as a ceiling.
///
/// Ranges to its anchors hardly distinguish a position from its mirror image behind the plane. The
/// images differ mainly in height, so one is the lower one, and a known ``AnchorSide`` selects one.
package struct AnchorPlane: Sendable {
  /// The mean of the anchors, metres.
  package let centre: Vector<3>
  /// The unit normal, upwards.
  let normal: Vector<3>
  /// The largest distance of an anchor from the plane, metres.
  let thickness: Double

  /// The largest ratio of the anchors' root mean square distance from the plane to their spread
  /// along its shorter axis.
  private static let mostRelativeThickness = 0.1

  /// Creates the plane that fits `anchors` best; nil if they span less than a plane, are not nearly
  /// in one plane, or the plane is not nearly horizontal.
  package init?(nearlyHorizontal anchors: [Vector<3>]) {
    let span = AnchorSpan(of: anchors, free: 3)
    guard span.rank >= 2 else { return nil }
    let axis = span.axes.row(2)
    let normal = axis[2] < 0 ? -axis : axis
    guard normal[2] >= AnchorSide.leastRise else { return nil }
    var (along, across, thickness) = (0.0, 0.0, 0.0)
    for anchor in anchors {
      let offset = span.coordinates(of: anchor - span.centre)
      along += offset[1] * offset[1]
      across += offset[2] * offset[2]
      thickness = max(thickness, offset[2].magnitude)
    }
    let ratio = Self.mostRelativeThickness
    guard across <= ratio * ratio * along else { return nil }
    centre = span.centre
    self.normal = normal
    self.thickness = thickness
  }

  /// Returns whether a position lies beyond all anchors on the other side than `side`.
  @inline(__always)
  func isBeyond(_ position: Vector<3>, from side: AnchorSide) -> Bool {
    let height = (position - centre).dot(normal)
    return (side == .below ? height : -height) > thickness
  }
}
