extension Gaussian {
  /// Returns the distribution of F x + b + w, where x has this one and w is white noise of
  /// covariance Q.
  ///
  /// Mean F m + b, covariance F P Fᵀ + Q [Särkkä 2013, Thm. 4.2]. Only the lower triangle is
  /// computed and mirrored, so the result is bitwise symmetric.
  ///
  /// - Parameters:
  ///   - transition: F, N x N.
  ///   - processNoise: Q, N x N, symmetric and positive semi-definite.
  ///   - offset: b, a known increment of the state, such as a control input; zero by default.
  /// - Returns: The predicted distribution. No heap allocation; about 1.5 N³ multiplications.
  @inlinable
  public func predicted(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) -> Self {
    var predicted = self
    predicted.predict(transition: transition, processNoise: processNoise, offset: offset)
    return predicted
  }

  /// Predicts the estimate in place; see ``predicted(transition:processNoise:offset:)``.
  @inlinable
  @inline(__always)
  public mutating func predict(
    transition: Matrix<N, N>, processNoise: Matrix<N, N>, offset: Vector<N> = .zero
  ) {
    if predictShort(transition: transition, processNoise: processNoise) {
      mean = transition * mean + offset
      return
    }
    mean = transition * mean + offset
    covariance = covariance.congruent(through: transition) + processNoise
  }

  /// Computes F P Fᵀ + Q in place by direct multiplication; returns false when cancellation is
  /// possible.
  ///
  /// The rounding error of an element is a few units in the last place of the terms of its row and
  /// column. When the squares of these terms are at most eight times the resulting variances,
  /// raising the variances by 8 N units in the last place covers this error. Only the lower
  /// triangle is computed.
  @inlinable
  @inline(__always)
  mutating func predictShort(transition: Matrix<N, N>, processNoise: Matrix<N, N>) -> Bool {
    if N == 2 { return predictShort2(transition, processNoise) }
    var carried = Matrix<N, N>.zero
    var result = Matrix<N, N>.zero
    var isSafe = true
    let raise = 8 * Double(N) * Double.ulpOfOne
    transition.withElements { f in
      covariance.withElements { p in
        carried.withMutableElements { carried in
          for row in 0..<N {
            for inner in 0..<N where f[N * row + inner] != 0 {
              let factor = f[N * row + inner]
              for column in 0..<N {
                carried[N * row + column] += factor * p[N * inner + column]
              }
            }
          }
          processNoise.withElements { q in
            result.withMutableElements { target in
              for row in 0..<N {
                for column in 0...row {
                  var sum = q[N * row + column]
                  for inner in 0..<N {
                    sum += carried[N * row + inner] * f[N * column + inner]
                  }
                  target[N * row + column] = sum
                  target[N * column + row] = sum
                }
                var terms = 0.0
                for inner in 0..<N {
                  terms += f[N * row + inner] * f[N * row + inner] * p[(N + 1) * inner]
                }
                let variance = target[(N + 1) * row]
                isSafe = isSafe && 8 * variance >= terms
                target[(N + 1) * row] = variance + raise * variance
              }
            }
          }
        }
      }
    }
    if isSafe { covariance = result }
    return isSafe
  }

  /// ``predictShort(transition:processNoise:)`` for two-component states, in registers.
  @inlinable
  @inline(__always)
  mutating func predictShort2(_ transition: Matrix<N, N>, _ noise: Matrix<N, N>) -> Bool {
    let (f11, f12, f21, f22) = transition.withElements { ($0[0], $0[1], $0[2], $0[3]) }
    let (q11, q12, q22) = noise.withElements { ($0[0], $0[2], $0[3]) }
    let (p11, p12, p22) = covariance.withElements { ($0[0], $0[1], $0[3]) }
    let raise = 16 * Double.ulpOfOne
    let firstTerms = f11 * f11 * p11 + f12 * f12 * p22
    var secondTerms = f22 * f22 * p22
    if f21 != 0 { secondTerms += f21 * f21 * p11 }
    let (c11, c12) = (f11 * p11 + f12 * p12, f11 * p12 + f12 * p22)
    let first = (f11 * c11 + f12 * c12) + (q11 + raise * firstTerms)
    var (cross, second) = (f22 * c12 + q12, (q22 + raise * secondTerms) + f22 * (f22 * p22))
    if f21 != 0 {
      cross += f21 * c11
      second += f21 * (f21 * p11 + 2 * (f22 * p12))
    }
    guard 8 * first >= firstTerms, 8 * second >= secondTerms else { return false }
    covariance.withMutableElements { p in
      p[0] = first
      p[1] = cross
      p[2] = cross
      p[3] = second
    }
    return true
  }
}

extension Matrix where Rows == Columns {
  /// Returns B P Bᵀ for a covariance P, bitwise symmetric and positive semi-definite.
  ///
  /// Computed as (B L)(B L)ᵀ with P = L Lᵀ. Direct multiplication from left to right can cancel to
  /// negative variances when prior and noise differ by fourteen orders of magnitude, for example
  /// after a long gap before a precise range. The remaining rounding error could make a correlation
  /// exceed 1 by a few units in the last place. The diagonal is therefore raised by 16 of its own
  /// units, far below any measurable amount. A variance of zero stays zero.
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

  /// Returns the lower triangular L with L Lᵀ = P for a covariance P, which may be singular: a
  /// pivot at rounding level gives a column of zeros.
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
