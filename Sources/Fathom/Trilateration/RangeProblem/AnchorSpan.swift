/// The affine span of a set of anchors: a point, a line, a plane or the whole space.
///
/// A tag off the span has a mirror image that no range can distinguish, so the solvers determine
/// the span first. Coordinates are centred on the anchors, so that large offsets (UTM, ECEF) cost
/// no precision.
struct AnchorSpan<let D: Int>: Sendable {
  /// Mean of the anchors, metres.
  let centre: Vector<D>
  /// Orthonormal axes, one per row, largest spread first; the axes of known coordinates come last.
  let axes: Matrix<D, D>
  /// Number of axes along which the anchors differ.
  let rank: Int
  /// Root mean square distance of the anchors from their centre along the first axis, metres.
  let spread: Double

  /// Computes the affine span of `anchors` within the first `free` coordinates.
  ///
  /// An axis counts towards the rank if the extent along it exceeds both 1e-7 of the largest extent
  /// and the rounding error of the coordinates.
  init(of anchors: [Vector<D>], free: Int) {
    // Sums differences from the first anchor, to avoid the rounding errors of large offsets.
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
    // Below every eigenvalue of the scatter matrix, so that known coordinates sort last.
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

  /// Returns the coordinates of `offset` (from the centre) along the axes.
  func coordinates(of offset: Vector<D>) -> Vector<D> { axes * offset }

  /// Returns the offset from the centre that has the given coordinates along the axes.
  func offset(of coordinates: Vector<D>) -> Vector<D> {
    var result = Vector<D>.zero
    for axis in 0..<D { result += coordinates[axis] * axes.row(axis) }
    return result
  }

  /// Returns the share of an anchor in the spread of all along their axes, 0 to 1, where 1 means that
  /// the others do not span the space without it: its leverage in a linear regression.
  func share(of anchor: Vector<D>, _ anchors: [Vector<D>], _ free: Int) -> Double {
    guard rank >= free else { return 1 }
    let own = coordinates(of: anchor)
    var squares = Vector<D>.zero
    for anchor in anchors {
      let place = coordinates(of: anchor)
      for axis in 0..<free { squares[axis] += place[axis] * place[axis] }
    }
    var share = 1 / Double(anchors.count)
    for axis in 0..<free { share += own[axis] * own[axis] / squares[axis] }
    return share
  }
}
