/// How an earlier state follows from a later one: the conditional distribution that smoothers
/// chain.
///
/// Given everything measured up to k, the state at k is normal once that at k + 1 is known:
/// mean m + G (x' - m⁻) and a covariance C that no longer depends on x' [Särkkä 2013, Thm. 8.2].
/// With the smoothed estimate of k + 1 in place of x', that of k has the covariance C + G P' Gᵀ: a
/// sum of squares, never the difference P - G (P⁻ - P') Gᵀ.
@frozen
public struct Reversal<let N: Int>: Sendable, Equatable {
  /// G, N x N.
  public var gain: Matrix<N, N>
  /// m: the mean of the earlier state as it was filtered.
  public var filtered: Vector<N>
  /// m⁻: the mean of the later state as it was predicted.
  public var predicted: Vector<N>
  /// C: the covariance of the earlier state where the later one is known.
  public var covariance: Matrix<N, N>

  /// A reversal of the given parts.
  @inlinable
  public init(
    gain: Matrix<N, N>, filtered: Vector<N>, predicted: Vector<N>, covariance: Matrix<N, N>
  ) {
    self.gain = gain
    self.filtered = filtered
    self.predicted = predicted
    self.covariance = covariance
  }

  /// The way back from `predicted` to `filtered` through a linear, or linearised, transition.
  ///
  ///     G = P Fᵀ (P⁻)⁻¹        C = (I - G F) P (I - G F)ᵀ + G Q Gᵀ
  ///
  /// ## Edge cases
  /// Components without variance in `predicted` say nothing about the earlier state: the inverse
  /// leaves them out.
  @inlinable
  public init(
    of filtered: Gaussian<N>, to predicted: Gaussian<N>, transition: Matrix<N, N>,
    processNoise: Matrix<N, N>
  ) {
    let cross = filtered.covariance.timesTransposed(transition)
    let gain = predicted.covariance.semidefiniteDivide(cross)
    let remainder = Matrix<N, N>.identity - gain * transition
    self.gain = gain
    self.filtered = filtered.mean
    self.predicted = predicted.mean
    covariance =
      filtered.covariance.congruent(through: remainder) + processNoise.congruent(through: gain)
  }

  /// The estimate of the earlier state, when that of the later one is `later`.
  ///
  /// No heap allocation; about 2 N³ multiplications.
  @inlinable
  public func smoothed(from later: Gaussian<N>) -> Gaussian<N> {
    Gaussian(
      mean: filtered + gain * (later.mean - predicted),
      covariance: covariance + later.covariance.congruent(through: gain))
  }
}

extension Matrix where Rows == Columns {
  /// `right` times the inverse of this covariance, which may be singular: directions without
  /// variance are left out.
  @inlinable
  func semidefiniteDivide<let Others: Int>(
    _ right: Matrix<Others, Rows>
  ) -> Matrix<Others, Rows> {
    let root = semidefiniteRoot()
    var result = right
    root.withElements { root in
      result.withMutableElements { result in
        for other in 0..<Others {
          let x = result + Rows * other
          for row in 0..<Rows {
            let pivot = root[(Rows + 1) * row]
            for inner in 0..<row { x[row] -= root[Rows * row + inner] * x[inner] }
            x[row] = pivot > 0 ? x[row] / pivot : 0
          }
          for step in 0..<Rows {
            let row = Rows - 1 - step
            let pivot = root[(Rows + 1) * row]
            for inner in row + 1..<max(Rows, row + 1) {
              x[row] -= root[Rows * inner + row] * x[inner]
            }
            x[row] = pivot > 0 ? x[row] / pivot : 0
          }
        }
      }
    }
    return result
  }
}
