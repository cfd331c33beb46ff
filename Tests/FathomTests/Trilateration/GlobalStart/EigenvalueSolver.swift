@testable import Fathom

extension SquaredRanges {
  /// Computes the global minimum, or both of a pair of mirror images, as an eigenvalue problem.
  ///
  /// λ = |x|² of the global minimum is the largest real eigenvalue of [Larsson et al. 2025]
  ///
  ///     [ D   I   0 ]
  ///     [ 0   D   g ]
  ///     [ gᵀ  0   0 ]
  ///
  /// computed by LAPACK's dgeev, which does not exploit the structure. Close to a mirror plane the
  /// eigenvalues are nearly double and lose half of their digits, and smaller distances from the
  /// pole are lost completely. ``polished(_:)`` corrects them. Allocates.
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
    let size = offset.magnitude + 2 * spreads[0]
    var largest = -Double.infinity
    for value in try Eigendecomposition(matrix).eigenvalues {
      // A double root may be computed as a pair with a tiny imaginary part.
      guard value.imaginary.magnitude <= 1e-7 * max(size, value.magnitude) else { continue }
      largest = max(largest, value.real)
    }
    guard largest.isFinite else { return [] }
    return [position(shift: polished(largest), top: nil)]
  }

  /// Returns the exact distance of the largest eigenvalue from the pole, for an `eigenvalue` with
  /// rounding errors.
  ///
  /// Applies Newton's method to the residual r(λ) = λ - |x(λ)|². Right of the pole r increases and
  /// is concave. From the left the iteration approaches the root monotonically. From the right it
  /// steps to the left of the root, or half way to the pole if that would be left of the pole.
  private func polished(_ eigenvalue: Double) -> Double {
    let least = max(0, -pole)
    var shift = max(eigenvalue - pole, least + 1e-16 * (offset.magnitude + 2 * spreads[0]))
    for _ in 0..<100 {
      var (rest, slope) = (pole + shift, 1.0)
      for axis in 0..<free where forcing[axis] != 0 {
        let gap = 2 * (spreads[axis] - spreads[free - 1]) + shift
        let coordinate = forcing[axis] / gap
        rest -= coordinate * coordinate
        slope += 2 * coordinate * coordinate / gap
      }
      let newton = shift - rest / slope
      let next = newton >= least ? newton : 0.5 * (least + shift)
      guard next > 0, next.isFinite else { break }
      let change = (next - shift).magnitude
      shift = next
      if change <= 1e-15 * shift { break }
    }
    return shift
  }
}
