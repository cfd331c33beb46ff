/// A position from measurements of any kind, as rows of residuals in standard deviations: what time
/// differences, pseudo-ranges and angles share.
///
/// The unknowns are the free coordinates of the position, relative to a centre near the anchors, and
/// after them at most one nuisance such as an offset common to all ranges.
struct PositionEquations {
  /// How many coordinates of the position are unknown.
  let free: Int
  /// How many unknowns follow them: 0 or 1.
  let nuisances: Int
  /// The number of independent measurements.
  let count: Int
  /// A length that typical distances of the problem have, metres: for tolerances.
  let scale: Double
  /// Whether the anchors lie in a flat, behind which a mirror image may be.
  let isFlat: Bool
  /// Expectation minus measurement, in standard deviations, uncorrelated.
  let residuals: ([Double]) -> [Double]
  /// The derivatives of the residuals.
  let jacobian: ([Double]) -> DenseMatrix

  /// A local maximum of the likelihood.
  struct Solution {
    var unknowns: [Double]
    var cost: Double
    var iterations: Int
    /// Covariance of all unknowns.
    var covariance: DenseMatrix
    /// Unit vectors of free coordinates whose variance is a bound.
    var undetermined: [[Double]]
  }

  /// The local maxima that the measurements cannot tell apart.
  ///
  /// - Parameters:
  ///   - starts: unknowns to start from.
  ///   - most: how many of them are refined, the likeliest first.
  /// - Returns: One or two, best first; none where a continuum remains.
  func solutions(from starts: [[Double]], refining most: Int) -> [Solution] {
    var candidates: [(unknowns: [Double], cost: Double)] = []
    for start in starts where start.allSatisfy(\.isFinite) {
      let cost = residuals(start).reduce(0) { $0 + $1 * $1 }
      let isNew = !candidates.contains { distance($0.unknowns, start) <= 1e-3 * scale }
      if cost.isFinite && isNew { candidates.append((start, cost)) }
    }
    candidates.sort { $0.cost < $1.cost }
    var solver = LevenbergMarquardt()
    solver.maximumEvaluations = 200
    var fits: [NonlinearFit] = []
    for candidate in candidates.prefix(most) {
      guard
        let fit = try? solver.fit(
          from: candidate.unknowns, residuals: residuals, jacobian: jacobian)
      else { continue }
      // A double root, such as a position on the flat itself, is found to half of the digits.
      if let same = fits.firstIndex(where: {
        distance($0.coefficients, fit.coefficients) <= 1e-4 * scale
      }) {
        if fit.residualSumOfSquares < fits[same].residualSumOfSquares { fits[same] = fit }
      } else {
        fits.append(fit)
      }
    }
    fits.sort { $0.residualSumOfSquares < $1.residualSumOfSquares }
    guard let best = fits.first else { return [] }
    // Twice the log-likelihood ratio, against the 99 % point of chi-square with one degree of freedom.
    let likely = fits.prefix { $0.residualSumOfSquares <= best.residualSumOfSquares + 6.63 }
    // Far away all directions of arrival are parallel: what runs there is a direction, not a place.
    let origin = [Double](repeating: 0, count: free)
    if best.outcome != .converged && distance(best.coefficients, origin) > 100 * scale { return [] }
    var found: [Solution] = []
    for fit in likely {
      guard let (covariance, undetermined) = covariance(at: fit.coefficients) else { continue }
      found.append(
        Solution(
          unknowns: fit.coefficients, cost: fit.residualSumOfSquares, iterations: fit.iterations,
          covariance: covariance, undetermined: undetermined))
    }
    return Array(found.prefix(2))
  }

  private func distance(_ first: [Double], _ second: [Double]) -> Double {
    (0..<free).reduce(0) { $0 + (first[$1] - second[$1]) * (first[$1] - second[$1]) }.squareRoot()
  }

