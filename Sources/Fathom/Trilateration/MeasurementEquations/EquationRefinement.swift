/// The result of a descent over position equations.
struct EquationFit {
  var unknowns: [Double]
  /// Sum of the losses at the result.
  var cost: Double
  /// Number of steps, including rejected ones.
  var iterations: Int
  /// Whether the steps have converged.
  var isSettled: Bool
}

extension PositionEquations {
  /// Returns the local minimum of the cost that the descent reaches from `start`.
  ///
  /// Takes Gauss-Newton steps (JᵀWJ + λ diag JᵀWJ) s = JᵀW z with Marquardt's damping [Marquardt
  /// 1963], re-weighted at every step [Holland & Welsch 1977]. Converged once the position changes
  /// by less than a billionth of the scale.
  ///
  /// - Parameters:
  ///   - start: unknowns, all finite.
  ///   - loss: the loss function of residuals; nil for ``loss``.
  ///   - limit: the maximum number of steps, including rejected ones.
  ///   - known: minima already found; the descent stops close to one of them.
  /// - Returns: The final state, converged or not.
  func refine(
    from start: [Double], under loss: RobustLoss? = nil, limit: Int = 200,
    knowing known: [EquationFit] = []
  ) -> EquationFit {
    let loss = loss ?? self.loss
    let origin = [Double](repeating: 0, count: free)
    var residuals = residuals(start)
    var fit = EquationFit(
      unknowns: start, cost: cost(residuals, under: loss), iterations: 0, isSettled: false)
    guard fit.cost.isFinite else { return fit }
    var normal = normalEquations(at: start, residuals, under: loss)
    var damping = 0.0
    while fit.iterations < limit {
      fit.iterations += 1
      guard let step = damped(normal, by: damping) else {
        damping = max(10 * damping, 1e-3)
        guard damping < 1e12 else { return fit }
        continue
      }
      let next = zip(fit.unknowns, step).map { $0 + $1 }
      let nextResiduals = self.residuals(next)
      let nextCost = cost(nextResiduals, under: loss)
      let length = distance(next, fit.unknowns)
      let isTiny = length <= 1e-9 * scale + 1e-13 * distance(fit.unknowns, origin)
      // At larger distances, differences of distances are rounding errors, which can fit any
      // measurement.
      let isPlace = distance(next, origin) <= 1e6 * scale
      if isPlace, nextCost <= fit.cost {
        (fit.unknowns, fit.cost, residuals) = (next, nextCost, nextResiduals)
        fit.isSettled = isTiny && damping <= 1e-6
        if fit.isSettled || known.contains(where: { isSame($0.unknowns, next) }) { return fit }
        damping = damping < 1e-6 ? 0 : damping / 10
        normal = normalEquations(at: next, residuals, under: loss)
      } else {
        // Near the minimum, rounding hides the decrease.
        if isTiny {
          fit.isSettled = true
          return fit
        }
        damping = max(10 * damping, 1e-3)
        guard damping < 1e12 else { return fit }
      }
    }
    return fit
  }

  /// Returns JᵀWJ and JᵀW z.
  private func normalEquations(
    at unknowns: [Double], _ residuals: [Double], under loss: RobustLoss
  ) -> (matrix: DenseMatrix, right: [Double]) {
    let slopes = slopes(unknowns)
    let weights = weights(residuals, under: loss)
    var right = [Double](repeating: 0, count: self.unknowns)
    for column in 0..<self.unknowns {
      for row in residuals.indices {
        right[column] += weights[row] * slopes[row, column] * residuals[row]
      }
    }
    return (information(slopes, weights), right)
  }

  /// Returns JᵀWJ.
  func information(_ slopes: DenseMatrix, _ weights: [Double]) -> DenseMatrix {
    var matrix = DenseMatrix(rows: unknowns, columns: unknowns)
    for first in 0..<unknowns {
      for second in 0...first {
        var sum = 0.0
        for row in weights.indices {
          sum += weights[row] * slopes[row, first] * slopes[row, second]
        }
        matrix[first, second] = sum
        matrix[second, first] = sum
      }
    }
    return matrix
  }

  /// Returns the step with the given damping, or nil if the matrix is not positive definite.
  private func damped(
    _ normal: (matrix: DenseMatrix, right: [Double]), by damping: Double
  ) -> [Double]? {
    var matrix = normal.matrix
    var typical = 0.0
    for axis in 0..<free { typical = max(typical, matrix[axis, axis]) }
    for index in 0..<unknowns {
      // A minimum damping: on the affine span of the anchors the matrix is singular.
      let own = max(matrix[index, index], 1e-9 * typical)
      matrix[index, index] += (damping + 1e-14) * (own > 0 ? own : 1)
    }
    return Self.solution(of: &matrix, normal.right)
  }

  /// Solves a positive definite system and overwrites `matrix` with its factor; returns nil if it
  /// is not positive definite.
  ///
  /// At these orders, the call overhead of LAPACK would dominate.
  private static func solution(of matrix: inout DenseMatrix, _ right: [Double]) -> [Double]? {
    let order = right.count
    var solution = right
    for column in 0..<order {
      var pivot = matrix[column, column]
      for inner in 0..<column { pivot -= matrix[column, inner] * matrix[column, inner] }
      guard pivot > 0, pivot.isFinite else { return nil }
      let root = pivot.squareRoot()
      matrix[column, column] = root
      for row in column + 1..<max(order, column + 1) {
        var sum = matrix[row, column]
        for inner in 0..<column { sum -= matrix[row, inner] * matrix[column, inner] }
        matrix[row, column] = sum / root
      }
      for inner in 0..<column { solution[column] -= matrix[column, inner] * solution[inner] }
      solution[column] /= root
    }
    for step in 0..<order {
      let row = order - 1 - step
      for inner in row + 1..<max(order, row + 1) {
        solution[row] -= matrix[inner, row] * solution[inner]
      }
      solution[row] /= matrix[row, row]
    }
    return solution.allSatisfy(\.isFinite) ? solution : nil
  }

  /// Returns whether two sets of unknowns are the same minimum.
  ///
  /// A double root, such as a position on the affine span itself, is accurate to half of the
  /// digits.
  func isSame(_ first: [Double], _ second: [Double]) -> Bool {
    distance(first, second) <= 1e-4 * scale
  }

  /// Returns the unknowns that least squares reach while their loss changes gradually into that of
  /// Geman and McClure.
  ///
  /// Graduated non-convexity, as for ranges alone [Yang et al. 2020].
  func graduated(from start: [Double]) -> [Double] {
    var largest = 0.0
    for (row, residual) in residuals(start).enumerated() where isSuspect(row) {
      largest = max(largest, residual.magnitude)
    }
    let final = RobustLoss.gemanMcClure.tuning
    var control = max(1, 2 * largest * largest / (final * final))
    guard control.isFinite else { return start }
    var here = start
    while true {
      let loss = RobustLoss(
        searchingWith: final * control.squareRoot(), onlyLate: loss.onlyLate)
      here = refine(from: here, under: loss, limit: 2).unknowns
      guard control > 1 else { return here }
      control = max(1, control / 1.4)
    }
  }
}
