extension RangeProblem {
  /// A solution at a position that is given, for the assessment.
  private func solution(at position: Vector<D>) -> Refinement<D> {
    let here = expansion(at: position)
    return Refinement(
      position: position, cost: here.cost, information: here.information, iterations: 0)
  }

  /// The local minimum of the cost next to the global minimum of the squared ranges.
  func descent(by steps: Trilateration.Options.Steps, limit: Int) -> LocalSolutions<D> {
    var found = LocalSolutions<D>()
    let start = free > 0 ? SquaredRanges(self)?.minima().global : given
    guard let start, start.isFinite else { return found }
    found.add(refine(from: start, limit: limit, by: steps), tolerance: 0)
    return found
  }

  /// The global minimum of the squared ranges, or both minima where they are mirror images.
  func closedForm(by solver: Trilateration.SquaredRangeSolver) -> LocalSolutions<D> {
    var found = LocalSolutions<D>()
    for position in squaredRangeMinima(by: solver) where position.isFinite {
      found.add(solution(at: position), tolerance: 1e-9 * scale)
    }
    return found
  }

  /// The minima of the squared ranges: one, two where they are mirror images, or none.
  func squaredRangeMinima(by solver: Trilateration.SquaredRangeSolver) -> [Vector<D>] {
    guard free > 0, flat.rank >= free - 1, let squares = SquaredRanges(self) else { return [] }
    switch solver {
    case .secular:
      let minima = squares.minima()
      return [minima.global] + (minima.isPair ? [minima.other].compactMap { $0 } : [])
    case .eigenvalue: return (try? squares.minimaByEigenvalues()) ?? []
    case .trustRegion: return minimaByTrustRegion()
    }
  }

  /// The solution of the linearised equations.
  func linearSolution() -> LocalSolutions<D> {
    var found = LocalSolutions<D>()
    guard flat.rank == free, let coordinates = linearCoordinates(dimensions: free) else {
      return found
    }
    found.add(solution(at: given + flat.offset(of: coordinates)), tolerance: 0)
    return found
  }
}
