/// The result of an iteration that minimises the cost of range residuals.
struct Refinement<let D: Int>: Sendable {
  /// The position relative to the centre of the anchors, metres.
  var position: Vector<D>
  /// The cost at the position: for least squares the weighted sum of squared residuals.
  var cost: Double
  /// JᵀWJ at the position, diagonal in the known coordinates.
  var information: Matrix<D, D>
  /// Number of steps, including rejected ones.
  var iterations: Int
  /// Whether the iteration has converged and half the second derivatives exceed half of JᵀWJ: no
  /// other minimum is close.
  var isFirm = false
}

/// What ends a descent before its minimum: nearly all starts of a search lead to a minimum that is
/// known, or to one that is not wanted.
struct MinimumSearch<let D: Int> {
  /// The known minima.
  private var known: [Refinement<D>] = []
  /// The starts of earlier descents, with JᵀWJ there.
  private var starts: [(position: Vector<D>, information: Matrix<D, D>)] = []
  private var ceiling = Double.infinity
  /// Whether nothing but firm minima ends a descent, for the starts that lie beside all but one or
  /// two spheres: few ranges have weight there, so that neither the cost nor JᵀWJ tells where their
  /// descents end.
  var isStrict = true
  /// The square of k, the size of residuals from which the cost is not convex, in standard
  /// deviations.
  private let bend: Double

  /// Creates a search for a loss.
  ///
  /// The squared loss is convex in every residual; only the directions from the anchors bend its
  /// cost. It takes the size of Cauchy's.
  init(_ loss: RobustLoss) {
    let tuning = loss.shape == .squared ? RobustLoss.cauchy.tuning : loss.tuning
    bend = tuning * tuning
  }

  /// Sets the known minima and the cost above which no minimum is wanted.
  mutating func update(_ known: [Refinement<D>], ceiling: Double) {
    self.known = known
    self.ceiling = ceiling
  }

  /// Records a start of a descent.
  mutating func start(at position: Vector<D>, _ here: RangeExpansion<D>) {
    guard !isStrict else { return }
    starts.append((position, here.information))
  }

  /// Returns whether a step with an expansion leads to a known minimum, or if sixteen times the
  /// decrease that the second-order model predicts would leave the cost above the ceiling.
  func ends(_ here: RangeExpansion<D>, at position: Vector<D>, step: Vector<D>) -> Bool {
    if !isStrict, here.cost - 16 * here.descent.dot(step) > ceiling { return true }
    return isNearMinimum(position + step)
  }

  /// Returns whether a position lies in the basin of a known minimum, or beside a start.
  func isKnown(_ position: Vector<D>) -> Bool {
    if isNearMinimum(position) { return true }
    for start in starts {
      let offset = position - start.position
      if start.information.form(offset) <= 0.2 * bend { return true }
    }
    return false
  }

  /// Returns whether the residuals differ from those of a known minimum by so little, in root sum
  /// square, that second derivatives hardly change.
  private func isNearMinimum(_ position: Vector<D>) -> Bool {
    for minimum in known where minimum.isFirm || !isStrict {
      let offset = position - minimum.position
      if minimum.information.form(offset) <= 0.05 * bend { return true }
    }
    return false
  }
}

extension RangeProblem {
  /// Returns the local minimum of the cost that the iteration reaches from `start`.
  ///
  /// Takes Newton steps if the second derivatives are positive definite and the cost falls.
  /// Otherwise takes Gauss-Newton steps (JᵀWJ + λI) s = JᵀW e with Marquardt's damping [Marquardt
  /// 1963; Nocedal & Wright 2006, Sec. 10.3], re-weighted at every step for a robust loss. The rows
  /// of J are unit vectors from the anchors; at an anchor its row is zero. Directions with zero
  /// gradient, such as across the affine span of the anchors, stay unchanged. No heap allocation.
  ///
  /// `start` is relative to the centre, with correct known coordinates; `limit` also counts
  /// rejected steps. The final state is a local maximum of the likelihood for independent errors
  /// whose negative log-likelihood is half the loss.
  func refine(
    from start: Vector<D>, limit: Int, by refinement: PositionOptions.Steps = .newton
  ) -> Refinement<D> {
    var search: MinimumSearch<D>?
    return refine(from: start, limit: limit, by: refinement, searching: &search)
  }

