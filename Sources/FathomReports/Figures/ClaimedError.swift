import Fathom
import FathomEvaluation

/// What a covariance says about the length of an error.
enum ClaimedError {
  /// The length that the error does not exceed with the given probability, metres, if it is normal
  /// with this covariance.
  ///
  /// The squared length is a sum of squares with the variances λ of the principal axes as weights; it
  /// is taken as g·χ² with h degrees of freedom of the same mean and variance, g = Σλ²/Σλ and
  /// h = (Σλ)²/Σλ² [Satterthwaite 1946]. Exact for a sphere, a circle and a line; elsewhere off by a few
  /// per cent at most.
  ///
  /// ## Edge cases
  /// Nil where an element is not finite or a variance is negative. Zero for an error that cannot be.
  ///
  /// - Parameters:
  ///   - covariance: of the position, m².
  ///   - isHorizontal: whether only x and y count.
  ///   - probability: between 0 and 1.
  /// - Returns: the length, metres.
  static func radius(
    _ covariance: Matrix<3, 3>, isHorizontal: Bool, probability: Double = 0.95
  ) -> Double? {
    let axes = isHorizontal ? 0..<2 : 0..<3
    // Σλ is the trace; Σλ² that of the square, the sum of all squared elements.
    var (sum, squares) = (0.0, 0.0)
    for row in axes {
      guard covariance[row, row] >= 0 else { return nil }
      sum += covariance[row, row]
      for column in axes {
        let element = covariance[min(row, column), max(row, column)]
        squares += element * element
      }
    }
    guard sum.isFinite, squares.isFinite else { return nil }
    guard squares > 0, sum > 0 else { return 0 }
    let scale = squares / sum
    let dof = sum * sum / squares
    return (scale * ChiSquare.quantile(probability, degreesOfFreedom: dof)).squareRoot()
  }
}
