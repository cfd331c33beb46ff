/// The normal equations of several tied tracks: a chain of joint states and common unknowns.
///
/// The joint state at an instant contains the states of all tags. Motion links it to the next; ranges between
/// tags couple the states of one instant. The matrix is block-tridiagonal with a border, as that of a single
/// track (``SmootherEquations``), and eliminated alike [Golub & Van Loan 2013, Sec. 4.5.1]. The cost is
/// linear in the number of instants and cubic in the number of tags.
struct TiedEquations<let N: Int> {
  /// Number of instants, of tags, of numbers in a joint state, and of common unknowns of all tags.
  let count: Int
  let tags: Int
  let order: Int
  let shared: Int
  /// The first common unknown of each tag.
  let first: [Int]
  private let sizes: [Int]
  private var diagonal: [Double]
  private var upper: [Double]
  private var right: [Double]
  private var border: [Double]
  /// The inverse of the Schur complement of the common unknowns after ``factor()``.
  private(set) var corner: [Double]
  /// The common unknowns after ``factor()``.
  private(set) var common: [Double]

  init(count: Int, shared sizes: [Int]) {
    self.count = count
    self.sizes = sizes
    tags = sizes.count
    order = N * tags
    shared = sizes.reduce(0, +)
    var next = 0
    first = sizes.map { size in
      defer { next += size }
      return next
    }
    diagonal = LargePages.array(of: 0, count: count * order * order)
    upper = LargePages.array(of: 0, count: count * order * order)
    right = LargePages.array(of: 0, count: count * order)
    border = LargePages.array(of: 0, count: count * order * shared)
    corner = Array(repeating: 0, count: shared * shared)
    common = Array(repeating: 0, count: shared)
  }

  /// The number of `Double` values that equations of a size need.
  static func storage(count: Int, tags: Int, shared: Int) -> Int {
    count * N * tags * (2 * N * tags + 1 + shared)
  }

  /// Sets the equations to those of the single tracks.
  mutating func assemble(_ chains: [SmootherEquations<N>]) {
    for index in diagonal.indices { (diagonal[index], upper[index]) = (0, 0) }
    for index in border.indices { border[index] = 0 }
    for index in corner.indices { corner[index] = 0 }
    for (tag, chain) in chains.enumerated() {
      let place = N * tag
      for index in 0..<count {
        let block = index * order * order
        for row in 0..<N {
          right[order * index + place + row] = chain.right[N * index + row]
          for column in 0..<N {
            let target = block + order * (place + row) + place + column
            diagonal[target] = chain.diagonal[N * N * index + N * row + column]
            if index + 1 < count {
              upper[target] = chain.upper[N * N * index + N * row + column]
            }
          }
          let edge = (index * order + place + row) * shared + first[tag]
          let source = chain.stride * (N * index + row)
          for column in 0..<sizes[tag] { border[edge + column] = chain.border[source + column] }
        }
      }
      for row in 0..<sizes[tag] {
        common[first[tag] + row] = chain.common[row]
        for column in 0..<sizes[tag] {
          corner[shared * (first[tag] + row) + first[tag] + column] =
            chain.corner[sizes[tag] * row + column]
        }
      }
    }
  }

  /// Adds a range between two tags at an instant.
  ///
  /// - Parameters:
  ///   - index: The index of the instant.
  ///   - tags: The indices of the tags; no second one for a tag whose place is given.
  ///   - derivative: The derivative by the state of the first tag, of which that by the state of the second is
  ///     the negative.
  ///   - residual: Measured minus expected distance, in metres.
  ///   - weight: The inverse of the variance.
  mutating func add(
    _ index: Int, between tags: (Int, Int?), derivative: InlineArray<N, Double>, residual: Double,
    weight: Double
  ) {
    let block = index * order * order
    for (one, sign) in [(tags.0, 1.0), (tags.1 ?? tags.0, -1.0)] {
      if sign < 0, tags.1 == nil { continue }
      for row in 0..<N {
        let scaled = sign * weight * derivative[row]
        right[order * index + N * one + row] += scaled * residual
        let line = block + order * (N * one + row)
        for column in 0..<N {
          diagonal[line + N * tags.0 + column] += scaled * derivative[column]
          if let second = tags.1 {
            diagonal[line + N * second + column] -= scaled * derivative[column]
          }
        }
      }
    }
  }

  // MARK: Solution

