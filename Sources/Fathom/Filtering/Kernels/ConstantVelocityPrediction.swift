/// The constant-velocity prediction, expanded for its sparse transition.
extension ConstantVelocity {
  /// Returns the estimate after a step of `seconds`, not negative.
  ///
  /// No heap allocation.
  @inlinable
  public func predict(_ state: Gaussian<6>, over seconds: Double) -> Gaussian<6> {
    var state = state
    advance(&state, over: seconds)
    return state
  }

  /// Predicts the estimate in place; see ``predict(_:over:)``.
  ///
  /// With P = | A  B |:  A' = A + dt (B + Bᵀ) + dt² C,  B' = B + dt C,  C' = C, then Q is added.
  ///          | Bᵀ C |
  @inlinable
  @inline(__always)
  public func advance(_ state: inout Gaussian<6>, over seconds: Double) {
    for axis in 0..<3 { state.mean[axis] += seconds * state.mean[axis + 3] }
    let horizontal = WhiteNoiseAcceleration(density: horizontalDensity).moments(over: seconds)
    let vertical = WhiteNoiseAcceleration(density: verticalDensity).moments(over: seconds)
    state.covariance.withMutableElements { p in
      // Six elements of the symmetric blocks, nine of the other; numbered row by row as in P.
      let (c00, c01, c02) = (p[21], p[22], p[23])
      let (c11, c12, c22) = (p[28], p[29], p[35])
      let a00 = p[0] + (horizontal.position + seconds * (p[3] + p[3] + seconds * c00))
      let a01 = p[1] + seconds * (p[4] + p[9] + seconds * c01)
      let a02 = p[2] + seconds * (p[5] + p[15] + seconds * c02)
      let a11 = p[7] + (horizontal.position + seconds * (p[10] + p[10] + seconds * c11))
      let a12 = p[8] + seconds * (p[11] + p[16] + seconds * c12)
      let a22 = p[14] + (vertical.position + seconds * (p[17] + p[17] + seconds * c22))
      let b00 = p[3] + seconds * c00 + horizontal.cross
      let (b01, b02) = (p[4] + seconds * c01, p[5] + seconds * c02)
      let (b10, b12) = (p[9] + seconds * c01, p[11] + seconds * c12)
      let b11 = p[10] + seconds * c11 + horizontal.cross
      let (b20, b21) = (p[15] + seconds * c02, p[16] + seconds * c12)
      let b22 = p[17] + seconds * c22 + vertical.cross
      // Stored in pairs, because the next step loads pairs.
      PairKernels.store(SIMD2(a00, a01), to: p, 0)
      PairKernels.store(SIMD2(a02, b00), to: p, 1)
      PairKernels.store(SIMD2(b01, b02), to: p, 2)
      PairKernels.store(SIMD2(a01, a11), to: p, 3)
      PairKernels.store(SIMD2(a12, b10), to: p, 4)
      PairKernels.store(SIMD2(b11, b12), to: p, 5)
      PairKernels.store(SIMD2(a02, a12), to: p, 6)
      PairKernels.store(SIMD2(a22, b20), to: p, 7)
      PairKernels.store(SIMD2(b21, b22), to: p, 8)
      PairKernels.store(SIMD2(b00, b10), to: p, 9)
      PairKernels.store(SIMD2(b20, c00 + horizontal.velocity), to: p, 10)
      PairKernels.store(SIMD2(b01, b11), to: p, 12)
      PairKernels.store(SIMD2(b21, c01), to: p, 13)
      PairKernels.store(SIMD2(c11 + horizontal.velocity, c12), to: p, 14)
      PairKernels.store(SIMD2(b02, b12), to: p, 15)
      PairKernels.store(SIMD2(b22, c02), to: p, 16)
      PairKernels.store(SIMD2(c12, c22 + vertical.velocity), to: p, 17)
    }
  }
}
