/// The measurement equations of arrivals at anchors, with one offset per group of arrivals, and
/// their starting points.
struct ArrivalEquations<let D: Int> {
  let problem: ArrivalProblem<D>
  /// Distance plus offset, metres, one per anchor of the problem.
  let arrivals: [Double]
  /// The index of the offset of each arrival.
  let groups: [Int]
  let assumptions: PositionAssumptions<D>

  /// The number of offsets.
  var offsets: Int { (groups.max() ?? -1) + 1 }

  /// The minimum number of arrivals for a position.
  var needed: Int {
    if assumptions.prior != nil { return offsets + 1 }
    return problem.free + offsets - (assumptions.heightSigma == nil ? 0 : 1)
  }

  /// Whether the anchors determine the position up to a mirror image.
  var determinesPosition: Bool {
    if assumptions.prior != nil { return true }
    guard let exactHeightProblem = exactHeightProblem else {
      return problem.rank >= problem.free - 1
    }
    return exactHeightProblem.rank >= exactHeightProblem.free - 1
  }

  /// The problem with an exact height; nil unless the height has a standard deviation.
  private var exactHeightProblem: ArrivalProblem<D>? {
    guard assumptions.heightSigma != nil, let height = assumptions.height else { return nil }
    return problem.at(height: height)
  }

  /// Returns the equations for effective standard deviations `sigmas`.
  func equations(_ sigmas: [Double]) -> PositionEquations {
    let priors = assumptions.priorRows(around: problem.centre)
    let (problem, arrivals, groups) = (problem, arrivals, groups)
    let (free, offsets) = (problem.free, offsets)
    return PositionEquations(
      free: free, unknowns: free + offsets,
      kinds: arrivals.map { _ in .path } + priors.map { _ in .prior },
      scale: problem.scale(of: arrivals), isSpanDeficient: problem.rank < free && priors.isEmpty,
      loss: assumptions.loss,
      residuals: { unknowns in
        arrivals.indices.map {
          (arrivals[$0] - problem.distance($0, unknowns) - unknowns[free + groups[$0]])
            / sigmas[$0]
        } + priors.map { $0.residual(unknowns) }
      },
      slopes: { unknowns in
        var slopes = DenseMatrix(
          rows: arrivals.count + priors.count, columns: free + offsets)
        for index in arrivals.indices {
          let direction = problem.direction(index, unknowns)
          for axis in 0..<free { slopes[index, axis] = direction[axis] / sigmas[index] }
          slopes[index, free + groups[index]] = 1 / sigmas[index]
        }
        for (place, prior) in priors.enumerated() {
          for axis in 0..<free { slopes[arrivals.count + place, axis] = prior.slopes[axis] }
        }
        return slopes
      })
  }

  /// Returns the starting points: positions and offsets.
  func starts() -> PositionEquations.Starts {
    guard offsets == 1 else {
      return PositionEquations.Starts(first: placed(problem.startsAround()), most: .max)
    }
    var starts = PositionEquations.Starts(
      first: problem.starts(pseudoRanges: arrivals), most: 6)
    let exactHeightProblem = exactHeightProblem
    if let exactHeightProblem {
      starts.first += raised(exactHeightProblem.starts(pseudoRanges: arrivals))
    }
    if let prior = assumptions.prior {
      let offset = (prior.position - problem.centre).array
      starts.first += placed([Array(offset.prefix(problem.free))])
    }
    starts.wide = {
      problem.startsOfMinimalSubsets(pseudoRanges: arrivals)
        + (exactHeightProblem.map { raised($0.startsOfMinimalSubsets(pseudoRanges: arrivals)) }
          ?? [])
    }
    starts.weighted = { weights in
      let weights = Array(weights.prefix(arrivals.count))
      return problem.starts(pseudoRanges: arrivals, weights: weights)
        + (exactHeightProblem.map { raised($0.starts(pseudoRanges: arrivals, weights: weights)) }
          ?? [])
    }
    return starts
  }

  /// Inserts the height as a coordinate into starts of the problem at that height.
  private func raised(_ starts: [[Double]]) -> [[Double]] {
    guard let height = assumptions.height else { return starts }
    let rise = height - problem.centre[D - 1]
    return starts.map { Array($0.dropLast()) + [rise] + $0.suffix(1) }
  }

  /// Appends to positions the offsets that fit them best.
  private func placed(_ positions: [[Double]]) -> [[Double]] {
    positions.map { position in
      var sums = [Double](repeating: 0, count: offsets)
      var counts = sums
      for (index, group) in groups.enumerated() {
        sums[group] += arrivals[index] - problem.distance(index, position)
        counts[group] += 1
      }
      return position + zip(sums, counts).map { $0 / $1 }
    }
  }

  /// Returns the most likely positions and their equations.
  func solve() -> (fits: [EquationFit], equations: PositionEquations) {
    problem.solve(from: starts(), searching: assumptions.searchesForOutliers, equations)
  }
}

extension ArrivalProblem {
  /// Returns the most likely positions and their equations, which `equations` returns for effective
  /// standard deviations of the arrivals.
  ///
  /// Uncertain anchor positions count along the line of sight, which takes three passes.
  func solve(
    from starts: PositionEquations.Starts, searching: Bool,
    _ equations: ([Double]) -> PositionEquations
  ) -> (fits: [EquationFit], equations: PositionEquations) {
    var starts = starts
    var present = equations(sigmas(at: nil))
    var fits = present.solutions(from: starts, searching: searching)
    guard hasUncertainAnchors else { return (fits, present) }
    for _ in 0..<2 {
      guard let best = fits.first else { break }
      present = equations(sigmas(at: best.unknowns))
      starts.first = fits.map(\.unknowns)
      fits = present.solutions(from: starts, searching: searching)
    }
    return (fits, present)
  }

  /// Returns starts for arrivals without a common offset: the centre and two rings around it.
  func startsAround() -> [[Double]] {
    let unit = scale(of: [])
    var starts = [[Double](repeating: 0, count: free)]
    for radius in [0.5 * unit, 2 * unit] {
      for corner in 0..<(1 << min(free, 8)) {
        starts.append((0..<free).map { corner >> $0 & 1 == 0 ? radius : -0.9 * radius })
      }
    }
    return starts
  }
}
