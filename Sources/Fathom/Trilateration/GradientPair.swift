/// The gradient of the sum of squares at points of two lanes; legend at ``LikelihoodLanes``.
///
/// Half the work of ``LinearisedPair``, and one pass.
struct GradientPair<Shape: BatchShape> {
  /// Sum of squares of all residuals in standard deviations.
  var squares = LanePair.zero
  var gx = LanePair.zero
  var gy = LanePair.zero
  var gz = LanePair.zero

  /// The gradient at the points (px, py, pz), for the two of four lanes that begin at an `offset`
  /// of bytes.
  @inline(__always)
  init(
    _ px: LanePair, _ py: LanePair, _ pz: LanePair, _ data: LikelihoodLanes.Data, _ offset: Int,
    _: Shape.Type
  ) {
    var squares = LanePair.zero
    var (gx, gy, gz) = (LanePair.zero, LanePair.zero, LanePair.zero)
    var ranges = data.ranges + offset
    var anchor = data.anchors
    for _ in 0..<data.count {
      let (dx, dy, dz) = (px - anchor[0], py - anchor[1], pz - anchor[2])
      // As in ``LinearisedPair``.
      let s = dx * dx + dy * dy + dz * dz + 1e-200
      let distance = s.squareRoot()
      let q = 1 / s
      let e = ranges.loadUnaligned(as: LanePair.self) - distance
      let we = ranges.loadUnaligned(fromByteOffset: 32, as: LanePair.self) * e
      squares += we * e
      let pull = we * (distance * q)
      gx += pull * dx
      gy += pull * dy
      if Shape.isSpace { gz += pull * dz }
      anchor += 3
      ranges += 64
    }
    (self.squares, self.gx, self.gy, self.gz) = (squares, gx, gy, gz)
  }
}
