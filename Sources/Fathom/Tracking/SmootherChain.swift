import RealModule

/// The normal equations of a smoothed track, and their solution: a chain of states, each tied to the next
/// by the motion, and a few unknowns that all have in common.
///
/// With T block-tridiagonal in the states, B the border to the common unknowns and C their own block, the
/// system [T B; Bᵀ C] is factored by elimination from the first state to the last, and the border goes along as
/// further right-hand sides [Golub & Van Loan 2013, Sec. 4.5.1]. The covariance of every state comes back from
/// the same factor: linear in the number of states, whatever they have in common.
///
/// A state has `N` numbers, the coordinates and then their velocities: 4 in the plane, 6 in space. Blocks
/// are written down row after row.
struct SmootherChain<let N: Int>: Sendable {
  /// Number of states.
  let count: Int
  /// Number of common unknowns.
  let shared: Int
  /// T's blocks on the diagonal; lower factors after ``factor()``.
  var diagonal: [Double]
  /// T's blocks above the diagonal, from each state to the next; L⁻¹ times them after ``factor()``.
  var upper: [Double]
  /// Right-hand sides of the states; L⁻¹ times them after ``factor()``.
  var right: [Double]
  /// B: for each state a row per number, a column per common unknown; L⁻¹ times it after ``factor()``.
  var border: [Double]
  /// C, `shared` x `shared`; its complement's inverse after ``factor()``.
  var corner: [Double]
  /// Right-hand side of the common unknowns; their solution after ``factor()``.
  var common: [Double]
  /// Logarithm of the determinant of the whole matrix; after ``factor()``.
  private(set) var logarithmOfDeterminant = 0.0

  init(count: Int, shared: Int) {
    self.count = count
    self.shared = shared
    diagonal = Array(repeating: 0, count: N * N * count)
    upper = Array(repeating: 0, count: N * N * max(0, count - 1))
    right = Array(repeating: 0, count: N * count)
    border = Array(repeating: 0, count: N * shared * count)
    corner = Array(repeating: 0, count: shared * shared)
    common = Array(repeating: 0, count: shared)
  }

  /// Sets everything to zero for another linearisation.
  mutating func clear() {
    func zero(_ array: inout [Double]) {
      array.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }
    zero(&diagonal)
    zero(&upper)
    zero(&right)
    zero(&border)
    zero(&corner)
    zero(&common)
  }

  /// The derivative of a measurement by the common unknowns: few of them matter to any one.
  struct SharedDerivative {
    /// Which unknowns, in the first ``count`` places.
    var columns: InlineArray<3, Int> = [0, 0, 0]
    /// The derivatives by them.
    var values: InlineArray<3, Double> = [0, 0, 0]
    /// How many there are.
    var count = 0

    /// Adds the derivative by unknown `column`.
    mutating func append(_ column: Int, _ value: Double) {
      columns[count] = column
      values[count] = value
      count += 1
    }
  }

  /// Adds a measurement of state `index`.
  ///
  /// - Parameters:
  ///   - index: of the state.
  ///   - derivative: of the measurement by the state.
  ///   - others: of the measurement by the common unknowns.
  ///   - residual: how far it is from its expectation.
  ///   - weight: the inverse of its variance.
  @inline(__always)
  mutating func add(
    _ index: Int, derivative: InlineArray<N, Double>, common others: SharedDerivative,
    residual: Double, weight: Double
  ) {
    let block = N * N * index
    for row in 0..<N {
      let scaled = weight * derivative[row]
      for column in 0..<N { diagonal[block + N * row + column] += scaled * derivative[column] }
      right[N * index + row] += scaled * residual
      for place in 0..<others.count {
        border[(N * index + row) * shared + others.columns[place]] += scaled * others.values[place]
      }
    }
    for place in 0..<others.count {
      let row = others.columns[place]
      let scaled = weight * others.values[place]
      for second in 0..<others.count {
        corner[shared * row + others.columns[second]] += scaled * others.values[second]
      }
      common[row] += scaled * residual
    }
  }

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

  /// The covariance of every state, `N` x `N` numbers each, from the last to the first by way of `body`;
  /// after ``factor()``.
  func withCovariances(_ body: (_ index: Int, _ covariance: Matrix<N, N>) -> Void) {
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
          covariance[row, column] += sum
          covariance[column, row] = covariance[row, column]
        }
      }
      body(index, covariance)
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

// MARK: - Motion

extension SmootherChain {
  /// Ties coordinate `axis` of state `index` and of the next one by nearly constant velocity.
  ///
  /// - Parameters:
  ///   - index: of the earlier state.
  ///   - axis: of the coordinate.
  ///   - seconds: the time between the states.
  ///   - information: the inverse covariance of the motion's noise: of the position, its cross term, of the
  ///     velocity.
  ///   - miss: by how much the next position is off the first one carried on.
  ///   - change: by how much the velocity changes.
  mutating func tie(
    _ index: Int, axis: Int, seconds: Double, information: (Double, Double, Double), miss: Double,
    change: Double
  ) {
    let (a, b, c) = information
    let (p, v) = (axis, N / 2 + axis)
    let own = N * N * index
    let next = own + N * N
    // FᵀAF with F = [1 t; 0 1].
    diagonal[own + N * p + p] += a
    let cross = a * seconds + b
    diagonal[own + N * p + v] += cross
    diagonal[own + N * v + p] += cross
    diagonal[own + N * v + v] += a * seconds * seconds + 2 * b * seconds + c
    diagonal[next + N * p + p] += a
    diagonal[next + N * p + v] += b
    diagonal[next + N * v + p] += b
    diagonal[next + N * v + v] += c
    // -FᵀA.
    upper[own + N * p + p] -= a
    upper[own + N * p + v] -= b
    upper[own + N * v + p] -= a * seconds + b
    upper[own + N * v + v] -= b * seconds + c
    let first = a * miss + b * change
    let second = b * miss + c * change
    right[N * index + p] += first
    right[N * index + v] += seconds * first + second
    right[N * (index + 1) + p] -= first
    right[N * (index + 1) + v] -= second
  }

  /// Ties coordinate `axis` of state `index` and of the next one over a gap: the position may have
  /// changed, and the velocity starts anew.
  mutating func separate(
    _ index: Int, axis: Int, information: (Double, Double), miss: Double, velocity: Double
  ) {
    let (p, v) = (axis, N / 2 + axis)
    let own = N * N * index
    let next = own + N * N
    diagonal[own + N * p + p] += information.0
    diagonal[next + N * p + p] += information.0
    upper[own + N * p + p] -= information.0
    right[N * index + p] += information.0 * miss
    right[N * (index + 1) + p] -= information.0 * miss
    diagonal[next + N * v + v] += information.1
    right[N * (index + 1) + v] -= information.1 * velocity
  }
}
