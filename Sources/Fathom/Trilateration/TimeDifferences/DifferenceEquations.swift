/// The measurement equations of time differences with independent errors in addition to those of
/// the arrivals.
///
/// The error e of each arrival is an unknown with a row for its standard deviation. The differences
/// are then independent of each other:
///
///     e / σ = 0    (δ - (d₁ + e₁) + (d₂ + e₂)) / own = 0
///
/// Without robust losses, the least-squares position is that for the covariance A S Aᵀ + own² I, in
/// which the errors of the arrivals are eliminated.
struct DifferenceEquations<let D: Int> {
  let problem: ArrivalProblem<D>
  let graph: DifferenceGraph
  /// Additional standard deviation of every difference, metres.
  let own: Double
  /// Arrivals identified as faulty: their errors may have any size.
  let blamed: Set<Int>
  let assumptions: PositionAssumptions<D>

  /// The arrivals whose errors have a row, in the order of the rows; the rows of the differences
  /// follow.
  var trusted: [Int] { (0..<problem.count).filter { !blamed.contains($0) } }

  /// Returns the equations for effective standard deviations `sigmas` of the arrivals.
  func equations(_ sigmas: [Double], scale: Double) -> PositionEquations {
    let priors = assumptions.priorRows(around: problem.centre)
    let (problem, edges, own, trusted) = (problem, graph.edges, own, trusted)
    let (free, count) = (problem.free, problem.count)
    let measured = trusted.count + edges.count
    return PositionEquations(
      free: free, unknowns: free + count,
      kinds: trusted.map { _ in .path } + edges.map { _ in .measurement }
        + priors.map { _ in .prior },
      scale: scale, isSpanDeficient: problem.rank < free && priors.isEmpty, loss: assumptions.loss,
      residuals: { unknowns in
        let arrivals = (0..<count).map { problem.distance($0, unknowns) + unknowns[free + $0] }
        return trusted.map { unknowns[free + $0] / sigmas[$0] }
          + edges.map { ($0.difference - arrivals[$0.first] + arrivals[$0.second]) / own }
          + priors.map { $0.residual(unknowns) }
      },
      slopes: { unknowns in
        var slopes = DenseMatrix(rows: measured + priors.count, columns: free + count)
        for (row, arrival) in trusted.enumerated() {
          slopes[row, free + arrival] = -1 / sigmas[arrival]
        }
        let directions = (0..<count).map { problem.direction($0, unknowns) }
        for (place, edge) in edges.enumerated() {
          let row = trusted.count + place
          for axis in 0..<free {
            slopes[row, axis] =
              (directions[edge.first][axis] - directions[edge.second][axis]) / own
          }
          slopes[row, free + edge.first] = 1 / own
          slopes[row, free + edge.second] = -1 / own
        }
        for (place, prior) in priors.enumerated() {
          for axis in 0..<free { slopes[measured + place, axis] = prior.slopes[axis] }
        }
        return slopes
      })
  }

  /// Returns the most likely positions, starting from the arrivals that fit the differences best.
  func solve(
    _ arrivals: ArrivalEquations<D>
  ) -> (fits: [EquationFit], equations: PositionEquations) {
    let scale = problem.scale(of: arrivals.arrivals)
    let own = arrivals.starts()
    // The error of a faulty arrival starts at its residual from the other arrivals.
    func withErrors(_ starts: [[Double]]) -> [[Double]] {
      starts.map { start in
        let position = Array(start.prefix(problem.free))
        return position
          + (0..<problem.count).map { index in
            guard blamed.contains(index) else { return 0 }
            let offset = start[problem.free + arrivals.groups[index]]
            return arrivals.arrivals[index] - problem.distance(index, position) - offset
          }
      }
    }
    func weighted(_ weights: [Double]) -> [[Double]] {
      var ofArrivals = [Double](repeating: 1e-6, count: problem.count)
      for (row, arrival) in trusted.enumerated() { ofArrivals[arrival] = weights[row] }
      return withErrors(own.weighted(ofArrivals))
    }
    var starts = PositionEquations.Starts(first: withErrors(own.first), most: own.most)
    if !blamed.isEmpty { starts.first += weighted(trusted.map { _ in 1 }) }
    starts.wide = { withErrors(own.wide()) }
    starts.weighted = weighted
    return problem.solve(from: starts, searching: assumptions.searchesForOutliers) {
      equations($0, scale: scale)
    }
  }
}

extension PositionEquations {
  /// Returns how closely fitted differences follow measured ones: the diagonal of A H A⁺, where H
  /// maps measured arrivals to fitted ones and A takes differences.
  ///
  /// `solution` is one of these equations, which are those of arrivals; `kept` are the arrivals of
  /// the graph that have a row, in the order of the rows. Returns influences from 0 to 1 by the
  /// index of the difference in the input list; empty if the position is not determined to first
  /// order.
  func influences(
    of graph: DifferenceGraph, in solution: EquationSolution, kept: [Int]
  ) -> [Int: Double] {
    guard solution.rows.allSatisfy({ $0.influence != nil }) else { return [:] }
    let incidence = graph.incidence
    let inverse = try? leastSquares(
      incidence, .identity(incidence.rows), rank: .minimumNorm(relativeCutoff: 1e-10))
    guard let inverse, let spread = covariance(at: solution.unknowns) else { return [:] }
    let slopes = self.slopes(solution.unknowns)
    let reach = slopes * spread.matrix * slopes.transposed()
    let weights = informationWeights(solution.rows.map(\.residual))
    // The row of an arrival has 1/σ at its offset.
    let sigmas = kept.indices.map { row in
      1 / (free..<unknowns).reduce(0) { max($0, slopes[row, $1]) }
    }
    var places = [Int?](repeating: nil, count: graph.count)
    for (row, place) in kept.enumerated() { places[place] = row }
    /// Returns how closely the fitted arrival at `first` follows the measured one at `second`.
    func follows(_ first: Int, _ second: Int) -> Double {
      guard let row = places[first], let column = places[second] else { return 0 }
      return sigmas[row] * reach[row, column] * weights[column] / sigmas[column]
    }
    var result: [Int: Double] = [:]
    for (row, edge) in graph.edges.enumerated() {
      var sum = 0.0
      for arrival in 0..<graph.count {
        sum +=
          (follows(edge.first, arrival) - follows(edge.second, arrival))
          * inverse.coefficients[arrival, row]
      }
      if sum.isFinite { result[edge.input] = min(1, max(0, sum)) }
    }
    return result
  }
}
