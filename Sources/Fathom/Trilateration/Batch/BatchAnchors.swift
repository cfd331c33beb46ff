/// The common anchors of all epochs of a batch.
struct BatchAnchors: Sendable {
  /// The anchors, metres; third coordinate 0 for anchors in the plane.
  let anchors: [Vector<3>]
  /// Standard deviations of the ranges to the anchors, metres.
  let sigmas: [Double]
  /// Number of unknown coordinates: 2 if the third is known.
  let free: Int
  /// The known third coordinate, metres; 0 if unknown.
  let height: Double
  /// The affine span of all anchors.
  let span: AnchorSpan<3>

  /// Validates the input of the caller.
  init(
    _ anchors: [Vector<3>], _ sigmas: [Double]?, _ rangeSigma: Double, height: Double?
  ) throws(TrilaterationError) {
    guard sigmas == nil || sigmas?.count == anchors.count else {
      throw .countMismatch(ranges: sigmas?.count ?? 0, anchors: anchors.count)
    }
    let isGiven = sigmas != nil
    let sigmas = sigmas ?? [Double](repeating: rangeSigma, count: anchors.count)
    for index in anchors.indices {
      guard anchors[index].isFinite else { throw .anchorNotFinite(index: index) }
      let weight = 1 / (sigmas[index] * sigmas[index])
      guard sigmas[index] > 0, weight > 0, weight.isFinite else {
        throw isGiven ? .sigmaNotPositive(index: index) : .optionNotPositive("rangeSigma")
      }
    }
    if let height, !height.isFinite { throw .heightNotFinite }
    self.anchors = anchors
    self.sigmas = sigmas
    self.height = height ?? 0
    free = height == nil ? 3 : 2
    span = AnchorSpan(of: anchors, free: free)
  }

  /// The origin of positions inside the solvers: the centre of the anchors, with the known height,
  /// if any, as third coordinate.
  var centre: Vector<3> {
    var centre = span.centre
    if free == 2 { centre[2] = height }
    return centre
  }

  /// Number of anchors.
  var count: Int { anchors.count }
}

/// Returns the anchors as points in space with a third coordinate of 0.
func inSpace(_ anchors: [Vector<2>]) -> [Vector<3>] {
  anchors.map { Vector([$0[0], $0[1], 0]) }
}
