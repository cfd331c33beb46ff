extension Gaussian where N == 6 {
  /// Conditions a position and a velocity on a range, linearised at the mean.
  ///
  /// The result equals that of the general measurement to rounding, with a shorter dependency
  /// chain. With the offset d from the anchor, ρ = |d|, c = P (d, 0) and q = (d, 0)ᵀ c:
  ///
  ///     m' = m + c ρ (y - ρ) / (q + r ρ²)        P' = P - b bᵀ,  b = c / √(q + r ρ²)
  ///
  /// The multiplication by P does not wait for the root or the quotient of the distance. This is
  /// the short form of `conditionShort(residual:row:variance:)` with c, q and s multiplied by ρ, ρ²
  /// and ρ², used under the same conditions.
  ///
  /// - Parameters:
  ///   - measurement: The measured distance, metres.
  ///   - model: The range model of the anchor.
  ///   - noise: R, the variance of the range, m².
  /// - Returns: The innovation. No heap allocation.
  /// - Throws: ``FilteringError``; the estimate is then unchanged.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func condition(
    on measurement: Vector<1>, of model: RangeModel, noise: Matrix<1, 1>
  ) throws(FilteringError) -> Innovation<1> {
    let (range, variance) = (measurement[0], noise.withElements { $0[0] })
    if let innovation = conditionShort(onRange: range, to: model.anchor, variance: variance) {
      return innovation
    }
    let (distance, derivative) = model.expectation(at: mean)
    return try condition(
      onResidual: Vector(repeating: range - distance), observation: derivative, noise: noise)
  }

  /// Applies the short form; returns nil without a change when it is not safe.
  @inlinable
  @inline(__always)
  mutating func conditionShort(
    onRange range: Double, to anchor: Vector<3>, variance r: Double
  ) -> Innovation<1>? {
    let (x, y, z) = (mean[0] - anchor[0], mean[1] - anchor[1], mean[2] - anchor[2])
    let square = x * x + y * y + z * z
    // As in ``RangeModel/expectation(at:)``, with margin for the squares of these squares.
    guard square > 1e-140, square < 1e140 else { return nil }
    let distance = square.squareRoot()
    let residual = range - distance
    var cross = Vector<6>.zero
    var spread = r * square
    var terms = 0.0
    var total = residual
    covariance.withElements { p in
      cross.withMutableElements { c in
        PairKernels.scale(p, by: x, into: c, count: 6)
        PairKernels.add(p + 6, times: y, to: c, count: 6)
        PairKernels.add(p + 12, times: z, to: c, count: 6)
        spread += x * c[0] + y * c[1] + z * c[2]
        terms = x * x * p[0] + y * y * p[7] + z * z * p[14]
        for index in 0..<6 { total += p[7 * index] }
      }
    }
    var moved = mean
    let step = distance * residual / spread
    moved.withMutableElements { m in
      cross.withElements { c in PairKernels.add(c, times: step, to: m, count: 6) }
      for index in 0..<6 { total += m[index] }
    }
    // A non-finite number makes the difference NaN, and a comparison with NaN is false.
    total += spread
    guard 1024 * (r * square) >= spread, 16 * spread >= terms, spread > 0, total - total == 0
    else { return nil }

    mean = moved
    let raised = 1 + 48 * Double.ulpOfOne
    let scale = 1 / spread.squareRoot()
    cross.withMutableElements { b in
      PairKernels.scale(b, by: scale, into: b, count: 6)
      covariance.withMutableElements { p in
        for row in 0..<6 {
          PairKernels.subtract(
            b, times: b[row], from: p + 6 * row, raising: row, by: raised, count: 6)
        }
      }
    }
    return Innovation(
      residual: Vector(repeating: residual), covariance: Matrix(repeating: spread / square),
      normalizedSquare: step * distance * residual)
  }
}
