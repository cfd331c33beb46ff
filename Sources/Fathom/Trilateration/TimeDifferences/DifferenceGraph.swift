/// Time differences as the edges of a graph whose nodes are arrivals.
///
/// It finds the arrivals that the differences determine, their connected groups, and the edges that
/// contradict other edges. Arrivals are indexed like the anchors of the input list.
struct DifferenceGraph {
  /// A difference between two arrivals, metres.
  struct Edge {
    var first: Int
    var second: Int
    var difference: Double
    /// The index of the difference in the input list.
    var input: Int
  }

  /// The differences in use.
  private(set) var edges: [Edge]
  /// The number of arrivals.
  let count: Int

  /// Creates the graph of `edges` between `count` arrivals.
  init(_ edges: [Edge], count: Int) {
    self.edges = edges
    self.count = count
  }

  /// The group of each arrival; differences connect the arrivals of a group.
  var groups: [Int] {
    var roots = Array(0..<count)
    func root(_ index: Int) -> Int {
      var index = index
      while roots[index] != index { index = roots[index] }
      return index
    }
    for edge in edges {
      let (first, second) = (root(edge.first), root(edge.second))
      roots[max(first, second)] = min(first, second)
    }
    var names: [Int: Int] = [:]
    return (0..<count).map { index in
      let root = root(index)
      let name = names[root] ?? names.count
      names[root] = name
      return name
    }
  }

  /// The coefficients of the arrivals in the differences: 1 for the first, -1 for the second.
  var incidence: DenseMatrix {
    var matrix = DenseMatrix(rows: edges.count, columns: count)
    for (row, edge) in edges.enumerated() {
      matrix[row, edge.first] = 1
      matrix[row, edge.second] = -1
    }
    return matrix
  }

  /// Returns the differences of arrivals with these values, one per edge.
  func differences(of values: [Double]) -> [Double] {
    edges.map { values[$0.first] - values[$0.second] }
  }

  /// Returns the arrivals that fit the differences best, metres, with mean zero in each group.
  func arrivals(weights: [Double]? = nil) -> [Double]? {
    guard !edges.isEmpty else { return nil }
    var matrix = incidence
    var right = edges.map(\.difference)
    if let weights {
      for row in right.indices {
        let root = weights[row].squareRoot()
        right[row] *= root
        for column in 0..<count { matrix[row, column] *= root }
      }
    }
    let solution = try? leastSquares(
      matrix, DenseMatrix(column: right), rank: .minimumNorm(relativeCutoff: 1e-10))
    return solution?.coefficients.column(0)
  }

  /// Removes and returns the differences that do not close their loops: around a loop, differences
  /// of the same arrivals add up to zero.
  ///
  /// They are identified by the arrivals with the least sum of absolute misclosures [Huber 1964].
  /// Differences that are off by more than 3.29 standard deviations are removed, unless a group
  /// would be split. `sigmas` are the standard deviations of the arrivals, metres.
  mutating func removeMisclosures(_ sigmas: [Double]) -> [Edge] {
    let limits = edges.map { 3.29 * Self.length(sigmas[$0.first], sigmas[$0.second]) }
    func misclosures(_ weights: [Double]?) -> [Double]? {
      arrivals(weights: weights).map {
        zip(edges, differences(of: $0)).map { ($0.difference - $1).magnitude }
      }
    }
    guard var gaps = misclosures(nil), zip(gaps, limits).contains(where: { $0 > $1 }) else {
      return []
    }
    for _ in 0..<30 {
      guard let next = misclosures(zip(gaps, limits).map { 1 / max($0, 1e-3 * $1) }) else { break }
      gaps = next
    }
    let kept = edges.indices.filter { gaps[$0] <= limits[$0] }
    let rest = DifferenceGraph(kept.map { edges[$0] }, count: count)
    guard rest.groups == groups else { return [] }
    let removed = edges.indices.filter { gaps[$0] > limits[$0] }.map { edges[$0] }
    edges = rest.edges
    return removed
  }

  /// Removes the edges for which `isOut` returns true.
  mutating func remove(where isOut: (Edge) -> Bool) { edges.removeAll(where: isOut) }

  /// Returns √(a² + b²).
  static func length(_ first: Double, _ second: Double) -> Double {
    (first * first + second * second).squareRoot()
  }
}

/// The arrivals that must be faulty because their differences exceed the baselines of their
/// anchors.
struct ImpossibleDifferences {
  /// Faulty arrivals: each is in more impossible pairs than any other, and in at least two.
  private(set) var blamed: Set<Int> = []
  /// Impossible pairs without a faulty arrival.
  private(set) var rest: [(Int, Int)] = []

  /// Assigns pairs of arrivals, whose difference is larger than any tag position can cause, to
  /// faulty arrivals.
  init(_ pairs: [(Int, Int)]) {
    rest = pairs
    while !rest.isEmpty {
      var counts: [Int: Int] = [:]
      for (first, second) in rest {
        counts[first, default: 0] += 1
        counts[second, default: 0] += 1
      }
      let greatest = counts.values.max() ?? 0
      let leaders = counts.keys.filter { counts[$0] == greatest }
      guard greatest >= 2, leaders.count == 1, let leader = leaders.first else { return }
      blamed.insert(leader)
      rest.removeAll { $0.0 == leader || $0.1 == leader }
    }
  }
}
