/// A measurement whose components have independent noise of variance 1, for filters that take one
/// number at a time.
///
/// With R = L Lᵀ: L⁻¹ y, L⁻¹ H and, for every component, the pivot of L. Taking the components one
/// after another is then the same as taking them at once.
@frozen
@usableFromInline
struct Decorrelation<let N: Int, let M: Int> {
  @usableFromInline
  var residual: Vector<M>
  @usableFromInline
  var observation: Matrix<M, N>
  /// The variance of every component of the noise: 1, or 0 where R has none.
  @usableFromInline
  var variances: Vector<M>

  /// The measurement with its noise made independent; a variance of zero stays zero.
  @inlinable
  init(residual: Vector<M>, observation: Matrix<M, N>, noise: Matrix<M, M>) {
    let root = noise.semidefiniteRoot()
    self.residual = residual
    self.observation = observation
    variances = Vector(repeating: 1)
    for row in 0..<M {
      for inner in 0..<row {
        let factor = root[row, inner]
        guard factor != 0 else { continue }
        self.residual[row] -= factor * self.residual[inner]
        for column in 0..<N {
          self.observation[row, column] -= factor * self.observation[inner, column]
        }
      }
      let pivot = root[row, row]
      guard pivot > 0 else {
        variances[row] = 0
        continue
      }
      self.residual[row] /= pivot
      for column in 0..<N { self.observation[row, column] /= pivot }
    }
  }
}
