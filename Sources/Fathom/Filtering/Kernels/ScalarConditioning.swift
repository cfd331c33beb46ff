extension Gaussian {
  /// Conditions the estimate on a scalar measurement by the short form, when it is as safe as the
  /// Joseph form.
  ///
  /// With the residual y, the row h of N numbers and the variance r of the noise, c = P hᵀ and
  /// s = h c + r:
  ///
  ///     m' = m + c y / s        P' = P - b bᵀ,  b = c / √s
  ///
  /// The difference can lose its sign when little is left of P, as in the example of [Bierman 1977,
  /// Sec. V.3]. P' is at least (r / s) P, and its rounding error is at most some units in the last
  /// place of P times the cancellation in c. The short form is therefore used when r is not small
  /// relative to s and the terms of h c are not large relative to it. Its diagonal is raised by 8 N
  /// units in the last place of that of P. This covers the rounding error and is at most 1024 times
  /// as much relative to P', about 1e-11 for six states. Otherwise the result is nil, and the
  /// factored Joseph form applies.
  ///
  /// The products bᵢ bⱼ commute, so that all of P' is computed without mirroring and bitwise
  /// symmetric.
  ///
  /// Returns s, or nil when the estimate is unchanged. No heap allocation; N² + N k multiplications
  /// for k nonzero numbers of h.
  @inlinable
  @inline(__always)
  mutating func conditionShort(
    residual: Double, row h: UnsafePointer<Double>, variance r: Double
  ) -> Double? {
    if N == 2 { return conditionShort2(residual, h[0], h[1], r) }
    var cross = Vector<N>.zero
    var spread = r
    var terms = 0.0
    var total = residual
    covariance.withElements { p in
      cross.withMutableElements { c in
        PairKernels.scale(p, by: h[0], into: c, count: N)
        for inner in 1..<max(N, 1) where h[inner] != 0 {
          PairKernels.add(p + N * inner, times: h[inner], to: c, count: N)
        }
        for inner in 0..<N where h[inner] != 0 {
          spread += h[inner] * c[inner]
          terms += h[inner] * h[inner] * p[(N + 1) * inner]
        }
        for index in 0..<N { total += p[(N + 1) * index] }
      }
    }
    // A comparison with NaN is false.
    guard 1024 * r >= spread, 16 * spread >= terms, spread > 0, spread < .infinity
    else { return nil }
    var moved = mean
    moved.withMutableElements { m in
      cross.withElements { c in
        PairKernels.add(c, times: residual / spread, to: m, count: N)
      }
      for index in 0..<N { total += m[index] }
    }
    guard total.isFinite else { return nil }

    mean = moved
    let raised = 1 + 8 * Double(N) * Double.ulpOfOne
    let scale = 1 / spread.squareRoot()
    cross.withMutableElements { b in
      PairKernels.scale(b, by: scale, into: b, count: N)
      covariance.withMutableElements { p in
        for row in 0..<N {
          PairKernels.subtract(
            b, times: b[row], from: p + N * row, raising: row, by: raised, count: N)
        }
      }
    }
    return spread
  }

  /// ``conditionShort(residual:row:variance:)`` for two-component states, in registers.
  @inlinable
  @inline(__always)
  mutating func conditionShort2(
    _ residual: Double, _ first: Double, _ second: Double, _ r: Double
  ) -> Double? {
    let (p11, p12, p22) = covariance.withElements { ($0[0], $0[1], $0[3]) }
    let (m1, m2) = (mean[0], mean[1])
    var (c1, c2) = (first * p11, first * p12)
    var spread = r + first * c1
    var terms = first * c1
    if second != 0 {
      (c1, c2) = (c1 + second * p12, c2 + second * p22)
      spread = r + (first * c1 + second * c2)
      terms += second * second * p22
    }
    let inverse = 1 / spread
    let (k1, k2) = (inverse * c1, inverse * c2)
    let (moved1, moved2) = (m1 + k1 * residual, m2 + k2 * residual)
    // A non-finite number makes the difference NaN, and a comparison with NaN is false.
    let total = moved1 + moved2 + p11 + p22 + spread
    guard 1024 * r >= spread, 16 * spread >= terms, spread > 0, total - total == 0
    else { return nil }
    mean[0] = moved1
    mean[1] = moved2
    let raise = 16 * Double.ulpOfOne
    covariance.withMutableElements { p in
      p[0] = (p11 + raise * p11) - k1 * c1
      let cross = p12 - k1 * c2
      p[1] = cross
      p[2] = cross
      p[3] = (p22 + raise * p22) - k2 * c2
    }
    return spread
  }
}

/// A measurement transformed to independent noise components of variance 1, for sequential scalar
/// updates.
///
/// With R = L Lᵀ: L⁻¹ y and L⁻¹ H. Processing the components one by one is then equivalent to
/// processing them at once.
@frozen
@usableFromInline
struct Decorrelation<let N: Int, let M: Int> {
  @usableFromInline
  var residual: Vector<M>
  @usableFromInline
  var observation: Matrix<M, N>
  /// The noise variance of every component: 1, or 0 where R has none.
  @usableFromInline
  var variances: Vector<M>

  /// Creates the measurement with decorrelated noise; a variance of zero stays zero.
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
