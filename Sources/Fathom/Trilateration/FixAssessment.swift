extension PositionFix {
  /// Fills in what is known about the solution `best`.
  mutating func describe(
    _ best: Refinement<D>, of problem: RangeProblem<D>, usable: [Int]
  ) {
    position = problem.position(of: best)
    iterations = best.iterations
    var sum = 0.0
    for (index, input) in usable.enumerated() {
      let residual =
        problem.distances[index] - (best.position - problem.anchors[index]).length
      residuals[input] = residual
      sum += residual * residual
    }
    misfit = (sum / Double(problem.count)).squareRoot()
    covariance = problem.covariance(of: best)
    if let cofactor = problem.cofactor(at: best.position) {
      dilution = DilutionOfPrecision(cofactor: cofactor, free: problem.free)
    }
    let surplus = max(1, problem.count - problem.free)
    verdict = best.cost > chiSquareLimit(degreesOfFreedom: surplus) ? .inconsistent : .unique
  }
}

extension RangeProblem {
  /// The position of a solution; coordinates that were given are as they were given, to the bit.
  func position(of solution: Refinement<D>) -> Vector<D> {
    var position = flat.centre + solution.position
    for axis in free..<max(free, D) { position[axis] = known[axis] }
    return position
  }

  /// The covariance of a solution: the inverse information, unless the anchors lie in a flat and the
  /// position so close to it that the first-order variance across exceeds the bound described at
  /// ``Trilateration/solve(ranges:anchors:sigmas:options:)``.
  func covariance(of solution: Refinement<D>) -> Matrix<D, D>? {
    let inverse = freeInverse(solution.information)
    guard flat.rank < free else { return inverse }
    let normal = flat.axes.row(free - 1)
    // The mean square off the flat has variance (2/n)² Σ (dᵢ σᵢ)².
    var sum = 0.0
    for index in 0..<count {
      let term = distances[index] * sigmas[index]
      sum += term * term
    }
    let bound = 2 * sum.squareRoot() / Double(count)
    if let inverse, (inverse * normal).dot(normal) <= bound { return inverse }

    let typical = solution.information.trace / Double(D)
    var information = solution.information
    information.addOuterProduct(of: normal, times: typical)
    guard var covariance = freeInverse(information) else { return nil }
    covariance.addOuterProduct(of: normal, times: bound - 1 / typical)
    return covariance.isFinite ? covariance : nil
  }
}

extension Matrix where Rows == Columns {
  /// Adds `factor` v vᵀ.
  fileprivate mutating func addOuterProduct(of vector: Vector<Rows>, times factor: Double) {
    for row in 0..<Rows {
      for column in 0..<Rows { self[row, column] += factor * (vector[row] * vector[column]) }
    }
  }
}

/// The value that chi-square exceeds once in a thousand times [Wilson & Hilferty 1931], to 1 %.
func chiSquareLimit(degreesOfFreedom: Int) -> Double {
  let freedom = Double(degreesOfFreedom)
  let spread = 2 / (9 * freedom)
  let root = 1 - spread + 3.0902 * spread.squareRoot()
  return freedom * root * root * root
}
