/// What is known about where a tag is, whatever its ranges say: the side of its anchors, and a box.
///
/// It also has the plane of the anchors, which no track may cross unnoticed.
///
/// Ranges alone can lead a track out of it: through the plane of the anchors to the mirror image,
/// where the track stays, or across a face of the box by the errors of ranges. A filter and a smoother
/// correct both in the same way, at all times.
struct TagRegion: Sendable {
  private let sided: SidedPlane?
  private let box: PositionBounds<3>?
  /// The plane in which the anchors nearly lie; nil without one.
  private let plane: AnchorPlane?

  /// Creates the region for a tag that hears `anchors`; nil if nothing is known, and the anchors are
  /// not in one plane.
  init?(of anchors: [Vector<3>], _ configuration: TrackerConfiguration) {
    sided = SidedPlane(of: anchors, configuration)
    box = configuration.bounds
    let isLevel = configuration.exactHeight != nil
    plane = AnchorPlane(through: anchors, isLevel: isLevel)
    if plane == nil, box == nil { return nil }
  }

  /// The plane of the anchors if a tag may be on both sides of it.
  var openPlane: AnchorPlane? { sided == nil ? plane : nil }

  /// Returns whether a position is on the wrong side of the anchors.
  func isOnWrongSide(_ position: Vector<3>) -> Bool { sided?.isWrong(position) == true }

  /// Returns the mirror for a position that is outside of the region and whose mirror image is inside;
  /// nil if the position is not to be replaced.
  @inline(__always)
  func mirror(for position: Vector<3>) -> AnchorPlane? {
    if let sided, sided.isWrong(position) { return sided.plane }
    guard let box, let plane, !box.contains(position), box.contains(plane.image(of: position))
    else {
      return nil
    }
    return plane
  }

  /// Moves an estimate into the region.
  ///
  /// It is replaced by its mirror image if that is inside, and then moved into the box.
  func keep(_ estimate: inout TrackEstimate) {
    if let mirror = mirror(for: estimate.position) { estimate = mirror.image(of: estimate) }
    box?.keep(&estimate.position, &estimate.covariance)
  }
}
