/// What one row of position equations had to do with a position.
struct RowContribution {
  /// Measurement minus expectation, standard deviations.
  var residual: Double
  /// The weight that the loss gave it.
  var weight: Double
  /// How far the fitted value follows the measured one; nil where the position is not determined to
  /// first order.
  var influence: Double?
}

/// A solution of position equations that was chosen, with its worth.
struct EquationSolution {
  var unknowns: [Double]
  /// Covariance of all unknowns.
  var covariance: DenseMatrix
  var rows: [RowContribution]
}

extension PositionFix {
  /// Fills in what is known about `fits`, or says that a continuum remains; contributions of
  /// measurements, which differ from kind to kind, are left to the caller.
  ///
  /// - Parameters:
  ///   - fits: one or two, best first.
  ///   - equations: what they solve.
  ///   - assumptions: bounds that choose, and whether to scale covariances.
  ///   - position: the position that unknowns stand for.
  /// - Returns: the solutions that were taken, best first; none for a continuum.
  mutating func describe(
    _ fits: [EquationFit], of equations: PositionEquations,
    under assumptions: PositionAssumptions<D>, position: ([Double]) -> Vector<D>
  ) -> [EquationSolution] {
    var chosen: [EquationFit] = []
    var spreads: [EquationCovariance] = []
    for fit in fits {
      guard let spread = equations.covariance(at: fit.unknowns),
        position(fit.unknowns).isFinite
      else { continue }
      chosen.append(fit)
      spreads.append(spread)
    }
    guard !chosen.isEmpty else {
      verdict = .continuum
      return []
    }
    if let bounds = assumptions.bounds, chosen.count > 1 {
      let inside = chosen.map { bounds.contains(position($0.unknowns)) }
      if inside[0] != inside[1] {
        let place = inside[0] ? 0 : 1
        (chosen, spreads) = ([chosen[place]], [spreads[place]])
      }
    }
    let solutions = zip(chosen, spreads).map { fit, spread in
      equations.solution(fit, spread, scaled: assumptions.scalesCovariance)
    }
    self.position = position(solutions[0].unknowns)
    covariance = Self.leading(solutions[0].covariance, equations.free)
    undetermined = spreads[0].undetermined.map { axis in
      var direction = Vector<D>.zero
      for index in axis.indices { direction[index] = axis[index] }
      return direction
    }
    iterations = chosen.reduce(0) { $0 + $1.iterations }
    verdict = equations.agree(solutions[0].rows) ? .unique : .inconsistent
    if solutions.count > 1 {
      alternative = position(solutions[1].unknowns)
      alternativeCovariance = Self.leading(solutions[1].covariance, equations.free)
      if verdict == .unique { verdict = .two }
    }
    return solutions
  }

  /// Fills in the contributions of the measurements, the misfit, and what is discounted.
  mutating func take(_ contributions: [RangeContribution?]) {
    self.contributions = contributions
    var (squares, weights) = (0.0, 0.0)
    for (index, contribution) in contributions.enumerated() {
      guard let contribution else { continue }
      squares += contribution.weight * contribution.residual * contribution.residual
      weights += contribution.weight
      if contribution.weight < 0.5 { discounted.append(index) }
    }
    discounted = Set(discounted).sorted()
    misfit = weights > 0 ? (squares / weights).squareRoot() : nil
  }

  /// The leading block of a covariance, zero in the given coordinates.
  static func leading(_ matrix: DenseMatrix, _ free: Int) -> Matrix<D, D> {
    var result = Matrix<D, D>.zero
    for row in 0..<min(free, D) {
      for column in 0..<min(free, D) { result[row, column] = matrix[row, column] }
    }
    return result
  }
}

extension PositionEquations {
  /// What became of the rows at `fit`, and its covariance, scaled with the residuals where asked
  /// for.
  fileprivate func solution(
    _ fit: EquationFit, _ spread: EquationCovariance, scaled: Bool
  ) -> EquationSolution {
    let residuals = residuals(fit.unknowns)
    let weights = weights(residuals, under: loss)
    let informations = informationWeights(residuals)
    let slopes = slopes(fit.unknowns)
    let reach = slopes * spread.matrix
    var rows: [RowContribution] = []
    for row in residuals.indices {
      var influence: Double?
      if spread.undetermined.isEmpty {
        var sum = 0.0
        for column in 0..<unknowns { sum += reach[row, column] * slopes[row, column] }
        let value = informations[row] * sum
        influence = value.isFinite ? min(1, max(0, value)) : nil
      }
      rows.append(
        RowContribution(residual: residuals[row], weight: weights[row], influence: influence))
    }
    var covariance = spread.matrix
    if scaled {
      let factor = spreadOfResiduals(rows)
      for row in 0..<unknowns { for column in 0..<unknowns { covariance[row, column] *= factor } }
    }
    return EquationSolution(
      unknowns: fit.unknowns, covariance: covariance.isFinite ? covariance : spread.matrix,
      rows: rows)
  }

  /// The variance of the residuals in units of that assumed; 1 where none is left over to tell.
  private func spreadOfResiduals(_ rows: [RowContribution]) -> Double {
    var (squares, weights) = (0.0, 0.0)
    for (kind, row) in zip(kinds, rows) where kind != .prior {
      squares += row.weight * row.residual * row.residual
      weights += row.weight
    }
    let surplus = weights - Double(unknowns)
    return surplus > 0.5 ? squares / surplus : 1
  }

  /// Whether the rows agree: those that were kept fit within their errors, they are at least half
  /// of the measurements, and one more than there are unknowns where any was discounted.
  fileprivate func agree(_ rows: [RowContribution]) -> Bool {
    var (measured, kept, chiSquare) = (0, 0, 0.0)
    for (kind, row) in zip(kinds, rows) where kind != .prior {
      if kind != .nuisance { measured += 1 }
      if row.weight < 0.5 { continue }
      if kind != .nuisance { kept += 1 }
      chiSquare += row.residual * row.residual
    }
    let isMajority = kept == measured || (2 * kept >= measured && isConfirmed(rows))
    let surplus = surplus(rows)
    return isMajority && chiSquare <= chiSquareLimit(degreesOfFreedom: max(1, surplus))
  }

  /// Whether more rows were kept than there are unknowns, or a prior stands beside them: as many
  /// as there are unknowns always agree.
  func isConfirmed(_ rows: [RowContribution]) -> Bool { surplus(rows) > 0 || hasPrior }

  /// By how many the rows that were kept exceed the unknowns.
  private func surplus(_ rows: [RowContribution]) -> Int {
    var surplus = -unknowns
    for (kind, row) in zip(kinds, rows) where kind != .prior && row.weight >= 0.5 { surplus += 1 }
    return surplus
  }
}
