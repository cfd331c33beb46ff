/// Computes a fix from time differences: selects the usable ones, finds the impossible ones, and
/// describes the contribution of each to the solution.
struct DifferenceSolver<let D: Int> {
  private(set) var result: TimeDifferenceFix<D>
  private let assumptions: PositionAssumptions<D>
  private let own: Double
  /// The anchors that differences refer to, as indices of the input list, and their arrivals.
  private let measured: [Int]
  private let problem: ArrivalProblem<D>
  private let graph: DifferenceGraph

  init(
    _ differences: [TimeDifference], _ all: ArrivalProblem<D>, own: Double,
    _ assumptions: PositionAssumptions<D>
  ) {
    self.assumptions = assumptions
    self.own = own
    let usable = differences.indices.filter {
      let one = differences[$0]
      precondition(
        (0..<all.count).contains(one.first) && (0..<all.count).contains(one.second),
        "a time difference refers to an anchor index that is out of range")
      return one.difference.isFinite && one.first != one.second
    }
    var isMeasured = [Bool](repeating: false, count: all.count)
    for index in usable {
      isMeasured[differences[index].first] = true
      isMeasured[differences[index].second] = true
    }
    // Anchors without differences are not part of the geometry.
    let measured = isMeasured.indices.filter { isMeasured[$0] }
    self.measured = measured
    problem = all.selecting(measured)
    var places = [Int](repeating: 0, count: all.count)
    for (place, anchor) in measured.enumerated() { places[anchor] = place }
    graph = DifferenceGraph(
      usable.map { index in
        let one = differences[index]
        return DifferenceGraph.Edge(
          first: places[one.first], second: places[one.second], difference: one.difference,
          input: index)
      }, count: measured.count)
    var isUsable = [Bool](repeating: false, count: differences.count)
    for index in usable { isUsable[index] = true }
    result = TimeDifferenceFix(
      fix: PositionFix(
        without: .tooFew, count: differences.count, unknowns: all.free,
        discounted: isUsable.indices.filter { !isUsable[$0] }),
      arrivals: [RangeContribution?](repeating: nil, count: all.count))
  }

  /// Computes the result.
  mutating func solve() {
    guard !measured.isEmpty else { return }
    let impossible = graph.edges.filter {
      isImpossible($0.difference, $0.first, $0.second, own: own)
    }
    result.impossible = impossible.map(\.input)
    if own == 0 { solveSharedArrivals() } else { solveWithOwnErrors(impossible) }
    result.fix.discounted = Set(result.fix.discounted + result.impossible).sorted()
  }

  /// Returns whether no tag position has distances to the two anchors that differ by `difference`
  /// metres.
  ///
  /// The limit is the baseline plus 3.29 standard deviations.
  private func isImpossible(_ difference: Double, _ first: Int, _ second: Int, own: Double) -> Bool
  {
    let sigmas = problem.sigmas(at: nil)
    let spread = DifferenceGraph.length(
      DifferenceGraph.length(sigmas[first], sigmas[second]), own)
    return difference.magnitude > problem.baseline(first, second) + 3.29 * spread
  }

  /// Solves differences of the same arrivals, which are equivalent to pseudo-ranges with an unknown
  /// offset.
  private mutating func solveSharedArrivals() {
    var graph = graph
    let removed = graph.removeMisclosures(problem.sigmas(at: nil))
    guard let arrivals = graph.arrivals() else { return }
    let groups = graph.groups
    var pairs: [(Int, Int)] = []
    for first in measured.indices {
      for second in first + 1..<max(measured.count, first + 1) where groups[first] == groups[second]
      {
        if isImpossible(arrivals[first] - arrivals[second], first, second, own: 0) {
          pairs.append((first, second))
        }
      }
    }
    let faults = ImpossibleDifferences(pairs)
    let kept = measured.indices.filter { !faults.blamed.contains($0) }
    var names: [Int: Int] = [:]
    for place in kept where names[groups[place]] == nil { names[groups[place]] = names.count }
    let equations = ArrivalEquations(
      problem: problem.selecting(kept), arrivals: kept.map { arrivals[$0] },
      groups: kept.map { names[groups[$0]] ?? 0 }, assumptions: assumptions)
    guard kept.count >= max(2, equations.needed) else { return }
    guard equations.determinesPosition else {
      result.fix.verdict = .continuum
      return
    }
    let (fits, rows) = equations.solve()
    let solutions = result.fix.describe(
      fits, of: rows, under: assumptions, position: equations.problem.position)
    guard let best = solutions.first, let position = result.fix.position else { return }

    let free = problem.free
    let distances = distances(from: position)
    for (row, place) in kept.enumerated() {
      let offset = best.unknowns[free + equations.groups[row]]
      result.arrivals[measured[place]] = RangeContribution(
        residual: arrivals[place] - distances[place] - offset, weight: best.rows[row].weight,
        influence: best.rows[row].influence)
    }
    for place in faults.blamed {
      let offset = names[groups[place]].map { best.unknowns[free + $0] } ?? 0
      result.arrivals[measured[place]] = RangeContribution(
        residual: arrivals[place] - distances[place] - offset, weight: 0, influence: 0)
    }
    let influences = rows.influences(of: graph, in: best, kept: kept)
    describeDifferences(
      distances, influences: influences,
      weights: Dictionary(uniqueKeysWithValues: removed.map { ($0.input, 0) }))
    let isKept = faults.rest.contains { pair in
      [pair.0, pair.1].allSatisfy { (result.arrivals[measured[$0]]?.weight ?? 0) >= 0.5 }
    }
    let isDoubtful = !faults.blamed.isEmpty && !rows.isConfirmed(best.rows)
    if isKept || isDoubtful { result.fix.verdict = .inconsistent }
    if equations.offsets == 1 { finish(equations.problem, best) }
  }

