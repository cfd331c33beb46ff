import CVectors

/// The solution of the normal equations of a smoothed track.
extension SmootherEquations {
  /// Eliminates the states in order and solves for the common unknowns.
  ///
  /// - Returns: Whether the equations are positive definite; they are, unless a number overflows.
  mutating func factor() -> Bool {
    precondition((4...8).contains(N) || N == 10, "N must be 4 to 8, or 10")
    var eliminated = [Double](repeating: 0, count: stride * (stride + 1))
    var isDefinite = false
    let (count, stride) = (count, stride)
    eliminated.withUnsafeMutableBufferPointer { eliminated in
      diagonal.withUnsafeMutableBufferPointer { diagonal in
        upper.withUnsafeMutableBufferPointer { upper in
          right.withUnsafeMutableBufferPointer { right in
            border.withUnsafeMutableBufferPointer { border in
              guard let diagonal = diagonal.baseAddress, let upper = upper.baseAddress,
                let right = right.baseAddress, let border = border.baseAddress,
                let eliminated = eliminated.baseAddress
              else { return }
              var chain = cvectors_chain(
                order: N, count: count, stride: stride, diagonal: diagonal, upper: upper,
                right: right, border: border, corner: eliminated,
                common: eliminated + stride * stride)
              isDefinite = cvectors_eliminate(&chain) == 1
            }
          }
        }
      }
    }
    guard isDefinite else { return false }
    for row in 0..<shared {
      for column in 0...row {
        corner[shared * row + column] += eliminated[stride * row + column]
        corner[shared * column + row] = corner[shared * row + column]
      }
      common[row] += eliminated[stride * stride + row]
    }
    return solveShared()
  }

  /// Computes the inverse of the Schur complement of C, and the common unknowns.
  private mutating func solveShared() -> Bool {
    guard shared > 0 else { return true }
    let matrix = DenseMatrix(
      (0..<shared).map { row in Array(corner[shared * row..<shared * (row + 1)]) })
    guard let factor = try? DenseCholesky(matrix),
      let inverse = try? factor.solve(Self.identity(shared))
    else { return false }
    let sides = common
    for row in 0..<shared {
      common[row] = 0
      for column in 0..<shared {
        corner[shared * row + column] = inverse[row, column]
        common[row] += inverse[row, column] * sides[column]
      }
    }
    return true
  }

  private static func identity(_ order: Int) -> DenseMatrix {
    var result = DenseMatrix(rows: order, columns: order)
    for index in 0..<order { result[index, index] = 1 }
    return result
  }

  /// Computes the states that solve the equations, `N` numbers each; call after ``factor()``.
  ///
  /// - Parameter result: Replaced by the states; its storage is reused if it has the same size.
  func solve(into result: inout [Double]) {
    if result.count == right.count {
      for index in right.indices { result[index] = right[index] }
    } else {
      result = right
    }
    withBlocks { blocks in
      result.withUnsafeMutableBufferPointer { result in
        guard let states = result.baseAddress else { return }
        for index in (0..<count).reversed() {
          let own = states + N * index
          Self.subtract(
            blocks.edge(index), times: blocks.common, from: own, columns: shared, stride: stride)
          if let link = blocks.link(index) {
            Self.subtract(link, times: own + N, from: own, columns: N, stride: N)
          }
          Self.backward(blocks.lower(index), own, columns: 1)
        }
      }
    }
  }
}

// MARK: - Blocks

extension SmootherEquations {
  /// Pointers to the blocks of the factored equations.
  struct Blocks {
    fileprivate let diagonal: UnsafePointer<Double>
    fileprivate let upper: UnsafePointer<Double>
    fileprivate let border: UnsafePointer<Double>
    fileprivate let count: Int
    fileprivate let stride: Int
    /// The inverse Schur complement of C, and the solution for the common unknowns.
    let corner: UnsafePointer<Double>
    let common: UnsafePointer<Double>

