extension PositionFix {
  /// Sets the position, the covariance and the quality measures from the solution `best`.
  mutating func describe(
    _ best: Refinement<D>, of problem: RangeProblem<D>, usable: [Int]
  ) {
    position = problem.position(of: best)
    let consistency = problem.consistency(of: best)
    let information = problem.calibratedInformation(of: best, consistency)
    let inverse = problem.freeInverse(information)
    var unit = Matrix<D, D>.zero
    // Sums of w r², w and w z².
    var (squares, weights, chiSquare) = (0.0, 0.0, 0.0)
    var downweighted: [Int] = []
    for index in 0..<problem.count {
      let offset = best.position - problem.anchors[index]
      let distance = offset.length
      let residual = problem.distances[index] - distance
      let sigma = problem.sigmas[index]
      let weight = problem.loss.weight(of: residual / sigma)
      var influence: Double?
      if distance > 0 {
        let direction = (1 / distance) * offset
        unit.addOuterProduct(of: direction, times: 1)
        if let inverse {
          let precision = consistency * weight / (sigma * sigma)
          let value = precision * direction.dot(inverse * direction)
          influence = value.isFinite ? min(1, max(0, value)) : nil
        }
      }
      squares += weight * residual * residual
      weights += weight
      if weight < 0.5 {
        downweighted.append(usable[index])
      } else {
        let scaled = residual / sigma
        chiSquare += scaled * scaled
      }
      contributions[usable[index]] = RangeContribution(
        residual: residual, weight: weight, influence: influence)
    }
    misfit = weights > 0 ? (squares / weights).squareRoot() : nil
    let spread = problem.covariance(information: information, inverse: inverse)
    (covariance, undetermined) = (spread?.matrix, spread?.undetermined ?? [])
    for axis in problem.free..<max(problem.free, D) {
      for other in 0..<D {
        unit[axis, other] = 0
        unit[other, axis] = 0
      }
      unit[axis, axis] = unit.trace / Double(max(1, problem.free))
    }
    if let cofactor = problem.freeInverse(unit) {
      dilution = DilutionOfPrecision(cofactor: cofactor, free: problem.free)
    }
    let kept = problem.count - downweighted.count
    // A small part of many ranges can agree by chance, and as many ranges as unknowns always do.
    let agrees =
      downweighted.isEmpty
      || (2 * kept >= problem.count && (kept > problem.free || problem.prior != nil))
    let surplus = max(1, kept - problem.free)
    // Without a covariance the position is an answer of unknown error.
    verdict =
      agrees && chiSquare <= chiSquareLimit(degreesOfFreedom: surplus) && covariance != nil
      ? .unique : .inconsistent
    if !downweighted.isEmpty { discounted = (discounted + downweighted).sorted() }
  }
}

extension RangeProblem {
  /// Returns the position of a solution.
  func position(of solution: Refinement<D>) -> Vector<D> { position(at: solution.position) }

  /// Returns the variance of the residuals in units of the assumed variance, or 1 without
  /// redundancy.
  func spreadOfResiduals(at solution: Refinement<D>) -> Double {
    var (squares, weights) = (0.0, 0.0)
    for index in 0..<count {
      let scaled = residual(index, at: solution.position) / sigmas[index]
      let weight = loss.weight(of: scaled)
      squares += weight * scaled * scaled
      weights += weight
    }
    let surplus = weights - Double(free)
    return surplus > 0.5 ? squares / surplus : 1
  }

  /// Returns the information of a solution, corrected for the weight that the loss takes from good
  /// ranges.
  func calibratedInformation(of solution: Refinement<D>) -> Matrix<D, D> {
    calibratedInformation(of: solution, consistency(of: solution))
  }

  /// Returns the same for a known ``consistency(of:)``.
  func calibratedInformation(
    of solution: Refinement<D>, _ consistency: Double
  ) -> Matrix<D, D> {
    guard let prior else { return consistency * solution.information }
    // The correction applies to the ranges, not to the prior.
    return consistency * (solution.information - prior.information) + prior.information
  }

  /// Returns the factor of that correction, which depends on the redundancy of the ranges.
  func consistency(of solution: Refinement<D>) -> Double {
    guard loss.shape != .squared else { return 1 }
    let kept = Double((0..<count).count { weight($0, at: solution.position) >= 0.5 })
    guard kept > 0 else { return 1 }
    // The number of unknowns that the ranges determine: all, minus the part that the prior
    // determines.
    var determined = Double(free)
    if let prior, let inverse = freeInverse(solution.information) {
      determined = (inverse * (solution.information - prior.information)).trace
    }
    return loss.consistency(spare: 1 - determined / kept)
  }

  /// Returns the covariance of a solution with the given information, and the directions that are
  /// not determined to first order.
  ///
  /// The covariance is the inverse. At a position on the affine span of the anchors, or on the line
  /// between two spheres that do not meet, the first-order variance across is infinite, or nearly
  /// so. It is limited to the bound described at
  /// ``Trilateration/solve(ranges:anchors:sigmas:prior:within:options:)``.
  func covariance(
    information: Matrix<D, D>, inverse: Matrix<D, D>?
  ) -> (matrix: Matrix<D, D>, undetermined: [Vector<D>])? {
    guard inverse == nil || span.rank < free && prior == nil else {
      return inverse.map { ($0, []) }
    }
    // The mean squared distance from the affine span has variance (2/n)² Σ (dᵢ σᵢ)².
    var sum = 0.0
    for index in 0..<count {
      let term = distances[index] * sigmas[index]
      sum += term * term
    }
    let bound = 2 * sum.squareRoot() / Double(count)
    guard bound > 0, bound.isFinite else { return nil }
    if var covariance = inverse {
      let normal = span.axes.row(free - 1)
      let reach = covariance * normal
      let variance = reach.dot(normal)
      guard variance > bound else { return (covariance, []) }
      // As if a measurement across the span had left that variance.
      covariance.addOuterProduct(of: reach, times: (bound - variance) / (variance * variance))
      return (covariance.symmetrized(), [normal])
    }
    let principal = PrincipalAxes(of: information)
    var covariance = Matrix<D, D>.zero
    var undetermined: [Vector<D>] = []
    guard principal.values[0] > 0, information.isFinite else { return nil }
    for index in 0..<D {
      var axis = principal.axes.row(index)
      for known in free..<max(free, D) { axis[known] = 0 }
      guard axis.length > 0.5 else { continue }
      let isKnown = principal.values[index] > 1e-12 * principal.values[0]
      covariance.addOuterProduct(of: axis, times: isKnown ? 1 / principal.values[index] : bound)
      if !isKnown { undetermined.append(axis) }
    }
    return covariance.isFinite && !undetermined.isEmpty ? (covariance, undetermined) : nil
  }
}

extension Matrix where Rows == Columns {
  /// Adds `factor` v vᵀ.
  mutating func addOuterProduct(of vector: Vector<Rows>, times factor: Double) {
    withMutableElements { element in
      for row in 0..<Rows {
        for column in 0..<Rows {
          element[row * Rows + column] += factor * (vector[row] * vector[column])
        }
      }
    }
  }
}