  /// Returns the same in a search for further minima; a descent that the search ends has infinite
  /// cost.
  func refine(
    from start: Vector<D>, limit: Int, by refinement: PositionOptions.Steps,
    searching search: inout MinimumSearch<D>?
  ) -> Refinement<D> {
    var (position, here) = (start, expansion(at: start))
    search?.start(at: start, here)
    // Huber's weights overstate the curvature, which is zero for large residuals, so that
    // Gauss-Newton steps would be far too short.
    let curbsNewton = loss.shape == .huber && refinement == .newton
    var damping = MarquardtDamping()
    damping.negligible = DescentLimits.negligibleDamping * Double(D)
    if !curbsNewton { damping.firstIfSingular = DescentLimits.dampingIfSingular * Double(D) }
    let smallest = DescentLimits.rounding * (scale + start.length)
    var (lastLength, isNewton, isKnown) = (Double.infinity, false, false)
    let descent = descend(
      limit: here.cost > 0 ? limit : 0, &damping,
      curvature: { here.information.trace / Double(D) },
      step: { damping in
        isNewton = damping == 0
        if damping == 0 && refinement == .newton || curbsNewton {
          var curvature = here.curvature
          if curbsNewton { for axis in 0..<free { curvature[axis, axis] += damping } }
          if let step = curvature.solution(of: here.descent) { return step }
          if curbsNewton { return nil }
        }
        isNewton = false
        var damped = here.information
        // A minimum damping: on the affine span of the anchors the information is singular.
        let least = max(damping, DescentLimits.leastDamping * damped.trace)
        for axis in 0..<free { damped[axis, axis] += least }
        return damped.solution(of: here.descent)
      },
      attempt: { step, _ in
        let length = step.length
        isKnown = search?.ends(here, at: position, step: step) == true
        if isKnown { return .ended }
        let next = expansion(at: position + step)
        // Near the minimum of a large cost, rounding hides the decrease; the gradient reveals it.
        let isLower =
          next.cost <= here.cost
          || next.cost <= here.cost * (1 + DescentLimits.level)
            && next.descent.length < here.descent.length
        guard length.isFinite, isLower else {
          return length <= DescentLimits.accuracy * (scale + position.length) ? .settled : .higher
        }
        // Newton steps converge quadratically, except at a double root.
        let isQuadratic =
          isNewton && length <= 0.1 * lastLength && length <= DescentLimits.quadratic * scale
        let isFine = isNewton && length <= DescentLimits.accuracy * scale
        lastLength = length
        position += step
        here = next
        if length <= smallest || isFine || isQuadratic { return .settled }
        return here.cost > 0 ? .lower : .ended
      })
    return Refinement(
      position: position, cost: isKnown ? .infinity : here.cost, information: here.information,
      iterations: descent.steps,
      isFirm: descent.isSettled
        && (here.curvature - 0.5 * here.information).solution(of: here.descent) != nil)
  }

  /// Returns the inverse of an information matrix, zero in the known coordinates, or nil if
  /// singular.
  func freeInverse(_ information: Matrix<D, D>) -> Matrix<D, D>? {
    guard var inverse = Cholesky(information)?.inverse() else { return nil }
    // The product of the traces is the condition number within a factor of D². Beyond 1e13 a pivot
    // is rounding error, along a direction that the ranges do not determine.
    guard information.trace * inverse.trace < 1e13 * Double(D), inverse.isFinite else { return nil }
    for axis in free..<max(free, D) { inverse[axis, axis] = 0 }
    return inverse
  }

  /// Returns the axis of the smallest eigenvalue of an information matrix in the unknown
  /// coordinates, or nil if the matrix is singular.
  func softestAxis(of information: Matrix<D, D>) -> Vector<D>? {
    if D <= 3, free > 1 {
      let packed = SymmetricMatrix3(information)
      guard packed.isRegular(isSpace: free == 3) else { return nil }
      if let axis = packed.softestAxis(isSpace: free == 3) { return Vector(inSpace: axis) }
    }
    guard let inverse = freeInverse(information) else { return nil }
    return PrincipalAxes(of: inverse).axes.row(0)
  }
}

extension Matrix where Rows == Columns {
  /// Returns vᵀ A v for a symmetric matrix.
  @inline(__always)
  func form(_ vector: Vector<Rows>) -> Double {
    if Rows == 3 { return SymmetricMatrix3(self).form(vector.inSpace) }
    return vector.dot(self * vector)
  }
}
