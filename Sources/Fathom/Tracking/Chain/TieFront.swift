/// The elimination of tied states in the order of ``TieOrder``, after all others.
struct TieFront<let N: Int>: Sendable {
  let order: TieOrder
  /// The matrix of the front, of which the lower triangle is valid, and its right-hand sides.
  private var matrix: [Double]
  private var sides: [Double]
  /// For each eliminated state its factor L, L⁻¹ times its right-hand side, and W: L⁻¹ times its rows of the
  /// front, where the next kept state of its tag is in its place.
  private var factors: [Double]

  private typealias Numbers = UnsafeMutablePointer<Double>

  init(_ order: TieOrder) {
    self.order = order
    matrix = Array(repeating: 0, count: order.size * order.size)
    sides = Array(repeating: 0, count: order.size)
    factors = LargePages.array(of: 0, count: Self.storage(order))
  }

  /// The number of `Double` values of all factors.
  static func storage(_ order: TieOrder) -> Int { order.count * size(order) }

  private static func size(_ order: TieOrder) -> Int { N * (N + 1 + order.size) }

  // MARK: Elimination

  /// Sets the front to the common unknowns of the chains, whose other states are eliminated.
  mutating func begin(_ chains: [ChainEquations<N>]) {
    for index in matrix.indices { matrix[index] = 0 }
    for index in sides.indices { sides[index] = 0 }
    for (tag, chain) in chains.enumerated() {
      let first = order.starts[tag] + N
      for row in 0..<chain.shared {
        for column in 0...row {
          matrix[order.size * (first + row) + first + column] =
            chain.corner[chain.shared * row + column]
        }
        sides[first + row] = chain.common[row]
      }
    }
  }

  /// Returns what elimination has left of the equations of the common unknowns of all tags.
  func common() -> (matrix: DenseMatrix, sides: [Double]) {
    let places = order.kept.indices.flatMap { order.starts[$0] + N..<order.starts[$0 + 1] }
    var result = DenseMatrix(rows: places.count, columns: places.count)
    for (row, place) in places.enumerated() {
      for (column, other) in places[...row].enumerated() {
        result[row, column] = matrix[order.size * place + other]
        result[column, row] = result[row, column]
      }
    }
    return (result, places.map { sides[$0] })
  }

  /// Adds a range between the tags of a pair.
  ///
  /// `derivative` is by the state of the first tag; that by the state of the second is its
  /// negative. `residual` is measured minus expected distance in metres, `weight` the inverse of
  /// the variance.
  mutating func add(
    _ pair: TieOrder.Pair, _ derivative: InlineArray<N, Double>, residual: Double, weight: Double
  ) {
    let ends = [(order.starts[pair.first], 1.0), (order.starts[pair.second], -1.0)]
    for (one, sign) in ends {
      for row in 0..<N {
        let scaled = sign * weight * derivative[row]
        sides[one + row] += scaled * residual
        let line = order.size * (one + row)
        for (other, second) in ends where other <= one {
          for column in 0..<N {
            matrix[line + other + column] += scaled * second * derivative[column]
          }
        }
      }
    }
  }

  /// Eliminates the kept state of a move and enters the next one; returns whether the equations are
  /// positive definite.
  mutating func apply(_ move: TieOrder.Move, _ chain: ChainEquations<N>) -> Bool {
    let (size, slot) = (order.size, order.starts[move.tag])
    let place = Self.size(order) * move.number
    return matrix.withUnsafeMutableBufferPointer { matrix in
      sides.withUnsafeMutableBufferPointer { sides in
        factors.withUnsafeMutableBufferPointer { factors in
          guard let matrix = matrix.baseAddress, let sides = sides.baseAddress else { return false }
          guard move.from != nil, let factors = factors.baseAddress else {
            Self.enter(move.to, chain, at: slot, matrix, sides, size)
            return true
          }
          let (lower, own, rows) = (
            factors + place, factors + place + N * N, factors + place + N * (N + 1)
          )
          Self.remove(slot, to: lower, own, rows, matrix, sides, size)
          if let next = move.to {
            for row in 0..<N {
              for column in 0..<N {
                // The coupling of the next kept state to this one.
                rows[size * row + slot + column] =
                  chain.border[chain.stride * (N * next + column) + chain.shared + row]
              }
            }
          }
          Self.enter(move.to, chain, at: slot, matrix, sides, size)
          guard CholeskyLoops.factor(lower, into: lower, N) else { return false }
          Self.forward(lower, own, columns: 1)
          Self.forward(lower, rows, columns: size)
          Self.subtract(rows, own, from: matrix, sides, size)
          return true
        }
      }
    }
  }

