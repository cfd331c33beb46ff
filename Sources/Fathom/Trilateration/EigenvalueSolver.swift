extension SquaredRanges {
  /// The global minimum, or both where it is a pair of mirror images, as an eigenvalue problem.
  ///
  /// λ = |x|² of the global minimum is the largest real eigenvalue of [Larsson et al. 2025]
  ///
  ///     [ D   I   0 ]
  ///     [ 0   D   g ]
  ///     [ gᵀ  0   0 ]
  ///
  /// by LAPACK's dgeev: no start and no iteration of its own. Close to a mirror plane eigenvalues keep
  /// half of their digits; the coordinate across then comes from |x|² = λ. Allocates.
  func minimaByEigenvalues() throws(LinearAlgebraError) -> [Vector<D>] {
    let top = free - 1
    var rest = pole
    for axis in 0..<top where forcing[axis] != 0 {
      let ratio = forcing[axis] / (2 * (spreads[axis] - spreads[top]))
      rest -= ratio * ratio
    }
    if rest > 0, forcing[top].magnitude <= 1e-13 * rest.squareRoot() {
      // The mirror plane: the largest eigenvalue is the pole itself.
      let height = rest.squareRoot()
      return [position(shift: 0, top: height), position(shift: 0, top: -height)]
    }
    var matrix = DenseMatrix(rows: 2 * free + 1, columns: 2 * free + 1)
    for axis in 0..<free {
      let diagonal = -2 * spreads[axis] - offset
      matrix[axis, axis] = diagonal
      matrix[free + axis, free + axis] = diagonal
      matrix[axis, free + axis] = 1
      matrix[free + axis, 2 * free] = forcing[axis]
      matrix[2 * free, axis] = forcing[axis]
    }
    var largest = -Double.infinity
    for value in try Eigendecomposition(matrix).eigenvalues {
      // A double root may come out as a pair with a tiny imaginary part.
      guard value.imaginary.magnitude <= 1e-7 * max(1e-9, value.magnitude) else { continue }
      largest = max(largest, value.real)
    }
    guard largest.isFinite else { return [] }
    let shift = max(0, largest - pole)
    var square = max(0, largest)
    for axis in 0..<top where forcing[axis] != 0 {
      let ratio = forcing[axis] / (2 * (spreads[axis] - spreads[top]) + shift)
      square -= ratio * ratio
    }
    let across = max(0, square).squareRoot()
    let isClose = shift <= 1e-4 * (largest.magnitude + 2 * spreads[0])
    return [
      position(shift: shift, top: isClose ? (forcing[top] < 0 ? -across : across) : nil)
    ]
  }
}