  /// Solves differences with independent errors of their own.
  private mutating func solveWithOwnErrors(_ impossible: [DifferenceGraph.Edge]) {
    let faults = ImpossibleDifferences(impossible.map { ($0.first, $0.second) })
    var used = graph
    used.remove { edge in
      faults.rest.contains { $0.0 == edge.first && $0.1 == edge.second }
        && impossible.contains { $0.input == edge.input }
    }
    let needed =
      assumptions.prior != nil ? 1 : problem.free - (assumptions.heightSigma == nil ? 0 : 1)
    guard used.edges.count >= needed, let arrivals = used.arrivals() else { return }
    let starts = ArrivalEquations(
      problem: problem, arrivals: arrivals, groups: used.groups, assumptions: assumptions)
    guard starts.determinesPosition else {
      result.fix.verdict = .continuum
      return
    }
    let equations = DifferenceEquations(
      problem: problem, graph: used, own: own, blamed: faults.blamed, assumptions: assumptions)
    let (fits, rows) = equations.solve(starts)
    let solutions = result.fix.describe(
      fits, of: rows, under: assumptions, position: problem.position)
    guard let best = solutions.first, let position = result.fix.position else { return }

    let free = problem.free
    let distances = distances(from: position)
    let trusted = equations.trusted
    for place in measured.indices {
      let row = trusted.firstIndex(of: place)
      result.arrivals[measured[place]] = RangeContribution(
        residual: best.unknowns[free + place],
        weight: row.map { best.rows[$0].weight } ?? 0, influence: nil)
    }
    // Only the effect of a difference on the position counts: the errors of arrivals are not
    // coordinates.
    let slopes = rows.slopes(best.unknowns)
    let spread = rows.covariance(at: best.unknowns)
    let informations = rows.informationWeights(best.rows.map(\.residual))
    var influences: [Int: Double] = [:]
    var weights: [Int: Double] = [:]
    for edge in graph.edges where !used.edges.contains(where: { $0.input == edge.input }) {
      weights[edge.input] = 0
    }
    for (place, edge) in used.edges.enumerated() {
      let row = trusted.count + place
      weights[edge.input] = best.rows[row].weight
      guard let spread, spread.undetermined.isEmpty else { continue }
      var sum = 0.0
      for axis in 0..<free {
        for column in 0..<rows.unknowns {
          sum += slopes[row, axis] * spread.matrix[axis, column] * slopes[row, column]
        }
      }
      let value = informations[row] * sum
      if value.isFinite { influences[edge.input] = min(1, max(0, value)) }
    }
    describeDifferences(distances, influences: influences, weights: weights)
    if !result.impossible.isEmpty, !rows.isConfirmed(best.rows) {
      result.fix.verdict = .inconsistent
    }
    if starts.offsets == 1 { finish(problem, best) }
  }

  /// Returns the distances of the receiving anchors from `position`, metres.
  private func distances(from position: Vector<D>) -> [Double] {
    let unknowns = (position - problem.centre).array
    return measured.indices.map { problem.distance($0, unknowns) }
  }

  /// Sets the contributions of the differences.
  private mutating func describeDifferences(
    _ distances: [Double], influences: [Int: Double], weights: [Int: Double]
  ) {
    var contributions = [RangeContribution?](repeating: nil, count: result.fix.contributions.count)
    for edge in graph.edges {
      let arrivals = [edge.first, edge.second].map { result.arrivals[measured[$0]]?.weight ?? 0 }
      let weight = min(weights[edge.input] ?? 1, arrivals[0], arrivals[1])
      contributions[edge.input] = RangeContribution(
        residual: edge.difference - (distances[edge.first] - distances[edge.second]),
        weight: weight, influence: influences[edge.input])
    }
    result.fix.record(contributions)
  }

  /// Sets the dilution, in which the offset is not an unknown.
  private mutating func finish(_ problem: ArrivalProblem<D>, _ best: EquationSolution) {
    guard var dilution = problem.dilution(at: best.unknowns, of: problem.count) else { return }
    dilution.geometric = dilution.position
    result.fix.dilution = dilution
  }
}