  /// Eliminates the joint states in order and solves for the common unknowns; returns whether the equations
  /// are positive definite.
  mutating func factor() -> Bool {
    let (count, order, shared) = (count, order, shared)
    var eliminated = corner
    var sides = common
    let isDefinite = withBlocks { diagonal, upper, right, border in
      for index in 0..<count {
        let own = diagonal + index * order * order
        guard Self.factor(own, order) else { return false }
        let edge = border + index * order * shared
        Self.forward(own, right + order * index, order, columns: 1)
        Self.forward(own, edge, order, columns: shared)
        for row in 0..<order {
          let value = right[order * index + row]
          let line = edge + shared * row
          for column in 0..<shared {
            sides[column] -= line[column] * value
            for other in 0...column {
              eliminated[shared * column + other] -= line[column] * line[other]
            }
          }
        }
        guard index + 1 < count else { continue }
        let link = upper + index * order * order
        Self.forward(own, link, order, columns: order)
        let next = own + order * order
        for inner in 0..<order {
          let line = link + order * inner
          for row in 0..<order {
            let factor = line[row]
            if factor == 0 { continue }
            for column in 0...row { next[order * row + column] -= factor * line[column] }
            right[order * (index + 1) + row] -= factor * right[order * index + inner]
            let target = edge + shared * (order + row)
            for column in 0..<shared { target[column] -= factor * edge[shared * inner + column] }
          }
        }
      }
      return true
    }
    guard isDefinite else { return false }
    guard shared > 0 else { return true }
    for row in 0..<shared {
      for column in 0..<row {
        eliminated[shared * column + row] = eliminated[shared * row + column]
      }
    }
    let rows = (0..<shared).map { Array(eliminated[shared * $0..<shared * ($0 + 1)]) }
    guard let factor = try? DenseCholesky(DenseMatrix(rows)),
      let inverse = try? factor.solve(.identity(shared))
    else { return false }
    for row in 0..<shared {
      common[row] = 0
      for column in 0..<shared {
        corner[shared * row + column] = inverse[row, column]
        common[row] += inverse[row, column] * sides[column]
      }
    }
    return true
  }

  /// Returns the joint states that solve the equations, `order` numbers each; call after ``factor()``.
  mutating func solution() -> [Double] {
    var result = right
    let (count, order, shared, common) = (count, order, shared, common)
    withFactors { diagonal, upper, _, border in
      result.withUnsafeMutableBufferPointer { result in
        guard let states = result.baseAddress else { return }
        for index in (0..<count).reversed() {
          let own = states + order * index
          for row in 0..<order {
            let edge = border + shared * (order * index + row)
            for column in 0..<shared { own[row] -= edge[column] * common[column] }
            guard index + 1 < count else { continue }
            let link = upper + order * (order * index + row)
            for column in 0..<order { own[row] -= link[column] * own[order + column] }
          }
          Self.backward(diagonal + order * order * index, own, order, columns: 1)
        }
      }
    }
    return result
  }

  /// Passes the covariance of the state of every tag at every instant to `body`, from the last instant to the
  /// first; call after ``factor()``.
  ///
  /// `own` is the covariance for known common unknowns, and `ofCommon` is their contribution with the
  /// covariance `corner`; see ``SmootherEquations/withCovariances(_:)``.
  mutating func withCovariances(
    corner: [Double],
    _ body: (_ index: Int, _ tag: Int, _ own: Matrix<N, N>, _ ofCommon: Matrix<N, N>) -> Void
  ) {
    let (count, order, shared, tags) = (count, order, shared, tags)
    var later = [Double](repeating: 0, count: order * order)
    var middle = later
    var product = later
    var slope = [Double](repeating: 0, count: order * shared)
    var laterSlope = slope
    withFactors { diagonal, upper, _, border in
      for index in (0..<count).reversed() {
        let lower = diagonal + order * order * index
        for row in 0..<order {
          for column in 0..<order { middle[order * row + column] = row == column ? 1 : 0 }
        }
        for place in 0..<order * shared { slope[place] = -border[order * shared * index + place] }
        if index + 1 < count {
          let link = upper + order * order * index
          // I + W P Wᵀ, and -(B + W G).
          for row in 0..<order {
            for column in 0..<order {
              var sum = 0.0
              for inner in 0..<order {
                sum += link[order * row + inner] * later[order * inner + column]
              }
              product[order * row + column] = sum
            }
          }
          for row in 0..<order {
            for column in 0...row {
              var sum = middle[order * row + column]
              for inner in 0..<order {
                sum += product[order * row + inner] * link[order * column + inner]
              }
              middle[order * row + column] = sum
              middle[order * column + row] = sum
            }
            for inner in 0..<order {
              let factor = link[order * row + inner]
              for column in 0..<shared {
                slope[shared * row + column] -= factor * laterSlope[shared * inner + column]
              }
            }
          }
        }
        middle.withUnsafeMutableBufferPointer { middle in
          guard let middle = middle.baseAddress else { return }
          Self.backward(lower, middle, order, columns: order)
          Self.transpose(middle, order)
          Self.backward(lower, middle, order, columns: order)
        }
        slope.withUnsafeMutableBufferPointer { slope in
          guard let slope = slope.baseAddress else { return }
          Self.backward(lower, slope, order, columns: shared)
        }
        swap(&later, &middle)
        swap(&laterSlope, &slope)
        for tag in 0..<tags {
          body(
            index, tag, Self.block(later, tag, order),
            Self.contribution(laterSlope, tag, shared, corner))
        }
      }
    }
  }

