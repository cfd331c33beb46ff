import CVectors

/// The solution of the equations of a smoothed track.
extension SmootherChain {
  /// Eliminates the states one after the other and solves for the common unknowns.
  ///
  /// - Returns: Whether the equations are positive definite, as they are unless a number overflows.
  mutating func factor() -> Bool {
    precondition(N == 4 || N == 6, "states of four or six numbers")
    var taken = [Double](repeating: 0, count: stride * (stride + 1))
    var logarithm = 0.0
    var isDefinite = false
    let (count, stride) = (count, stride)
    taken.withUnsafeMutableBufferPointer { taken in
      diagonal.withUnsafeMutableBufferPointer { diagonal in
        upper.withUnsafeMutableBufferPointer { upper in
          right.withUnsafeMutableBufferPointer { right in
            border.withUnsafeMutableBufferPointer { border in
              guard let diagonal = diagonal.baseAddress, let upper = upper.baseAddress,
                let right = right.baseAddress, let border = border.baseAddress,
                let taken = taken.baseAddress
              else { return }
              var chain = cvectors_chain(
                order: N, count: count, stride: stride, diagonal: diagonal, upper: upper,
                right: right, border: border, corner: taken, common: taken + stride * stride)
              isDefinite = cvectors_eliminate(&chain, &logarithm) == 1
            }
          }
        }
      }
    }
    guard isDefinite else { return false }
    logarithmOfDeterminant = 2 * logarithm
    for row in 0..<shared {
      for column in 0...row {
        corner[shared * row + column] += taken[stride * row + column]
        corner[shared * column + row] = corner[shared * row + column]
      }
      common[row] += taken[stride * stride + row]
    }
    return solveShared()
  }

  /// The inverse of C's complement, and the common unknowns.
  private mutating func solveShared() -> Bool {
    guard shared > 0 else { return true }
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
  ///
  /// - Parameter result: replaced; its memory is kept where it has room.
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

extension SmootherChain {
  /// Where the blocks of the factored equations are.
  struct Blocks {
    fileprivate let diagonal: UnsafePointer<Double>
    fileprivate let upper: UnsafePointer<Double>
    fileprivate let border: UnsafePointer<Double>
    fileprivate let count: Int
    fileprivate let stride: Int
    /// C, and the solution for the common unknowns.
    let corner: UnsafePointer<Double>
    let common: UnsafePointer<Double>

    /// L of a state.
    func lower(_ index: Int) -> UnsafePointer<Double> { diagonal + N * N * index }
    /// L⁻¹ times the block from a state to the next; nil for the last.
    func link(_ index: Int) -> UnsafePointer<Double>? {
      index + 1 < count ? upper + N * N * index : nil
    }
    /// L⁻¹ times the rows of the border of a state.
    func edge(_ index: Int) -> UnsafePointer<Double> { border + N * stride * index }
  }

  /// Gives the blocks, which are valid during the call.
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

  /// L⁻ᵀ times the `columns` columns of `b`, in place.
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

  /// Subtracts A B from `target`, A of `N` x `N`.
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

  /// Subtracts A x from `target`, A of `N` x `columns`, its rows `stride` apart.
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
