/// The contribution of one row of the position equations to a position.
struct RowContribution {
  /// Measured minus expected value, in standard deviations.
  var residual: Double
  /// The weight assigned by the loss.
  var weight: Double
  /// How closely the fitted value follows the measured one; nil if the position is not determined
  /// to first order.
  var influence: Double?
}

/// A selected solution of the position equations, with its covariance and contributions.
struct EquationSolution {
  var unknowns: [Double]
  /// Covariance of all unknowns.
  var covariance: DenseMatrix
  var rows: [RowContribution]
}

extension PositionFix {
  /// Sets the position, its covariance and the verdict from one or two `fits`, best first, or the
  /// verdict `continuum`.
  ///
  /// The caller sets the contributions of measurements, which depend on their kind. `position` maps
  /// unknowns to the position. Returns the selected solutions, best first; empty for a continuum.
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
    if let side = assumptions.side, assumptions.hardHeight == nil, chosen.count > 1,
      let isFirst = side.prefers(position(chosen[0].unknowns), to: position(chosen[1].unknowns))
    {
      let place = isFirst ? 0 : 1
      (chosen, spreads) = ([chosen[place]], [spreads[place]])
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
      add([
        PositionAlternative(
          position: position(solutions[1].unknowns),
          covariance: Self.leading(solutions[1].covariance, equations.free))
      ])
    }
    return solutions
  }

  /// Sets the contributions of the measurements, the misfit, and the discounted measurements.
  mutating func record(_ contributions: [RangeContribution?]) {
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

  /// Returns the leading block of a covariance, zero in the known coordinates.
  static func leading(_ matrix: DenseMatrix, _ free: Int) -> Matrix<D, D> {
    var result = Matrix<D, D>.zero
    for row in 0..<min(free, D) {
      for column in 0..<min(free, D) { result[row, column] = matrix[row, column] }
    }
    return result
  }
}

extension PositionEquations {
  /// Returns the contributions of the rows at `fit`, and its covariance, scaled with the residuals
  /// if `scaled`.
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

  /// Returns the variance of the residuals in units of the assumed variance, or 1 without
  /// redundancy.
  private func spreadOfResiduals(_ rows: [RowContribution]) -> Double {
    var (squares, weights) = (0.0, 0.0)
    for (kind, row) in zip(kinds, rows) where kind != .prior {
      squares += row.weight * row.residual * row.residual
      weights += row.weight
    }
    let surplus = weights - Double(unknowns)
    return surplus > 0.5 ? squares / surplus : 1
  }

  /// Returns whether the rows agree.
  ///
  /// The kept rows must fit within their errors and be at least half of the measurements. If any
  /// row was discounted, they must also outnumber the unknowns.
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

  /// Returns whether more rows were kept than there are unknowns, or a prior exists: as many rows
  /// as unknowns always agree.
  func isConfirmed(_ rows: [RowContribution]) -> Bool { surplus(rows) > 0 || hasPrior }

  /// Returns the number of kept rows minus the number of unknowns.
  private func surplus(_ rows: [RowContribution]) -> Int {
    var surplus = -unknowns
    for (kind, row) in zip(kinds, rows) where kind != .prior && row.weight >= 0.5 { surplus += 1 }
    return surplus
  }
}
