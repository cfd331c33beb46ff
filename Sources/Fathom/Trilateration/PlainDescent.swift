/// A start on its way to a local minimum of the cost of a plain epoch.
///
/// What ``RangeProblem/refine(from:limit:by:)`` does for any epoch.
struct PlainDescent {
  /// A position, relative to the centre.
  private(set) var position: SIMD3<Double>
  /// The cost there, but for the last step; see ``PlainLoss``.
  private(set) var cost = Double.infinity
  /// Evaluations of the cost.
  private(set) var evaluations = 0

  init(from start: SIMD3<Double>) { position = start }

  /// Goes downhill until the position has come to rest; whether it has.
  ///
  /// Newton's steps where the second derivatives allow and the cost falls, otherwise Gauss-Newton
  /// steps with Marquardt's damping [Marquardt 1963; Nocedal & Wright 2006, Sec. 10.3].
  ///
  /// With a `rival` it also rests, above the minimum, where it leads to that one, or where sixteen
  /// times what the step promises would leave the cost above the rival's. A promise is what the
  /// cost would fall by if it were of second order; the factor is for costs that are not. For the
  /// searches only: their starts are guesses, and nearly all of them lead elsewhere.
  mutating func refine<Loss: PlainLoss>(
    _ epoch: PlainEpoch, _ loss: Loss, against rival: Self? = nil
  ) -> Bool {
    let isSpace = epoch.free == 3
    var step = SIMD3<Double>.zero
    var here = PlainExpansion()
    // Whether the next matrix, and whether the last one, has the second derivatives.
    var (newton, used) = (true, true)
    var damping = 0.0
    // Squares of the lengths of the last steps; of Newton's only, else zero.
    var (last, lastNewton) = (Double.infinity, 0.0)
    let finest = 1e-9 * epoch.scale
    for _ in 0..<40 {
      let next = PlainExpansion(
        of: epoch, at: position + step, newton: newton ? 1 : 0, loss)
      evaluations += 1
      if next.cost <= here.cost {
        position += step
        here = next
        damping = newton ? 0 : 0.1 * damping
        (used, newton) = (newton, true)
      } else {
        // Uphill: closer, without second derivatives. Once the step is of rounding size, at rest.
        damping = max(10 * damping, 1e-3 * here.matrix.trace.magnitude)
        (used, newton) = (false, false)
        if last <= finest * finest {
          cost = here.cost
          return true
        }
      }

      guard let found = here.step(damping: damping, isSpace: isSpace) else {
        // The same point again without second derivatives, or with more damping.
        if !used { damping = max(10 * damping, 1e-6 * here.matrix.trace.magnitude) }
        newton = false
        (step, last, lastNewton) = (.zero, .infinity, 0)
        continue
      }
      // In the units of the cost: half the gradient times the step.
      let promise = here.gx * found.x + here.gy * found.y + here.gz * found.z
      if let rival {
        let apart = position + found - rival.position
        if SecularPolynomial.dot(apart, apart) <= 1e-8 * epoch.scale * epoch.scale
          || here.cost > loss.cost(rival.cost, raisedBy: 16 * promise)
        {
          cost = max(here.cost, rival.cost)
          return true
        }
      }
      let square = SecularPolynomial.dot(found, found)
      let isNewton = used && damping == 0
      // Newton's steps shrink with the square of the last one: what the next would be is known.
      let isFine =
        square <= finest * finest
        || square * square * square <= (1e-6 * finest * finest) * (lastNewton * lastNewton)
      if isFine, isNewton {
        position += found
        cost = here.cost
        return true
      }
      (step, last, lastNewton) = (found, square, isNewton ? square : 0)
    }
    return false
  }
}

extension PlainExpansion {
  /// The step by (A + λ I) s = g; nil where the matrix is not positive definite.
  ///
  /// By minors, with one division, which nothing waits for; Newton's iteration mends what digits
  /// that costs beside a factorisation.
  @inline(__always)
  func step(damping: Double, isSpace: Bool) -> SIMD3<Double>? {
    let (xx, yy, zz) = (matrix.xx + damping, matrix.yy + damping, matrix.zz + damping)
    let (xy, xz, yz) = (matrix.xy, matrix.xz, matrix.yz)
    let minor = xx * yy - xy * xy
    guard xx > 0, minor > 0 else { return nil }
    guard isSpace else {
      let inverse = 1 / minor
      return SIMD3((yy * gx - xy * gy) * inverse, (xx * gy - xy * gx) * inverse, 0)
    }
    let (axx, ayy) = (yy * zz - yz * yz, xx * zz - xz * xz)
    let (axy, axz, ayz) = (xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz)
    let determinant = xx * axx + xy * axy + xz * axz
    guard determinant > 0 else { return nil }
    let inverse = 1 / determinant
    return SIMD3(
      (axx * gx + axy * gy + axz * gz) * inverse, (axy * gx + ayy * gy + ayz * gz) * inverse,
      (axz * gx + ayz * gy + minor * gz) * inverse)
  }
}