  private static func block(_ matrix: [Double], _ tag: Int, _ order: Int) -> Matrix<N, N> {
    var result = Matrix<N, N>.zero
    for row in 0..<N {
      for column in 0..<N {
        result[row, column] = matrix[order * (N * tag + row) + N * tag + column]
      }
    }
    return result.symmetrized()
  }

  private static func contribution(
    _ slope: [Double], _ tag: Int, _ shared: Int, _ corner: [Double]
  ) -> Matrix<N, N> {
    var result = Matrix<N, N>.zero
    var weighted = [Double](repeating: 0, count: shared)
    for row in 0..<N {
      let own = shared * (N * tag + row)
      for column in 0..<shared {
        var sum = 0.0
        for inner in 0..<shared { sum += slope[own + inner] * corner[shared * inner + column] }
        weighted[column] = sum
      }
      for column in 0...row {
        let other = shared * (N * tag + column)
        var sum = 0.0
        for inner in 0..<shared { sum += weighted[inner] * slope[other + inner] }
        result[row, column] = sum
        result[column, row] = sum
      }
    }
    return result
  }
}

// MARK: - Kernels

extension TiedEquations {
  private typealias Numbers = UnsafeMutablePointer<Double>

  /// Calls `body` with the blocks; equations without states count as indefinite.
  private mutating func withBlocks(_ body: (Numbers, Numbers, Numbers, Numbers) -> Bool) -> Bool {
    diagonal.withUnsafeMutableBufferPointer { diagonal in
      upper.withUnsafeMutableBufferPointer { upper in
        right.withUnsafeMutableBufferPointer { right in
          border.withUnsafeMutableBufferPointer { border in
            guard let diagonal = diagonal.baseAddress, let upper = upper.baseAddress,
              let right = right.baseAddress
            else { return false }
            // Without common unknowns the border is empty and never accessed.
            return body(diagonal, upper, right, border.baseAddress ?? right)
          }
        }
      }
    }
  }

  /// Calls `body` with the blocks of factored equations.
  private mutating func withFactors(_ body: (Numbers, Numbers, Numbers, Numbers) -> Void) {
    _ = withBlocks { diagonal, upper, right, border -> Bool in
      body(diagonal, upper, right, border)
      return true
    }
  }

  /// Replaces the lower triangle of a matrix by its Cholesky factor; returns whether it is definite.
  private static func factor(_ a: Numbers, _ order: Int) -> Bool {
    for column in 0..<order {
      var pivot = a[order * column + column]
      for inner in 0..<column {
        pivot -= a[order * column + inner] * a[order * column + inner]
      }
      guard pivot > 0, pivot.isFinite else { return false }
      let root = pivot.squareRoot()
      a[order * column + column] = root
      for row in column + 1..<max(order, column + 1) {
        var sum = a[order * row + column]
        for inner in 0..<column { sum -= a[order * row + inner] * a[order * column + inner] }
        a[order * row + column] = sum / root
      }
    }
    return true
  }

  /// Multiplies the `columns` columns of `b` by L⁻¹, in place.
  private static func forward(_ lower: Numbers, _ b: Numbers, _ order: Int, columns: Int) {
    for row in 0..<order {
      for above in 0..<row {
        let factor = lower[order * row + above]
        if factor == 0 { continue }
        for column in 0..<columns {
          b[columns * row + column] -= factor * b[columns * above + column]
        }
      }
      let inverse = 1 / lower[order * row + row]
      for column in 0..<columns { b[columns * row + column] *= inverse }
    }
  }

  /// Multiplies the `columns` columns of `b` by L⁻ᵀ, in place.
  private static func backward(_ lower: Numbers, _ b: Numbers, _ order: Int, columns: Int) {
    for row in (0..<order).reversed() {
      for below in row + 1..<max(order, row + 1) {
        let factor = lower[order * below + row]
        if factor == 0 { continue }
        for column in 0..<columns {
          b[columns * row + column] -= factor * b[columns * below + column]
        }
      }
      let inverse = 1 / lower[order * row + row]
      for column in 0..<columns { b[columns * row + column] *= inverse }
    }
  }

  private static func transpose(_ a: Numbers, _ order: Int) {
    for row in 0..<order {
      for column in 0..<row {
        (a[order * row + column], a[order * column + row]) =
          (a[order * column + row], a[order * row + column])
      }
    }
  }
}