  /// Moves the equations of a kept state out of the front: its own block, its right-hand side and its rows.
  private static func remove(
    _ slot: Int, to lower: Numbers, _ own: Numbers, _ rows: Numbers, _ matrix: Numbers,
    _ sides: Numbers, _ size: Int
  ) {
    for row in 0..<N {
      for column in 0..<N {
        lower[N * row + column] = matrix[size * (slot + row) + slot + column]
      }
      own[row] = sides[slot + row]
      for column in 0..<size {
        let isOwn = column >= slot && column < slot + N
        let element = column < slot ? size * (slot + row) + column : size * column + slot + row
        rows[size * row + column] = isOwn ? 0 : matrix[element]
        if !isOwn { matrix[element] = 0 }
      }
    }
  }

  /// Sets the place of a kept state in the front to the next one of its tag, or to zero.
  private static func enter(
    _ state: Int?, _ chain: ChainEquations<N>, at slot: Int, _ matrix: Numbers, _ sides: Numbers,
    _ size: Int
  ) {
    for row in 0..<N {
      for column in 0...row {
        matrix[size * (slot + row) + slot + column] =
          state.map { chain.diagonal[N * (N * $0 + row) + column] } ?? 0
      }
      sides[slot + row] = state.map { chain.right[N * $0 + row] } ?? 0
      guard let state else { continue }
      for column in 0..<chain.shared {
        matrix[size * (slot + N + column) + slot + row] =
          chain.border[chain.stride * (N * state + row) + column]
      }
    }
  }

  /// Subtracts WᵀW from the front, and Wᵀ y from its right-hand sides.
  private static func subtract(
    _ rows: Numbers, _ own: Numbers, from matrix: Numbers, _ sides: Numbers, _ size: Int
  ) {
    for row in 0..<size {
      let line = matrix + size * row
      for inner in 0..<N {
        let source = rows + size * inner
        let factor = source[row]
        // Tags before their first tie or after their last one.
        if factor == 0 { continue }
        for column in 0...row { line[column] -= factor * source[column] }
        sides[row] -= factor * own[inner]
      }
    }
  }

  // MARK: Solution

  /// Computes the kept state of a move from the values of the front, in which it replaces the next one.
  func solve(_ move: TieOrder.Move, _ values: inout [Double]) {
    let (size, slot) = (order.size, order.starts[move.tag])
    var own = InlineArray<N, Double>(repeating: 0)
    let lower = factor(of: move) { side, rows in
      for row in 0..<N {
        own[row] = side[row]
        for column in 0..<size { own[row] -= rows[size * row + column] * values[column] }
      }
    }
    for row in 0..<N { values[slot + row] = own[row] }
    lower.withUnsafeBufferPointer { lower in
      values.withUnsafeMutableBufferPointer { values in
        guard let lower = lower.baseAddress, let values = values.baseAddress else { return }
        ChainEquations<N>.backward(lower, values + slot, columns: 1)
      }
    }
  }

  /// Returns the factor L of the state that a move eliminates, and passes L⁻¹ times its right-hand side and W
  /// to `body`.
  func factor(
    of move: TieOrder.Move,
    _ body: (_ side: UnsafePointer<Double>, _ rows: UnsafePointer<Double>) -> Void
  ) -> [Double] {
    let place = Self.size(order) * move.number
    factors.withUnsafeBufferPointer { factors in
      guard let factors = factors.baseAddress else { return }
      body(factors + place + N * N, factors + place + N * (N + 1))
    }
    return Array(factors[place..<place + N * N])
  }

  // MARK: Kernels

  /// Multiplies the `columns` columns of `b` by L⁻¹, in place.
  private static func forward(_ lower: Numbers, _ b: Numbers, columns: Int) {
    for row in 0..<N {
      for above in 0..<row {
        let factor = lower[N * row + above]
        for column in 0..<columns {
          b[columns * row + column] -= factor * b[columns * above + column]
        }
      }
      let inverse = 1 / lower[N * row + row]
      for column in 0..<columns { b[columns * row + column] *= inverse }
    }
  }
}
