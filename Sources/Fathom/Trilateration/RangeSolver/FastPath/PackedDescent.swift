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
  /// with Marquardt's damping if the cost does not fall [Marquardt 1963; Nocedal & Wright 2006,
  /// Sec. 10.3].
  mutating func refine<Loss: PackedLoss>(
    _ epoch: PackedEpoch, _ loss: Loss
  ) -> Bool {
    let isSpace = epoch.free == 3
    var step = SIMD3<Double>.zero
    var here = PackedExpansion()
    var damping = 0.0
    // Squared lengths of the last step, and of the one before if both were Newton steps, else zero.
    var (last, lastNewton) = (Double.infinity, 0.0)
    let finest = 1e-9 * epoch.scale
    let small = 1e-5 * epoch.scale
    var isNewton = true
    for _ in 0..<100 {
      let next = PackedExpansion(of: epoch, at: position + step, loss)
      evaluations += 1
      var solved: SIMD3<Double>?
      if next.cost <= here.cost {
        position += step
        here = next
        damping = 0
        solved = here.step(damping: 0, isSpace: isSpace)
        isNewton = solved != nil
        if !isNewton { here.leaveOutSecondDerivatives(of: epoch, at: position) }
      } else {
        // Uphill: shorten the step. At rounding size, the position has converged.
        if last <= finest * finest {
          cost = here.cost
          return true
        }
        damping = max(10 * damping, 1e-3 * here.matrix.trace)
        isNewton = false
      }
      while solved == nil, damping < 1e9 * here.matrix.trace {
        solved = here.step(damping: damping, isSpace: isSpace)
        damping = solved == nil ? max(10 * damping, 1e-6 * here.matrix.trace) : damping
      }
      guard let found = solved else { return false }
      // In the units of the cost: half the gradient times the step.
      let predictedDecrease = here.gx * found.x + here.gy * found.y + here.gz * found.z
      let square = SecularPolynomial.dot(found, found)
      // Small Newton steps converge quadratically, so the length of the next step is predictable.
      // It is omitted if it would be far below the finest.
      let isFine =
        square <= finest * finest
        || (square <= small * small
          && square * square * square <= (1e-3 * finest * finest) * (lastNewton * lastNewton))
      if isNewton, isFine {
        position += found
        cost = loss.cost(here.cost, raisedBy: -predictedDecrease)
        return true
      }
      (step, last, lastNewton) = (found, square, isNewton ? square : 0)
    }
    return false
  }
}

extension PackedExpansion {
  /// Returns the step s of (A + λ I) s = g, or nil if the matrix is not positive definite.
  ///
  /// Uses minors with a single division that no other operation waits for. Newton's method corrects
  /// the lower precision compared with a factorisation.
  @inline(__always)
  func step(damping: Double, isSpace: Bool) -> SIMD3<Double>? {
    var damped = matrix
    damped.xx += damping
    damped.yy += damping
    damped.zz += damping
    let (adjugate, determinant) = damped.adjugate
    let minor = adjugate.zz
    guard damped.xx > 0, minor > 0 else { return nil }
    guard isSpace else {
      let inverse = 1 / minor
      return SIMD3(
        (damped.yy * gx - damped.xy * gy) * inverse, (damped.xx * gy - damped.xy * gx) * inverse, 0)
    }
    guard determinant > 0 else { return nil }
    return (1 / determinant) * (adjugate * SIMD3(gx, gy, gz))
  }
}

/// The cost of a packed epoch around a position, to second order.
///
/// Legend: g half the negative gradient, xx to zz the matrix of the step: JᵀWJ, plus the second
/// derivatives of the weights and of the distances for Newton steps, see ``RangeExpansion``.
struct PackedExpansion {
  typealias Pair = PackedEpoch.Pair

  /// Cost without the constant part; see ``PackedLoss``.
  var cost = Double.infinity
  var gx = 0.0
  var gy = 0.0
  var gz = 0.0
  var matrix = SymmetricMatrix3()

  /// Creates an expansion of infinite cost.
  init() {}

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
    (self.gx, self.gy, self.gz) = (gx.both, gy.both, gz.both)
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
