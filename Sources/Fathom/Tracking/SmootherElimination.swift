import RealModule

/// The solution of the equations of a smoothed track.
extension SmootherChain {
  /// Eliminates the states one after the other and solves for the common unknowns.
  ///
  /// - Returns: Whether the equations are positive definite, as they are unless a number overflows.
  mutating func factor() -> Bool {
    var isDefinite = true
    let shared = shared
    diagonal.withUnsafeMutableBufferPointer { diagonal in
      upper.withUnsafeMutableBufferPointer { upper in
        right.withUnsafeMutableBufferPointer { right in
          border.withUnsafeMutableBufferPointer { border in
            guard let d = diagonal.baseAddress, let r = right.baseAddress else { return }
            for index in 0..<count {
              let block = d + N * N * index
              guard Self.cholesky(block) else {
                isDefinite = false
                return
              }
              let own = r + N * index
              Self.forward(block, own, columns: 1)
              let edge = border.baseAddress.map { $0 + N * shared * index }
              if let edge { Self.forward(block, edge, columns: shared) }
              guard index + 1 < count, let u = upper.baseAddress else { continue }
              let link = u + N * N * index
              Self.forward(block, link, columns: N)
              Self.subtractProduct(link, link, from: block + N * N, columns: N)
              Self.subtractProduct(link, own, from: own + N, columns: 1)
              if let edge {
                Self.subtractProduct(link, edge, from: edge + N * shared, columns: shared)
              }
            }
          }
        }
      }
    }
    guard isDefinite else { return false }
    var sum = 0.0
    for index in 0..<count {
      for row in 0..<N { sum += Double.log(diagonal[N * N * index + (N + 1) * row]) }
    }
    logarithmOfDeterminant = 2 * sum
    return solveShared()
  }

