/// The best local minimum, and a second one that the ranges cannot distinguish from it.
struct LocalSolutions<let D: Int>: Sendable {
  /// The lowest minimum.
  var best: Refinement<D>?
  /// The second lowest minimum.
  var other: Refinement<D>?
  /// Number of steps of all refinements.
  var iterations = 0

  /// Adds a minimum; one within `tolerance` metres of the best counts as the same.
  mutating func add(_ found: Refinement<D>, tolerance: Double) {
    iterations += found.iterations
    guard found.position.isFinite, found.cost.isFinite else { return }
    guard let best else {
      self.best = found
      return
    }
    if (best.position - found.position).length <= tolerance {
      if found.cost < best.cost { self.best = found }
    } else if found.cost < best.cost {
      self.best = found
      other = best
    } else if other.map({ found.cost < $0.cost }) ?? true {
      other = found
    }
  }
}

extension RangeProblem {
  /// Returns the local minima of the cost that the ranges cannot distinguish.
  ///
  /// Refines the minima of the squared ranges, one of which is their global minimum, and the prior.
  /// If the residuals are too large for the assumed errors, refines the results of an outlier
  /// search as well.
  func solutions(_ options: PositionOptions, hardHeight: Self?) -> LocalSolutions<D> {
    var found = LocalSolutions<D>()
    // The accuracy that a double root allows.
    let tolerance = 1e-6 * scale
    func add(_ start: Vector<D>) {
      guard start.isFinite else { return }
      found.add(
        refine(from: start, limit: options.maximumIterations, by: options.steps),
        tolerance: tolerance)
    }
    guard free > 0 else {
      add(given)
      return found
    }
    func addMinima(of problem: Self) {
      guard let minima = SquaredRanges(problem)?.minima() else { return }
      add(minima.global)
      if let other = minima.other {
        add(other)
      } else if problem.span.rank < problem.free, problem.isSaddle(minima.global) {
        // The gradient across the affine span vanishes here, but the likelihood increases to both
        // sides.
        let step = 0.01 * scale * problem.span.axes.row(problem.free - 1)
        add(minima.global + step)
        add(minima.global - step)
      }
    }
    addMinima(of: self)
    if let hardHeight { addMinima(of: hardHeight) }
    if let prior { add(prior.mean) }
    if let best = found.best, residualSquare(at: best.position) > limitOfSquares {
      searchWidely(from: best, options, &found, tolerance: tolerance)
    }
    // Twice the log-likelihood ratio, against the 99 % quantile of chi-square with one degree of
    // freedom.
    if let best = found.best, let other = found.other, other.cost > best.cost + 6.63 {
      found.other = nil
    }
    return found
  }

  /// Returns the sum of squares of all residuals in standard deviations.
  func residualSquare(at position: Vector<D>) -> Double {
    var sum = 0.0
    for index in 0..<count {
      let scaled =
        (distances[index] - (position - anchors[index]).length) / sigmas[index]
      sum += scaled * scaled
    }
    return sum
  }

  /// The 99.9 % quantile of ``residualSquare(at:)``.
  var limitOfSquares: Double { chiSquareLimit(degreesOfFreedom: max(1, count - free)) }

  /// Searches for a better minimum if the first ones leave large residuals.
  ///
  /// The search replaces only the best solution. The second solution is then its mirror image:
  /// contradictory subsets of ranges would yield any number of alternatives.
  private func searchWidely(
    from first: Refinement<D>, _ options: PositionOptions,
    _ found: inout LocalSolutions<D>, tolerance: Double
  ) {
    guard let squares = SquaredRanges(self) else { return }
    var starts = [squares.image(of: first.position)]
    if loss.shape != .squared, options.searchesForOutliers, count > free + 1 {
      starts.append(graduated(from: first.position))
      if let consensus = consensusPosition() { starts.append(consensus) }
    }
    var best = first
    for start in starts where start.isFinite {
      let refined = refine(from: start, limit: options.maximumIterations, by: options.steps)
      found.iterations += refined.iterations
      if refined.position.isFinite, refined.cost < best.cost { best = refined }
    }
    guard (best.position - first.position).length > tolerance else { return }
    found.best = best
    found.other = nil
    found.add(
      refine(
        from: squares.image(of: best.position), limit: options.maximumIterations,
        by: options.steps), tolerance: tolerance)
  }

  /// Returns whether half the second derivative of the cost across the affine span is negative at a
  /// position on it.
  private func isSaddle(_ position: Vector<D>) -> Bool {
    let normal = span.axes.row(free - 1)
    var sum = 0.0
    for index in 0..<count {
      let offset = position - anchors[index]
      let distance = offset.length
      guard distance > 0 else { return true }
      guard offset.dot(normal).magnitude <= 1e-6 * scale else { return false }
      sum += (1 - distances[index] / distance) / (sigmas[index] * sigmas[index])
    }
    return sum < 0
  }
}

extension RangeProblem {
  /// Returns a solution at a given position, for the quality measures.
  private func solution(at position: Vector<D>) -> Refinement<D> {
    let here = expansion(at: position)
    return Refinement(
      position: position, cost: here.cost, information: here.information, iterations: 0)
  }

  /// Returns the local minimum of the cost reached from the global minimum of the squared ranges.
  func descent(by steps: PositionOptions.Steps, limit: Int) -> LocalSolutions<D> {
    var found = LocalSolutions<D>()
    let start = free > 0 ? SquaredRanges(self)?.minima().global : given
    guard let start, start.isFinite else { return found }
    found.add(refine(from: start, limit: limit, by: steps), tolerance: 0)
    return found
  }

  /// Returns the global minimum of the squared ranges, or both minima if they are mirror images.
  func closedForm() -> LocalSolutions<D> {
    var found = LocalSolutions<D>()
    for position in squaredRangeMinima() where position.isFinite {
      found.add(solution(at: position), tolerance: 1e-9 * scale)
    }
    return found
  }

  /// Returns the minima of the squared ranges: one, two if they are mirror images, or an empty
  /// array.
  func squaredRangeMinima() -> [Vector<D>] {
    guard free > 0, span.rank >= free - 1, let squares = SquaredRanges(self) else { return [] }
    let minima = squares.minima()
    return [minima.global] + (minima.isPair ? [minima.other].compactMap { $0 } : [])
  }

  /// Returns the solution of the linearised equations.
  func linearSolution() -> LocalSolutions<D> {
    var found = LocalSolutions<D>()
    guard span.rank == free, let coordinates = linearCoordinates(dimensions: free) else {
      return found
    }
    found.add(solution(at: given + span.offset(of: coordinates)), tolerance: 0)
    return found
  }
}
