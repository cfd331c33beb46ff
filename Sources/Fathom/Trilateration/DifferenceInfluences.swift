extension PositionEquations {
  /// How far fitted differences follow measured ones: the diagonal of A H A⁺, where H turns measured
  /// arrivals into fitted ones and A takes differences.
  ///
  /// - Parameters:
  ///   - graph: the differences.
  ///   - solution: a solution of these equations, which are those of arrivals.
  ///   - kept: the arrivals of the graph that have a row, in the order of the rows.
  /// - Returns: influences from 0 to 1 by the index of the difference in the caller's list; none where
  ///   the position is not determined to first order.
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
    /// How far the fitted arrival at `first` follows the measured one at `second`.
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
