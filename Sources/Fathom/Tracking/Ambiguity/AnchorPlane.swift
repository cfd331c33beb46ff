import RealModule

/// A plane in which anchors nearly lie, such as a ceiling or a wall.
///
/// Ranges to its anchors hardly distinguish a position from its mirror image behind the plane. If it
/// is nearly horizontal, the images differ mainly in height, so one is the lower one, and a known
/// ``AnchorSide`` selects one.
struct AnchorPlane: Sendable {
  /// The mean of the anchors, metres.
  let centre: Vector<3>
  /// The unit normal, upwards if the plane is not vertical.
  let normal: Vector<3>
  /// The largest distance of an anchor from the plane, metres.
  let thickness: Double

  /// The largest ratio of the anchors' root mean square distance from the plane to their spread
  /// along its shorter axis, however thick the plane is.
  private static let mostRelativeThickness = 0.1
  /// The root mean square distance from the plane, in metres, up to which the larger ratio applies: the
  /// ranges to an anchor from both sides differ by at most twice its distance, and reflections that last
  /// for seconds are as long.
  private static let thinPlaneThickness = 0.25
  /// The largest ratio of a plane of at most ``thinPlaneThickness``.
  private static let mostThinPlaneRatio = 0.3

  /// Creates the plane that fits `anchors` best; nil if they span less than a plane, are not nearly
  /// in one plane, or the plane is not nearly horizontal.
  init?(nearlyHorizontal anchors: [Vector<3>]) {
    self.init(through: anchors, isLevel: false)
    guard normal[2] >= AnchorSide.leastRise else { return nil }
  }

  /// Creates the plane that fits `anchors` best, or the vertical one for a tag at a known height; nil
  /// if they span less than a plane or a line, or are not nearly in it.
  init?(through anchors: [Vector<3>], isLevel: Bool) {
    let free = isLevel ? 2 : 3
    let span = AnchorSpan(of: anchors, free: free)
    guard span.rank >= free - 1 else { return nil }
    let axis = span.axes.row(free - 1)
    normal = axis[2] < 0 ? -axis : axis
    var (along, across, thickness) = (0.0, 0.0, 0.0)
    for anchor in anchors {
      let offset = span.coordinates(of: anchor - span.centre)
      along += offset[free - 2] * offset[free - 2]
      across += offset[free - 1] * offset[free - 1]
      thickness = max(thickness, offset[free - 1].magnitude)
    }
    let square = Self.thinPlaneThickness * Self.thinPlaneThickness * Double(anchors.count)
    let ratio = across <= square ? Self.mostThinPlaneRatio : Self.mostRelativeThickness
    guard across <= ratio * ratio * along else { return nil }
    centre = span.centre
    self.thickness = thickness
  }

  /// The plane as a mirror.
  var mirror: Mirror { Mirror(centre: centre, normal: normal) }

  /// Returns the mirror image of a position.
  func image(of position: Vector<3>) -> Vector<3> { mirror.image(of: position) }

  /// Returns the mirror image of an estimate.
  func image(of estimate: TrackEstimate) -> TrackEstimate {
    var result = estimate
    result.position = image(of: estimate.position)
    result.velocity += (-2 * estimate.velocity.dot(normal)) * normal
    result.covariance = image(ofCovariance: estimate.covariance)
    return result
  }

  /// Returns H C H with H = I - 2 n nᵀ.
  func image(ofCovariance covariance: Matrix<3, 3>) -> Matrix<3, 3> {
    let response = covariance * normal
    let variance = normal.dot(response)
    var image = covariance
    for row in 0..<3 {
      for column in 0..<3 {
        let cross = normal[row] * response[column] + response[row] * normal[column]
        image[row, column] -= 2 * cross - 4 * variance * (normal[row] * normal[column])
      }
    }
    return image
  }

  /// Returns whether a position lies beyond all anchors on the other side than `side`.
  @inline(__always)
  func isBeyond(_ position: Vector<3>, from side: AnchorSide) -> Bool {
    let height = (position - centre).dot(normal)
    return (side == .below ? height : -height) > thickness
  }
}

/// A nearly horizontal plane of anchors and the side on which the tag is known to be.
struct SidedPlane: Sendable {
  let plane: AnchorPlane
  let side: AnchorSide

  /// Creates the plane of `anchors` and the side in `configuration`; nil without such a plane or
  /// side, and for an exact height.
  ///
  /// A height with a standard deviation on the other side contradicts the side and replaces it.
  init?(of anchors: [Vector<3>], _ configuration: TrackerConfiguration) {
    guard let side = configuration.side, configuration.exactHeight == nil,
      let plane = AnchorPlane(nearlyHorizontal: anchors)
    else { return nil }
    if let height = configuration.height {
      var place = plane.centre
      place[2] = height
      if plane.isBeyond(place, from: side) { return nil }
    }
    (self.plane, self.side) = (plane, side)
  }

  /// Returns whether a position lies beyond all anchors on the wrong side.
  @inline(__always)
  func isWrong(_ position: Vector<3>) -> Bool { plane.isBeyond(position, from: side) }

  /// Returns the distance between a position and its mirror image, metres.
  func separation(of position: Vector<3>) -> Double {
    2 * (position - plane.centre).dot(plane.normal).magnitude
  }
}

extension SidedPlane {
  /// Returns the distribution of a position that is known to be on the side.
  ///
  /// A position on the wrong side is replaced by its mirror image. Then the normal distribution is
  /// truncated at the anchors: the result has the mean and the covariance of the rest [Simon 2006].
  /// This moves a position on the plane itself, where ranges have no gradient across
  /// it, to the side.
  func truncated(
    _ position: Vector<3>, _ covariance: Matrix<3, 3>
  ) -> (position: Vector<3>, covariance: Matrix<3, 3>) {
    let isWrong = isWrong(position)
    var position = isWrong ? plane.image(of: position) : position
    var covariance = isWrong ? plane.image(ofCovariance: covariance) : covariance
    let inwards = side == .below ? -plane.normal : plane.normal
    let response = covariance * inwards
    let variance = inwards.dot(response)
    guard variance > 0, variance.isFinite else { return (position, covariance) }
    let sigma = variance.squareRoot()
    // From the position to the anchors in standard deviations; not positive after the reflection.
    let bound = -((position - plane.centre).dot(inwards) + plane.thickness) / sigma
    let density = Double.exp(-0.5 * bound * bound) / (2 * Double.pi).squareRoot()
    let shift = density / (0.5 * Double.erfc(bound * 0.5.squareRoot()))
    let loss = shift * (shift - bound)
    position += (shift / sigma) * response
    for row in 0..<3 {
      for column in 0..<3 {
        covariance[row, column] -= loss / variance * (response[row] * response[column])
      }
    }
    return (position, covariance)
  }
}