  /// The covariance of all unknowns, and the directions in which it is a bound; nil where a direction
  /// is not determined at all.
  ///
  /// The inverse of JᵀJ. In a flat of anchors the first-order variance across grows without bound;
  /// there the second derivatives k of the residuals along that direction limit it: the square of the
  /// offset t has a standard deviation of 2 / |k|, which stands in for its variance.
  private func covariance(
    at unknowns: [Double]
  ) -> (matrix: DenseMatrix, undetermined: [[Double]])? {
    let slopes = jacobian(unknowns)
    let total = free + nuisances
    let normal = slopes.transposed() * slopes
    // The information on the position once the nuisance has been eliminated.
    var information = DenseMatrix(rows: free, columns: free)
    var pull = [Double](repeating: 0, count: free)
    for row in 0..<free {
      if nuisances > 0 { pull[row] = normal[row, free] / normal[free, free] }
      for column in 0..<free {
        information[row, column] =
          normal[row, column] - (nuisances > 0 ? pull[row] * normal[free, column] : 0)
      }
    }
    guard let axes = try? SymmetricEigendecomposition(information) else { return nil }
    let greatest = axes.eigenvalues.map(\.magnitude).max() ?? 0
    var covariance = DenseMatrix(rows: total, columns: total)
    var undetermined: [[Double]] = []
    for (index, value) in axes.eigenvalues.enumerated() {
      let axis = axes.eigenvectors.column(index)
      let bound = isFlat ? varianceBound(along: axis, at: unknowns) : .infinity
      let first = value > 1e-13 * greatest ? 1 / value : .infinity
      let variance = min(first, bound)
      guard variance.isFinite else { return nil }
      if bound < first { undetermined.append(axis) }
      for row in 0..<free {
        for column in 0..<free { covariance[row, column] += variance * axis[row] * axis[column] }
      }
    }
    if nuisances > 0 {
      // The best offset for a given position moves by -pull times the position.
      var variance = 1 / normal[free, free]
      for row in 0..<free {
        var sum = 0.0
        for column in 0..<free { sum -= covariance[row, column] * pull[column] }
        covariance[row, free] = sum
        covariance[free, row] = sum
        variance -= pull[row] * sum
      }
      covariance[free, free] = variance
    }
    return covariance.isFinite ? (covariance, undetermined) : nil
  }

  private func varianceBound(along axis: [Double], at unknowns: [Double]) -> Double {
    let step = 1e-4 * scale
    func slopes(_ side: Double) -> DenseMatrix {
      var moved = unknowns
      for index in 0..<free { moved[index] += side * step * axis[index] }
      return jacobian(moved)
    }
    let direction = DenseMatrix(column: axis + [Double](repeating: 0, count: nuisances))
    let (ahead, behind) = (slopes(1) * direction, slopes(-1) * direction)
    var bends = (0..<ahead.rows).map { (ahead[$0, 0] - behind[$0, 0]) / (2 * step) }
    if nuisances > 0 {
      let offset = jacobian(unknowns).column(free)
      let share =
        zip(offset, bends).reduce(0) { $0 + $1.0 * $1.1 } / offset.reduce(0) { $0 + $1 * $1 }
      bends = zip(bends, offset).map { $0 - share * $1 }
    }
    let length = bends.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return length > 0 ? 2 / length : .infinity
  }
}

extension PositionFix {
  /// Fills in what is known about `solutions`, or says that a continuum remains.
  ///
  /// - Parameters:
  ///   - solutions: one or two, best first.
  ///   - equations: what they solve.
  ///   - position: the position that unknowns stand for.
  ///   - metres: all residuals at given unknowns, metres, one per input and nil where it was not
  ///     used: measurement minus expectation.
  mutating func describe(
    _ solutions: [PositionEquations.Solution], of equations: PositionEquations,
    position: ([Double]) -> Vector<D>, residuals metres: ([Double]) -> [Double?]
  ) {
    guard let best = solutions.first else {
      verdict = .continuum
      return
    }
    self.position = position(best.unknowns)
    covariance = Self.leading(best.covariance, equations.free)
    undetermined = best.undetermined.map { axis in
      var direction = Vector<D>.zero
      for index in axis.indices { direction[index] = axis[index] }
      return direction
    }
    let all = metres(best.unknowns)
    shares = all.map { $0.map { RangeShare(residual: $0, weight: 1, influence: nil) } }
    let used = all.compactMap { $0 }
    if !used.isEmpty {
      misfit = (used.reduce(0) { $0 + $1 * $1 } / Double(used.count)).squareRoot()
    }
    iterations = best.iterations
    let surplus = max(1, equations.count - equations.free - equations.nuisances)
    verdict = best.cost > chiSquareLimit(degreesOfFreedom: surplus) ? .inconsistent : .unique
    if solutions.count > 1 {
      alternative = position(solutions[1].unknowns)
      alternativeCovariance = Self.leading(solutions[1].covariance, equations.free)
      if verdict == .unique { verdict = .two }
    }
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
