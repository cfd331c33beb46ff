/// The covariances of a smoothed track, from the factors of its equations.
extension SmootherChain {
  /// The covariance of every state, from the last to the first by way of `body`: what is left of it
  /// where the common unknowns are known, and what they add; after ``factor()``.
  ///
  /// With the later state's P, the link W = L⁻¹ times the block above the diagonal, and the later
  /// state's slope by the common unknowns G: L⁻ᵀ (I + W P Wᵀ) L⁻¹, and -L⁻ᵀ (B + W G) for the own
  /// slope.
  func withCovariances(
    _ body: (_ index: Int, _ own: Matrix<N, N>, _ ofCommon: Matrix<N, N>) -> Void
  ) {
    var own = Matrix<N, N>.zero
    // How the later state moves with each common unknown, how this one does, and what that becomes
    // with their covariance.
    let size = N * shared
    var slopes = [Double](repeating: 0, count: 3 * size)
    withBlocks { blocks in
      slopes.withUnsafeMutableBufferPointer { slopes in
        guard let later = slopes.baseAddress else { return }
        let (slope, weighted) = (later + size, later + 2 * size)
        for index in (0..<count).reversed() {
          let (lower, link) = (blocks.lower(index), blocks.link(index))
          Self.condition(&own, lower: lower, link: link)
          for row in 0..<N {
            let edge = blocks.edge(index) + stride * row
            for column in 0..<shared { slope[shared * row + column] = -edge[column] }
          }
          if let link { Self.subtract(link, later, from: slope, columns: shared) }
          Self.backward(lower, slope, columns: shared)
          later.update(from: slope, count: size)
          body(index, own, covariance(of: slope, blocks.corner, weighted))
        }
      }
    }
  }

  /// What the common unknowns, of covariance C, add to a state that moves with them by G: G C Gᵀ.
  @inline(__always)
  private func covariance(
    of slope: UnsafePointer<Double>, _ corner: UnsafePointer<Double>,
    _ weighted: UnsafeMutablePointer<Double>
  ) -> Matrix<N, N> {
    for row in 0..<N {
      let product = weighted + shared * row
      for column in 0..<shared { product[column] = 0 }
      for inner in 0..<shared {
        let factor = slope[shared * row + inner]
        for column in 0..<shared { product[column] += factor * corner[shared * inner + column] }
      }
    }
    var result = Matrix<N, N>.zero
    result.withMutableElements { target in
      for row in 0..<N {
        for column in 0...row {
          var sum = 0.0
          for inner in 0..<shared {
            sum += weighted[shared * row + inner] * slope[shared * column + inner]
          }
          target[N * row + column] = sum
          target[N * column + row] = sum
        }
      }
    }
    return result
  }

  /// The covariance of a state where the common unknowns are known, from that of the next one.
  @inline(__always)
  private static func condition(
    _ covariance: inout Matrix<N, N>, lower: UnsafePointer<Double>, link: UnsafePointer<Double>?
  ) {
    var middle = Matrix<N, N>.identity
    if let link {
      var w = Matrix<N, N>.zero
      w.withMutableElements { $0.update(from: link, count: N * N) }
      middle = middle + (w * covariance).timesTransposed(w)
    }
    middle.withMutableElements { backward(lower, $0, columns: N) }
    middle = middle.transposed()
    middle.withMutableElements { backward(lower, $0, columns: N) }
    covariance = middle.symmetrized()
  }
}
