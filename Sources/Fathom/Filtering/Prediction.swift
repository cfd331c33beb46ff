extension Gaussian {
  /// The distribution of F x + b + w, where x has this one and w is white noise of covariance Q.
  ///
  /// Mean F m + b, covariance F P Fᵀ + Q [Särkkä 2013, Thm. 4.2]. Only the lower triangle is
  /// computed; the upper one is its mirror, so the result is symmetric to the bit.
  ///
  /// - Parameters:
  ///   - transition: F, N x N.
  ///   - processNoise: Q, N x N, symmetric and positive semi-definite.
  ///   - offset: b, what is added to the state, such as a known control; zero where left out.
  /// - Returns: The predicted distribution. No heap allocation; about 1.5 N³ multiplications.
  @inlinable
  public func predicted(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) -> Self {
    let carried = covariance.congruent(through: transition)
    return Gaussian(mean: transition * mean + offset, covariance: carried + processNoise)
  }
}

extension Matrix where Rows == Columns {
  /// B P Bᵀ for a covariance P, symmetric to the bit and positive semi-definite.
  ///
  /// Computed as (B L)(B L)ᵀ with P = L Lᵀ: multiplied out from left to right the product can cancel to
  /// negative variances where prior and noise differ by fourteen orders of magnitude, which a long gap
  /// before a precise range is enough for. What rounding is left could make a correlation exceed 1 by
  /// a few units in the last place, so the diagonal is raised by 16 of its own units, far below
  /// anything measured. A variance of zero stays zero.
  @inlinable
  func congruent(through transition: Self) -> Self {
    let root = transition * semidefiniteRoot()
    var result = Self.zero
    root.withElements { root in
      result.withMutableElements { target in
        for row in 0..<Rows {
          for column in 0...row {
            var sum = 0.0
            for inner in 0..<Rows { sum += root[row * Rows + inner] * root[column * Rows + inner] }
            target[row * Rows + column] = sum
            target[column * Rows + row] = sum
          }
          target[row * Rows + row] *= 1 + 16 * Double.ulpOfOne
        }
      }
    }
    return result
  }

  /// Lower triangular L with L Lᵀ = P for a covariance P, which may be singular: a pivot of rounding
  /// size leaves a column of zeros.
  @inlinable
  func semidefiniteRoot() -> Self {
    var lower = Self.zero
    withElements { matrix in
      lower.withMutableElements { lower in
        for column in 0..<Rows {
          let variance = matrix[column * Rows + column]
          var pivot = variance
          for inner in 0..<column {
            pivot -= lower[column * Rows + inner] * lower[column * Rows + inner]
          }
          guard pivot > 4 * Double(Rows) * Double.ulpOfOne * variance else { continue }
          let root = pivot.squareRoot()
          lower[column * Rows + column] = root
          for row in column + 1..<max(Rows, column + 1) {
            var sum = matrix[row * Rows + column]
            for inner in 0..<column {
              sum -= lower[row * Rows + inner] * lower[column * Rows + inner]
            }
            lower[row * Rows + column] = sum / root
          }
        }
      }
    }
    return lower
  }
}
