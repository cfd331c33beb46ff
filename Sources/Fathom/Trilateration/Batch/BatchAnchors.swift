/// The anchors that all epochs of a batch share.
struct BatchAnchors: Sendable {
  /// The anchors as given, metres; third coordinate 0 for anchors in the plane.
  let anchors: [Vector<3>]
  /// Standard deviations of the ranges to them, metres.
  let sigmas: [Double]
  /// Number of unknown coordinates: 2 where the third is known.
  let free: Int
  /// The known third coordinate, metres; 0 where it is unknown.
  let height: Double
  /// The affine span of all anchors.
  let span: AnchorSpan<3>

  /// Checks what the caller gave.
  init(
    _ anchors: [Vector<3>], _ sigmas: [Double]?, _ rangeSigma: Double, height: Double?
  ) throws(TrilaterationError) {
    guard sigmas == nil || sigmas?.count == anchors.count else {
      throw .countMismatch(ranges: sigmas?.count ?? 0, anchors: anchors.count)
    }
    let sigmas = sigmas ?? [Double](repeating: rangeSigma, count: anchors.count)
    for index in anchors.indices {
      guard anchors[index].isFinite else { throw .anchorNotFinite(index: index) }
      let weight = 1 / (sigmas[index] * sigmas[index])
      guard sigmas[index] > 0, weight > 0, weight.isFinite else {
        throw .sigmaNotPositive(index: index)
      }
    }
    if let height, !height.isFinite { throw .heightNotFinite }
    self.anchors = anchors
    self.sigmas = sigmas
    self.height = height ?? 0
    free = height == nil ? 3 : 2
    span = AnchorSpan(of: anchors, free: free)
  }

  /// The centre that positions are relative to inside the solvers: that of the anchors, its third
  /// coordinate the known height where there is one.
  var centre: Vector<3> {
    var centre = span.centre
    if free == 2 { centre[2] = height }
    return centre
  }

  /// Whether the first position lies above the second: across the affine span, the last coordinate
  /// that tells its sides apart grows.
  func isAbove(_ first: Vector<3>, _ second: Vector<3>) -> Bool {
    let offset = first - second
    var last = free - 1
    while last > 0, offset[last].magnitude < 1e-6 * offset.length { last -= 1 }
    return offset[last] > 0
  }

  /// Number of anchors.
  var count: Int { anchors.count }
}

/// The anchors as points in space whose third coordinate is 0.
func inSpace(_ anchors: [Vector<2>]) -> [Vector<3>] {
  anchors.map { Vector([$0[0], $0[1], 0]) }
}