    /// The factor L of a state.
    func lower(_ index: Int) -> UnsafePointer<Double> { diagonal + N * N * index }
    /// L⁻¹ times the block from a state to the next; nil for the last.
    func link(_ index: Int) -> UnsafePointer<Double>? {
      index + 1 < count ? upper + N * N * index : nil
    }
    /// L⁻¹ times the border rows of a state.
    func edge(_ index: Int) -> UnsafePointer<Double> { border + N * stride * index }
  }

  /// Calls `body` with the blocks, which are valid during the call.
  func withBlocks(_ body: (Blocks) -> Void) {
    diagonal.withUnsafeBufferPointer { diagonal in
      upper.withUnsafeBufferPointer { upper in
        border.withUnsafeBufferPointer { border in
          corner.withUnsafeBufferPointer { corner in
            common.withUnsafeBufferPointer { common in
              guard let diagonal = diagonal.baseAddress, let upper = upper.baseAddress,
                let border = border.baseAddress, let corner = corner.baseAddress,
                let common = common.baseAddress
              else { return }
              body(
                Blocks(
                  diagonal: diagonal, upper: upper, border: border, count: count, stride: stride,
                  corner: corner, common: common))
            }
          }
        }
      }
    }
  }

  /// Multiplies the `columns` columns of `b` by L⁻ᵀ, in place.
  @inline(__always)
  static func backward(
    _ lower: UnsafePointer<Double>, _ b: UnsafeMutablePointer<Double>, columns: Int
  ) {
    for row in (0..<N).reversed() {
      for below in row + 1..<max(N, row + 1) {
        let factor = lower[N * below + row]
        for column in 0..<columns {
          b[columns * row + column] -= factor * b[columns * below + column]
        }
      }
      let inverse = 1 / lower[N * row + row]
      for column in 0..<columns { b[columns * row + column] *= inverse }
    }
  }

  /// Subtracts A B from `target`, where A is `N` x `N`.
  @inline(__always)
  static func subtract(
    _ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>,
    from target: UnsafeMutablePointer<Double>, columns: Int
  ) {
    for row in 0..<N {
      for inner in 0..<N {
        let factor = a[N * row + inner]
        for column in 0..<columns {
          target[columns * row + column] -= factor * b[columns * inner + column]
        }
      }
    }
  }

  /// Subtracts A x from `target`, where A is `N` x `columns` with a row stride of `stride`.
  @inline(__always)
  fileprivate static func subtract(
    _ a: UnsafePointer<Double>, times x: UnsafePointer<Double>,
    from target: UnsafeMutablePointer<Double>, columns: Int, stride: Int
  ) {
    for row in 0..<N {
      var sum = target[row]
      for column in 0..<columns { sum -= a[stride * row + column] * x[column] }
      target[row] = sum
    }
  }
}

/// The covariances of a smoothed track, from the factors of its equations.
extension SmootherEquations {
  /// Passes the covariance of every state to `body`, from the last to the first; call after
  /// ``factor()``.
  ///
  /// `own` is the covariance for known common unknowns, and `ofCommon` is their contribution. With
  /// the later state's covariance P, the link W = L⁻¹ times the block above the diagonal, and the
  /// later state's derivative G with respect to the common unknowns: the covariance is L⁻ᵀ (I + W P
  /// Wᵀ) L⁻¹, and the state's own derivative is -L⁻ᵀ (B + W G).
  func withCovariances(
    _ body: (_ index: Int, _ own: Matrix<N, N>, _ ofCommon: Matrix<N, N>) -> Void
  ) {
    var own = Matrix<N, N>.zero
    // Derivatives with respect to the common unknowns of the later state and of this one, and the
    // product of the latter with their covariance.
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

  /// Returns the contribution G C Gᵀ of the common unknowns, with covariance C, to a state with the
  /// derivative G.
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

  /// Computes the covariance of a state for known common unknowns from that of the next state.
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
