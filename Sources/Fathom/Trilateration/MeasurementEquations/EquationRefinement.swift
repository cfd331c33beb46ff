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
  /// `start` is finite. `loss` is nil for ``loss``; `limit` also counts rejected steps. The descent
  /// stops close to one of the minima `known`. The returned state need not be converged.
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
    var damping = MarquardtDamping()
    damping.greatest = Self.greatestDamping
    let descent = descend(
      limit: limit, &damping, curvature: { 1 }, step: { damped(normal, by: $0) },
      attempt: { step, damping in
        let next = zip(fit.unknowns, step).map { $0 + $1 }
        let length = distance(next, fit.unknowns)
        let isTiny =
          length <= DescentLimits.accuracy * scale
          + DescentLimits.rounding * distance(fit.unknowns, origin)
        let nextResiduals = self.residuals(next)
        let nextCost = cost(nextResiduals, under: loss)
        guard distance(next, origin) <= Self.farthest * scale, nextCost <= fit.cost else {
          // Near the minimum, rounding hides the decrease.
          return isTiny ? .settled : .higher
        }
        (fit.unknowns, fit.cost, residuals) = (next, nextCost, nextResiduals)
        if isTiny && damping <= MarquardtDamping.usualNegligible { return .settled }
        if known.contains(where: { isSame($0.unknowns, next) }) { return .ended }
        normal = normalEquations(at: next, residuals, under: loss)
        return .lower
      })
    (fit.iterations, fit.isSettled) = (descent.steps, descent.isSettled)
    return fit
  }

  /// The distance from the centre, relative to the scale, beyond which differences of distances are
  /// rounding errors, which can fit any measurement.
  static var farthest: Double { 1e6 }
  /// The greatest damping, relative to the diagonal: steps are then rounding errors.
  private static var greatestDamping: Double { 1e12 }
  /// The least damping: on the affine span of the anchors the matrix is singular.
  private static var leastDamping: Double { 1e-14 }
  /// The least diagonal element that the damping multiplies, relative to the largest.
  private static var leastDiagonal: Double { 1e-9 }
  /// The distance up to which two positions are one minimum, relative to the scale: a double root,
  /// such as a position on the affine span itself, is accurate to half of the digits.
  private static var sameDistance: Double { 1e-4 }

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
      let own = max(matrix[index, index], Self.leastDiagonal * typical)
      matrix[index, index] += (damping + Self.leastDamping) * (own > 0 ? own : 1)
    }
    return matrix.solution(of: normal.right)
  }

  /// Returns whether two sets of unknowns are the same minimum.
  func isSame(_ first: [Double], _ second: [Double]) -> Bool {
    distance(first, second) <= Self.sameDistance * scale
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
