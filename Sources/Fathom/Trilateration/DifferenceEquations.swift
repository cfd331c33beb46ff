/// The equations of time differences that have errors of their own besides those of the arrivals.
///
/// Each arrival has an error e as an unknown, with a row that says how large it may be; a
/// difference is then independent of the others:
///
///     e / σ = 0    (δ - (d₁ + e₁) + (d₂ + e₂)) / own = 0
///
/// Without robust losses the position that minimises the squares is that of the covariance
/// A S Aᵀ + own² I, of which the errors of arrivals are the eliminated part.
struct DifferenceEquations<let D: Int> {
  let problem: ArrivalProblem<D>
  let graph: DifferenceGraph
  /// Standard deviation that every difference adds, metres.
  let own: Double
  /// Arrivals of which nothing is believed: their errors may be of any size.
  let blamed: Set<Int>
  let assumptions: PositionAssumptions<D>

  /// The arrivals whose errors have a row, in its order; the rows of the differences follow.
  var believed: [Int] { (0..<problem.count).filter { !blamed.contains($0) } }

  /// The equations for effective standard deviations `sigmas` of the arrivals.
  func equations(_ sigmas: [Double], scale: Double) -> PositionEquations {
    let beliefs = assumptions.beliefs(around: problem.centre)
    let (problem, edges, own, believed) = (problem, graph.edges, own, believed)
    let (free, count) = (problem.free, problem.count)
    let measured = believed.count + edges.count
    return PositionEquations(
      free: free, unknowns: free + count,
      kinds: believed.map { _ in .path } + edges.map { _ in .measurement }
        + beliefs.map { _ in .belief },
      scale: scale, isFlat: problem.rank < free && beliefs.isEmpty, loss: assumptions.loss,
      residuals: { unknowns in
        let arrivals = (0..<count).map { problem.distance($0, unknowns) + unknowns[free + $0] }
        return believed.map { unknowns[free + $0] / sigmas[$0] }
          + edges.map { ($0.difference - arrivals[$0.first] + arrivals[$0.second]) / own }
          + beliefs.map { $0.residual(unknowns) }
      },
      slopes: { unknowns in
        var slopes = DenseMatrix(rows: measured + beliefs.count, columns: free + count)
        for (row, arrival) in believed.enumerated() {
          slopes[row, free + arrival] = -1 / sigmas[arrival]
        }
        let directions = (0..<count).map { problem.direction($0, unknowns) }
        for (place, edge) in edges.enumerated() {
          let row = believed.count + place
          for axis in 0..<free {
            slopes[row, axis] =
              (directions[edge.first][axis] - directions[edge.second][axis]) / own
          }
          slopes[row, free + edge.first] = 1 / own
          slopes[row, free + edge.second] = -1 / own
        }
        for (place, belief) in beliefs.enumerated() {
          for axis in 0..<free { slopes[measured + place, axis] = belief.slopes[axis] }
        }
        return slopes
      })
  }

  /// The likeliest positions, from the starts of arrivals that fit the differences best.
  func solve(
    _ arrivals: ArrivalEquations<D>
  ) -> (fits: [EquationFit], equations: PositionEquations) {
    let scale = problem.scale(of: arrivals.arrivals)
    let own = arrivals.starts()
    // Blamed arrivals start with the error that the others leave them.
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
      for (row, arrival) in believed.enumerated() { ofArrivals[arrival] = weights[row] }
      return withErrors(own.weighted(ofArrivals))
    }
    var starts = PositionEquations.Starts(first: withErrors(own.first), most: own.most)
    if !blamed.isEmpty { starts.first += weighted(believed.map { _ in 1 }) }
    starts.wide = { withErrors(own.wide()) }
    starts.weighted = weighted
    var sigmas = problem.sigmas(at: nil)
    var equations = equations(sigmas, scale: scale)
    var fits = equations.solutions(from: starts, searching: assumptions.searchesForOutliers)
    guard problem.hasUncertainAnchors else { return (fits, equations) }
    for _ in 0..<2 {
      guard let best = fits.first else { break }
      sigmas = problem.sigmas(at: best.unknowns)
      equations = self.equations(sigmas, scale: scale)
      starts.first = fits.map(\.unknowns)
      fits = equations.solutions(from: starts, searching: assumptions.searchesForOutliers)
    }
    return (fits, equations)
  }
}
