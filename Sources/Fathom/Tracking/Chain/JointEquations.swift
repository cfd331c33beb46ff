/// The normal equations of the tracks of one or more tags: a chain for each, and ranges that tie their states.
///
/// The states that no tie touches are eliminated within their chains (``ChainEquations``), then the tied
/// states in order of time (``TieFront``), and finally the common unknowns of all tags. The order of elimination
/// does not change the solution, and no terms are neglected. The cost is that of the chains, and for each tied
/// state the square of the number of unknowns that ties have connected with it.
struct JointEquations<let N: Int>: Sendable {
  /// The equations of each tag.
  var chains: [ChainEquations<N>]
  /// The first common unknown of each tag among those of all, and the number of all.
  let first: [Int]
  /// The inverse of the Schur complement of all common unknowns, after ``factor()``.
  private(set) var corner: [Double] = []
  /// The common unknowns of all tags, after ``factor()``.
  private(set) var common: [Double] = []
  /// The ranges between tags, in order of their states, and their linearisations.
  private let pairs: [TieOrder.Pair]
  private var ties: [Tie] = []
  private var front: TieFront<N>
  /// The states of each tag between ties.
  private let parts: [[ChainEquations<N>.Part]]

  /// A linearised range between two tags.
  private struct Tie: Sendable {
    var derivative: InlineArray<N, Double>
    var residual: Double
    var weight: Double
  }

  /// Creates the equations for `count` instants.
  ///
  /// `shared` has the number of common unknowns of each tag, `pairs` the ranges between tags that
  /// will be added, in order of their states.
  init(count: Int, shared: [Int], ties pairs: [TieOrder.Pair] = []) {
    let order = TieOrder(pairs, order: N, shared: shared)
    chains = zip(shared, order.kept).map {
      ChainEquations(count: count, shared: $0, keepsStates: !$1.isEmpty)
    }
    first = shared.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    parts = order.kept.map { kept in
      let ends = [-1] + kept + [count]
      return (0...kept.count).map { number in
        ChainEquations<N>.Part(
          states: ends[number] + 1..<ends[number + 1], isAfterKept: number > 0,
          isBeforeKept: number < kept.count)
      }
    }
    self.pairs = pairs
    front = TieFront(order)
  }

  /// The number of common unknowns of all tags.
  var shared: Int { first[first.count - 1] }

  /// The number of `Double` values that equations of a size need.
  static func storage(count: Int, shared: [Int], ties pairs: [TieOrder.Pair]) -> Int {
    TieFront<N>.storage(TieOrder(pairs, order: N, shared: shared))
      + shared.reduce(0) { $0 + count * N * (3 * N + 2 + $1) }
  }

  /// Sets all numbers to zero for another linearisation.
  mutating func clear() {
    for tag in chains.indices { chains[tag].clear() }
    ties.removeAll(keepingCapacity: true)
  }

  /// Adds the next of the ranges between tags.
  ///
  /// `derivative` is by the state of the first tag; that by the state of the second is its
  /// negative. `residual` is measured minus expected distance in metres, `weight` the inverse of
  /// the variance.
  mutating func add(derivative: InlineArray<N, Double>, residual: Double, weight: Double) {
    precondition(ties.count < pairs.count, "a tie must be one of those that the equations have")
    ties.append(Tie(derivative: derivative, residual: residual, weight: weight))
  }

  /// Returns the part of a matrix of the common unknowns of all tags that is about those of one.
  func block(of matrix: [Double], _ tag: Int) -> [Double] {
    if chains.count == 1 { return matrix }
    let rows = first[tag]..<first[tag + 1]
    return rows.flatMap { row in rows.map { matrix[shared * row + $0] } }
  }

  // MARK: Solution

