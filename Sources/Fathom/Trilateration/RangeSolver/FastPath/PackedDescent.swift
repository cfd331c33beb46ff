/// The descent from a start to a local minimum of the cost of a packed epoch.
///
/// It corresponds to ``RangeProblem/refine(from:limit:by:)``, which handles any epoch.
struct PackedDescent {
  /// The current position, relative to the centre.
  private(set) var position: SIMD3<Double>
  /// The cost at the position, see ``PackedLoss``; for the last step, the predicted cost.
  private(set) var cost = Double.infinity
  /// Number of evaluations of the cost.
  private(set) var evaluations = 0

  init(from start: SIMD3<Double>) { position = start }

  /// Descends until the position converges; returns whether it has converged.
  ///
  /// Takes Newton steps, or Gauss-Newton steps if the second derivatives are not positive definite,
  /// with damping if the cost does not fall, see ``MarquardtDamping``.
  mutating func refine<Loss: PackedLoss>(
    _ epoch: PackedEpoch, _ loss: Loss
  ) -> Bool {
    let isSpace = epoch.free == 3
    var here = PackedExpansion(of: epoch, at: position, loss)
    evaluations += 1
    // The squared length of the last step if it was a Newton step, else zero.
    var (isNewton, lastNewton) = (true, 0.0)
    let finest = DescentLimits.accuracy * epoch.scale
    let small = Self.small * epoch.scale
    var damping = MarquardtDamping()
    (damping.firstIfSingular, damping.greatest) = (DescentLimits.dampingIfSingular, Self.greatest)
    // A descent of few steps starts anew without damping after every success.
    damping.negligible = .infinity
    return descend(
      limit: Self.mostSteps, &damping, curvature: { here.matrix.trace },
      step: { damping in
        isNewton = damping == 0
        let step = here.matrix.damped(by: damping).solution(of: here.descent, isSpace: isSpace)
        if step != nil || damping != 0 { return step }
        isNewton = false
        here.leaveOutSecondDerivatives(of: epoch, at: position)
        return here.matrix.solution(of: here.descent, isSpace: isSpace)
      },
      attempt: { step, _ in
        let square = SecularPolynomial.dot(step, step)
        // Small Newton steps converge quadratically, so the length of the next step is predictable.
        // It is omitted if it would be far below the finest.
        let isFine =
          square <= finest * finest
          || (square <= small * small
            && square * square * square <= (1e-3 * finest * finest) * (lastNewton * lastNewton))
        if isNewton, isFine {
          position += step
          // In the units of the cost: half the gradient times the step.
          cost = loss.cost(here.cost, raisedBy: -SecularPolynomial.dot(here.descent, step))
          return .settled
        }
        lastNewton = isNewton ? square : 0
        let next = PackedExpansion(of: epoch, at: position + step, loss)
        evaluations += 1
        if next.cost <= here.cost {
          position += step
          here = next
          return .lower
        }
        // Uphill by a step of rounding size: the position has converged.
        guard square <= finest * finest else { return .higher }
        cost = here.cost
        return .settled
      }
    ).isSettled
  }

  /// The maximum number of steps.
  private static var mostSteps: Int { 100 }
  /// The greatest damping, traces of the matrix: steps are then below the finest.
  private static var greatest: Double { 1e9 }
  /// The length of a step up to which Newton's method converges quadratically, relative to the size
  /// of the epoch.
  private static var small: Double { 1e-5 }
}

/// The cost of a packed epoch around a position, to second order.
struct PackedExpansion {
  typealias Pair = PackedEpoch.Pair

  /// Cost without the constant part; see ``PackedLoss``.
  var cost: Double
  /// Half the negative gradient.
  var descent: SIMD3<Double>
  /// The matrix of the step: JᵀWJ, plus the second derivatives of the weights and of the distances
  /// for Newton steps, see ``RangeExpansion``.
  var matrix: SymmetricMatrix3

  /// Computes the expansion around `here`; `isNewton`, a constant, selects second derivatives.
  ///
  /// In two passes: first the roots and divisions, which have long latency but are independent
  /// between ranges, then the sums, which need all registers.
  @inline(__always)
  init<Loss: PackedLoss>(
    of epoch: PackedEpoch, at here: SIMD3<Double>, isNewton: Bool = true, _ loss: Loss
  ) {
    var cost = Pair(repeating: Loss.costOfNothing)
    var block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      // Never zero: at an anchor itself d is zero, and so is its contribution.
      let distance = ((dx * dx + 1e-200) + (dy * dy + dz * dz)).squareRoot()
      let residual = block[PackedEpoch.range] - distance
      let (pull, push, stiffness) = loss.weigh(
        residual, block[PackedEpoch.inverseVariance], distance, &cost)
      block[PackedEpoch.pull] = pull
      block[PackedEpoch.push] = push
      if isNewton { block[PackedEpoch.stiffness] = stiffness }
      block += PackedEpoch.blockLength
    }
    self.cost = Loss.total(cost)
    var (gx, gy, gz, bend) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    var sum = SymmetricMatrixPair()
    block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      let pull = block[PackedEpoch.pull]
      gx += pull * dx
      gy += pull * dy
      gz += pull * dz
      if isNewton { bend += pull }
      sum.add(dx, dy, dz, weight: block[isNewton ? PackedEpoch.stiffness : PackedEpoch.push])
      block += PackedEpoch.blockLength
    }
    descent = SIMD3(gx.both, gy.both, gz.both)
    matrix = sum.total
    let shift = bend.both
    matrix.xx -= shift
    matrix.yy -= shift
    matrix.zz -= shift
  }

  /// Removes the second derivatives, right after the expansion at the same position.
  mutating func leaveOutSecondDerivatives(of epoch: PackedEpoch, at here: SIMD3<Double>) {
    var sum = SymmetricMatrixPair()
    var block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      sum.add(dx, dy, dz, weight: block[PackedEpoch.push])
      block += PackedEpoch.blockLength
    }
    matrix = sum.total
  }
}
