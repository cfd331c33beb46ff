/// The affine span that anchors span: a point, a line, a plane or all of space.
///
/// A tag off the affine span has a mirror image behind it that no range can tell apart, which is
/// why the solvers look at the affine span before anything else. Coordinates are centred on the
/// anchors, so that large offsets (UTM, ECEF) cost no digits.
struct AnchorSpan<let D: Int>: Sendable {
  /// Mean of the anchors, metres.
  let centre: Vector<D>
  /// Orthonormal axes, one per row, widest spread first; the axes of given coordinates come last.
  let axes: Matrix<D, D>
  /// Number of axes along which the anchors differ.
  let rank: Int
  /// Root mean square distance of the anchors from their centre, metres.
  let spread: Double

  /// The affine span of `anchors` within the first `free` coordinates.
  ///
  /// An extent counts as one only where it exceeds 1e-7 of the largest and the rounding of the
  /// coordinates themselves.
  init(of anchors: [Vector<D>], free: Int) {
    // Summing differences from the first anchor keeps the digits that large offsets would cost.
    var centre = Vector<D>.zero
    if let first = anchors.first {
      for anchor in anchors { centre += anchor - first }
      centre = first + (1 / Double(anchors.count)) * centre
    }
    var scatter = Matrix<D, D>.zero
    var largestCoordinate = 0.0
    for anchor in anchors {
      let offset = anchor - centre
      for row in 0..<free {
        largestCoordinate = max(largestCoordinate, anchor[row].magnitude)
        for column in 0...row { scatter[row, column] += offset[row] * offset[column] }
      }
    }
    // Below every eigenvalue of the scatter, so that given coordinates sort last.
    for axis in free..<max(free, D) { scatter[axis, axis] = -1 }
    let principal = PrincipalAxes(of: scatter)
    let widest = max(0, principal.values[0]).squareRoot()
    let rounding = 8 * Double.ulpOfOne * largestCoordinate * Double(anchors.count).squareRoot()
    let limit = max(1e-7 * widest, rounding)
    var rank = 0
    for axis in 0..<free where max(0, principal.values[axis]).squareRoot() > limit { rank += 1 }
    self.centre = centre
    axes = principal.axes
    self.rank = rank
    spread = widest / Double(max(1, anchors.count)).squareRoot()
  }

  /// The coordinates of `offset` (from the centre) along the axes.
  func coordinates(of offset: Vector<D>) -> Vector<D> { axes * offset }

  /// The offset from the centre with the given coordinates along the axes.
  func offset(of coordinates: Vector<D>) -> Vector<D> {
    var result = Vector<D>.zero
    for axis in 0..<D { result += coordinates[axis] * axes.row(axis) }
    return result
  }
}
