/// The distribution of an earlier state given a later one, which smoothers chain backwards.
///
/// Given all measurements up to k, the state at k conditional on the state x' at k + 1 is normal,
/// with mean m + G (x' - m⁻) and a covariance C independent of x' [Särkkä 2013, Thm. 8.2]. With the
/// smoothed estimate of k + 1 in place of x', that of k has the covariance C + G P' Gᵀ. This is a
/// sum of squares, unlike the difference P - G (P⁻ - P') Gᵀ.
@frozen
public struct Reversal<let N: Int>: Sendable, Equatable {
  /// G, N x N: the smoother gain.
  public var gain: Matrix<N, N>
  /// m: the filtered mean of the earlier state.
  public var filtered: Vector<N>
  /// m⁻: the predicted mean of the later state.
  public var predicted: Vector<N>
  /// C: the covariance of the earlier state given the later one.
  public var covariance: Matrix<N, N>

  /// Creates a reversal of the given parts.
  @inlinable
  public init(
    gain: Matrix<N, N>, filtered: Vector<N>, predicted: Vector<N>, covariance: Matrix<N, N>
  ) {
    self.gain = gain
    self.filtered = filtered
    self.predicted = predicted
    self.covariance = covariance
  }

  /// Creates the reversal from `predicted` to `filtered` through a linear, or linearised,
  /// transition.
  ///
  ///     G = P Fᵀ (P⁻)⁻¹        C = (I - G F) P (I - G F)ᵀ + G Q Gᵀ
  ///
  /// ## Edge cases
  /// Components without variance in `predicted` carry no information about the earlier state; the
  /// pseudo-inverse omits them.
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

  /// Returns the estimate of the earlier state, given the estimate `later` of the later one.
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
  /// Returns `right` times the inverse of this covariance, which may be singular: directions
  /// without variance are omitted.
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
