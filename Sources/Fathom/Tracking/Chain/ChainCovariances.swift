/// The covariances of a smoothed track, from the factors of its equations.
extension ChainEquations {
  /// The covariance of the unknowns on which the states of a part depend: the common unknowns of the chain,
  /// and the kept states before and after the part.
  struct OuterCovariance {
    /// That of the kept states for known common unknowns of all chains, row by row; nil without kept states.
    var own: [Double]?
    /// The contribution of the common unknowns of all chains.
    var ofCommon: [Double]
  }

  /// Passes the covariance of every state of a part to `body`, from the last to the first.
  ///
  /// `own` is the covariance for known common unknowns, and `ofCommon` is their contribution. With
  /// the later state's covariance P, the link W = L⁻¹ times the block above the diagonal, and the
  /// later state's derivative G with respect to the outer unknowns: the covariance for known outer
  /// unknowns is L⁻ᵀ (I + W P Wᵀ) L⁻¹, and the state's own derivative is -L⁻ᵀ (B + W G).
  func withCovariances(
    of part: Part, _ outer: OuterCovariance,
    _ body: (_ index: Int, _ own: Matrix<N, N>, _ ofCommon: Matrix<N, N>) -> Void
  ) {
    var own = Matrix<N, N>.zero
    let (columns, count) = (part.isAfterKept ? shared + N : shared, part.outer(shared))
    // Derivatives with respect to the outer unknowns of the later state and of this one, and the
    // product of the latter with their covariance.
    let size = N * count
    var slopes = [Double](repeating: 0, count: 3 * size)
    if part.isBeforeKept {
      for row in 0..<N { slopes[count * row + columns + row] = 1 }
    }
    withBlocks { blocks in
      slopes.withUnsafeMutableBufferPointer { slopes in
        guard let later = slopes.baseAddress else { return }
        let (slope, weighted) = (later + size, later + 2 * size)
        for index in part.states.reversed() {
          let (lower, link) = (blocks.lower(index), blocks.link(index))
          Self.condition(&own, lower: lower, link: link)
          for row in 0..<N {
            let edge = blocks.edge(index) + stride * row
            for column in 0..<columns { slope[count * row + column] = -edge[column] }
            for column in columns..<count { slope[count * row + column] = 0 }
          }
          if let link { Self.subtract(link, later, from: slope, columns: count) }
          Self.backward(lower, slope, columns: count)
          later.update(from: slope, count: size)
          let ofCommon = Self.covariance(of: slope, outer.ofCommon, weighted, count)
          guard let kept = outer.own else {
            body(index, own, ofCommon)
            continue
          }
          body(index, own + Self.covariance(of: slope, kept, weighted, count), ofCommon)
        }
      }
    }
  }

  /// Returns G C Gᵀ: the contribution of `count` unknowns, with covariance C, to a state with the derivative G.
  ///
  /// `weighted` is storage for `N` x `count` numbers.
  @inline(__always)
  static func covariance(
    of slope: UnsafePointer<Double>, _ corner: [Double],
    _ weighted: UnsafeMutablePointer<Double>, _ count: Int
  ) -> Matrix<N, N> {
    var result = Matrix<N, N>.zero
    corner.withUnsafeBufferPointer { corner in
      for row in 0..<N {
        let product = weighted + count * row
        for column in 0..<count { product[column] = 0 }
        for inner in 0..<count {
          let factor = slope[count * row + inner]
          for column in 0..<count { product[column] += factor * corner[count * inner + column] }
        }
      }
      result.withMutableElements { target in
        for row in 0..<N {
          for column in 0...row {
            var sum = 0.0
            for inner in 0..<count {
              sum += weighted[count * row + inner] * slope[count * column + inner]
            }
            target[N * row + column] = sum
            target[N * column + row] = sum
          }
        }
      }
    }
    return result
  }

  /// Computes the covariance of a state for known outer unknowns from that of the next state.
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