  /// Eliminates the states and solves for the common unknowns.
  ///
  /// - Returns: Whether the equations are positive definite; they are, unless a number overflows.
  mutating func factor() -> Bool {
    precondition(ties.count == pairs.count, "all ties must be added")
    var sums: [Double] = []
    for tag in chains.indices {
      for part in parts[tag] where !chains[tag].eliminate(part, &sums) { return false }
    }
    front.begin(chains)
    var next = 0
    func isApplied(_ move: TieOrder.Move) -> Bool {
      while next < move.pairs {
        let tie = ties[next]
        front.add(pairs[next], tie.derivative, residual: tie.residual, weight: tie.weight)
        next += 1
      }
      return front.apply(move, chains[move.tag])
    }
    for move in front.order.moves where !isApplied(move) { return false }
    return solveCommon()
  }

  /// Computes the inverse of the Schur complement of the common unknowns, and these.
  private mutating func solveCommon() -> Bool {
    (corner, common) = ([], [])
    guard shared > 0 else { return true }
    let (matrix, sides) = front.common()
    guard let factor = try? DenseCholesky(matrix),
      let inverse = try? factor.solve(.identity(shared))
    else { return false }
    for row in 0..<shared {
      common.append(0)
      for column in 0..<shared {
        corner.append(inverse[row, column])
        common[row] += inverse[row, column] * sides[column]
      }
    }
    return true
  }

  /// Computes the states that solve the equations; call after ``factor()``.
  ///
  /// - Parameter result: Replaced by the states of each tag, `N` numbers each; its storage is reused.
  func solve(into result: inout [[Double]]) {
    if result.count != chains.count { result = chains.map { _ in [] } }
    for tag in chains.indices {
      if result[tag].count == chains[tag].right.count {
        for index in result[tag].indices { result[tag][index] = chains[tag].right[index] }
      } else {
        result[tag] = chains[tag].right
      }
    }
    var values = [Double](repeating: 0, count: front.order.size)
    for tag in chains.indices {
      for index in 0..<chains[tag].shared {
        values[front.order.starts[tag] + N + index] = common[first[tag] + index]
      }
    }
    for move in front.order.moves.reversed() {
      guard let state = move.from else { continue }
      front.solve(move, &values)
      for row in 0..<N {
        result[move.tag][N * state + row] = values[front.order.starts[move.tag] + row]
      }
    }
    for tag in chains.indices {
      for part in parts[tag] where !part.states.isEmpty {
        var outer = Array(common[first[tag]..<first[tag + 1]])
        if part.isAfterKept {
          let kept = N * (part.states.lowerBound - 1)
          outer += result[tag][kept..<kept + N]
        }
        chains[tag].solve(part, outer, into: &result[tag])
      }
    }
  }
}

// MARK: - Covariances

extension JointEquations {
  /// Passes the covariance of the state of every tag at every instant to `body`, those of a tag from the last
  /// instant to the first; call after ``factor()``.
  ///
  /// `own` is the covariance for known common unknowns, and `ofCommon` is their contribution with the
  /// covariance `corner`; see ``ChainEquations/withCovariances(of:_:_:)``.
  func withCovariances(
    corner: [Double],
    _ body: (_ tag: Int, _ index: Int, _ own: Matrix<N, N>, _ ofCommon: Matrix<N, N>) -> Void
  ) {
    var covariances = TieCovariances(front, chains.map(\.shared), corner)
    var next = parts.map { $0.count - 1 }
    func passPart(of tag: Int) {
      let part = parts[tag][next[tag]]
      next[tag] -= 1
      guard !part.states.isEmpty else { return }
      chains[tag].withCovariances(of: part, covariances.outer(tag)) { body(tag, $0, $1, $2) }
    }
    for tag in chains.indices where parts[tag].count == 1 { passPart(of: tag) }
    for move in front.order.moves.reversed() {
      covariances.step(back: move)
      passPart(of: move.tag)
      guard let state = move.from else { continue }
      let (own, ofCommon) = covariances.state()
      body(move.tag, state, own, ofCommon)
    }
  }
}
