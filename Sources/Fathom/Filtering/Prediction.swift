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
  /// B P Bᵀ for a covariance P, symmetric to the bit.
  ///
  /// Rounding can leave a nearly singular product with an eigenvalue a few units in the last place
  /// below zero, and repeated updates make that worse. The diagonal is therefore raised by 16 of
  /// its own units, far below anything measured: correlations of 1 + 1.6e-15 were seen without it
  /// (noise 1e-12, prior 1e12), none with it. A variance of zero stays zero.
  @inlinable
  func congruent(through transition: Self) -> Self {
    let carried = transition * self
    var result = Self.zero
    carried.withElements { carried in
      transition.withElements { transition in
        result.withMutableElements { target in
          for row in 0..<Rows {
            for column in 0...row {
              var sum = 0.0
              for inner in 0..<Rows {
                sum += carried[row * Rows + inner] * transition[column * Rows + inner]
              }
              target[row * Rows + column] = sum
              target[column * Rows + row] = sum
            }
            target[row * Rows + row] *= 1 + 16 * Double.ulpOfOne
          }
        }
      }
    }
    return result
  }
}