  /// The complement of C, its inverse, and the common unknowns.
  private mutating func solveShared() -> Bool {
    guard shared > 0 else { return true }
    for row in 0..<N * count {
      let edge = row * shared
      for first in 0..<shared {
        for second in 0..<shared {
          corner[shared * first + second] -= border[edge + first] * border[edge + second]
        }
        common[first] -= border[edge + first] * right[row]
      }
    }
    let matrix = DenseMatrix(
      (0..<shared).map { row in Array(corner[shared * row..<shared * (row + 1)]) })
    guard let factor = try? DenseCholesky(matrix),
      let inverse = try? factor.solve(Self.identity(shared))
    else { return false }
    logarithmOfDeterminant += factor.logarithmOfDeterminant
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

  /// The states that solve the equations, `N` numbers each; after ``factor()``.
  func solution() -> [Double] {
    var result = right
    for index in stride(from: count - 1, through: 0, by: -1) {
      let first = N * index
      for row in 0..<N {
        var sum = right[first + row]
        for column in 0..<shared {
          sum -= border[(first + row) * shared + column] * common[column]
        }
        if index + 1 < count {
          for column in 0..<N {
            sum -= upper[N * N * index + N * row + column] * result[first + N + column]
          }
        }
        result[first + row] = sum
      }
      for row in stride(from: N - 1, through: 0, by: -1) {
        var sum = result[first + row]
        for below in row + 1..<max(N, row + 1) {
          sum -= diagonal[N * N * index + N * below + row] * result[first + below]
        }
        result[first + row] = sum / diagonal[N * N * index + N * row + row]
      }
    }
    return result
  }

  /// The covariance of every state, from the last to the first by way of `body`: what is left of it
  /// where the common unknowns are known, and what they add; after ``factor()``.
  func withCovariances(
    _ body: (_ index: Int, _ own: Matrix<N, N>, _ ofCommon: Matrix<N, N>) -> Void
  ) {
    var later = Matrix<N, N>.zero
    // How the later state moves with each common unknown.
    var slope = [Double](repeating: 0, count: N * shared)
    for index in stride(from: count - 1, through: 0, by: -1) {
      var lower = Matrix<N, N>.zero
      var link = Matrix<N, N>.zero
      for row in 0..<N {
        for column in 0...row {
          lower[row, column] = diagonal[N * N * index + N * row + column]
        }
        if index + 1 < count {
          for column in 0..<N { link[row, column] = upper[N * N * index + N * row + column] }
        }
      }
      let inverse = lower.lowerInverse()
      // S⁻¹ + G P Gᵀ with G = L⁻ᵀ W.
      let gain = inverse.transposed() * link
      var covariance = inverse.transposed() * inverse
      if index + 1 < count {
        covariance = covariance + gain * later * gain.transposed()
      }
      var next = [Double](repeating: 0, count: N * shared)
      for column in 0..<shared {
        for row in 0..<N {
          var sum = 0.0
          for inner in 0..<N {
            sum -= inverse[inner, row] * border[(N * index + inner) * shared + column]
            if index + 1 < count { sum -= gain[row, inner] * slope[inner * shared + column] }
          }
          next[row * shared + column] = sum
        }
      }
      slope = next
      covariance = covariance.symmetrized()
      later = covariance
      var ofCommon = Matrix<N, N>.zero
      for row in 0..<N {
        for column in 0...row {
          var sum = 0.0
          for first in 0..<shared {
            for second in 0..<shared {
              sum +=
                slope[row * shared + first] * corner[shared * first + second]
                * slope[column * shared + second]
            }
          }
          ofCommon[row, column] = sum
          ofCommon[column, row] = sum
        }
      }
      body(index, covariance, ofCommon)
    }
  }

  // MARK: - Blocks

  /// The Cholesky factor of a block in its lower triangle; false where it is not positive definite.
  @inline(__always)
  private static func cholesky(_ a: UnsafeMutablePointer<Double>) -> Bool {
    for column in 0..<N {
      var pivot = a[N * column + column]
      for inner in 0..<column { pivot -= a[N * column + inner] * a[N * column + inner] }
      guard pivot > 0, pivot.isFinite else { return false }
      let root = pivot.squareRoot()
      a[N * column + column] = root
      for row in column + 1..<max(N, column + 1) {
        var sum = a[N * row + column]
        for inner in 0..<column { sum -= a[N * row + inner] * a[N * column + inner] }
        a[N * row + column] = sum / root
      }
    }
    return true
  }

  /// L⁻¹ times the `columns` columns of `b`, in place.
  @inline(__always)
  private static func forward(
    _ lower: UnsafeMutablePointer<Double>, _ b: UnsafeMutablePointer<Double>, columns: Int
  ) {
    for row in 0..<N {
      for inner in 0..<row {
        let factor = lower[N * row + inner]
        for column in 0..<columns {
          b[columns * row + column] -= factor * b[columns * inner + column]
        }
      }
      let inverse = 1 / lower[N * row + row]
      for column in 0..<columns { b[columns * row + column] *= inverse }
    }
  }

  /// Subtracts Aᵀ B from `target`, all of them `N` rows.
  @inline(__always)
  private static func subtractProduct(
    _ a: UnsafeMutablePointer<Double>, _ b: UnsafeMutablePointer<Double>,
    from target: UnsafeMutablePointer<Double>, columns: Int
  ) {
    for inner in 0..<N {
      for row in 0..<N {
        let factor = a[N * inner + row]
        for column in 0..<columns {
          target[columns * row + column] -= factor * b[columns * inner + column]
        }
      }
    }
  }
}

extension Matrix where Rows == Columns {
  /// The inverse of a lower triangular matrix whose diagonal has no zero.
  fileprivate func lowerInverse() -> Self {
    var result = Self.zero
    for column in 0..<Rows {
      result[column, column] = 1 / self[column, column]
      for row in column + 1..<max(Rows, column + 1) {
        var sum = 0.0
        for inner in column..<row { sum -= self[row, inner] * result[inner, column] }
        result[row, column] = sum / self[row, row]
      }
    }
    return result
  }
}
