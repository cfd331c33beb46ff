import RealModule

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

  /// Returns whether a position may be that of the tag.
  func contains(_ position: Vector<3>) -> Bool {
    sided?.isWrong(position) != true && box?.contains(position) != false
  }

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

extension PositionBounds<3> {
  /// Moves a position outside of the box into it.
  ///
  /// For every face that it is beyond, the normal distribution is truncated there, and the result has
  /// the mean of the rest and its covariance [Simon 2006]. A position beyond by more than its standard
  /// deviation shows an error of that size, so that the square of the excess is added.
  func keep(_ position: inout Vector<3>, _ covariance: inout Matrix<3, 3>) {
    for axis in 0..<3 {
      let isAbove = position[axis] > upper[axis]
      guard isAbove || position[axis] < lower[axis] else { continue }
      let face = isAbove ? upper[axis] : lower[axis]
      let excess = (position[axis] - face).magnitude
      let variance = covariance[axis, axis]
      // A height that is exact stays.
      guard variance > 0, variance.isFinite else { continue }
      let sigma = variance.squareRoot()
      let beyond = excess / sigma
      let hazard = Self.hazard(beyond)
      // From the face inwards, at most to the middle.
      let depth = min(sigma * (hazard - beyond), 0.5 * (upper[axis] - lower[axis]))
      let shift = (face - position[axis] + (isAbove ? -depth : depth)) / variance
      let unexplained = max(0, beyond - 1)
      let change = (unexplained * unexplained - hazard * (hazard - beyond)) / variance
      let response = covariance.row(axis)
      position += shift * response
      position[axis] = min(max(position[axis], lower[axis]), upper[axis])
      covariance.addOuterProduct(of: response, times: change)
    }
    // A shift along one axis may move the others by their correlation.
    for axis in 0..<3 where covariance[axis, axis] > 0 {
      position[axis] = min(max(position[axis], lower[axis]), upper[axis])
    }
  }

  /// Returns the density of a standard normal variable at `bound`, above 0, over the probability of
  /// a larger value.
  private static func hazard(_ bound: Double) -> Double {
    // Far out both underflow: an asymptotic series.
    if bound > 20 { return bound + 1 / bound - 2 / (bound * bound * bound) }
    let density = Double.exp(-0.5 * bound * bound) / (2 * Double.pi).squareRoot()
    return density / (0.5 * Double.erfc(bound * 0.5.squareRoot()))
  }
}
