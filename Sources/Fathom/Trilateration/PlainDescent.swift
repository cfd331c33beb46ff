/// A start on its way to a local minimum of the cost of a plain epoch.
///
/// What ``RangeProblem/refine(from:limit:by:)`` does for any epoch.
struct PlainDescent {
  /// A position, relative to the centre.
  private(set) var position: SIMD3<Double>
  /// The cost there, see ``PlainLoss``; what the last step brings is what it promises.
  private(set) var cost = Double.infinity
  /// Evaluations of the cost.
  private(set) var evaluations = 0

  init(from start: SIMD3<Double>) { position = start }

  /// Goes downhill until the position has come to rest; whether it has.
  ///
  /// Newton's steps, Gauss-Newton steps where the second derivatives do not allow these, with
  /// Marquardt's damping where the cost does not fall [Marquardt 1963; Nocedal & Wright 2006,
  /// Sec. 10.3].
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
    var damping = 0.0
    // Squares of the lengths of the last step, and of that before if both were Newton's, else zero.
    var (last, lastNewton) = (Double.infinity, 0.0)
    let finest = 1e-9 * epoch.scale
    let small = 1e-5 * epoch.scale
    let nearest = 1e-8 * epoch.scale * epoch.scale
    var isNewton = true
    for _ in 0..<100 {
      let next = PlainExpansion(of: epoch, at: position + step, loss)
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
        // Uphill: closer. Once the step is of rounding size, at rest.
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
      let promise = here.gx * found.x + here.gy * found.y + here.gz * found.z
      if let rival {
        let apart = position + found - rival.position
        if (isNewton && here.change(over: apart) <= loss.squareOfNearness)
          || SecularPolynomial.dot(apart, apart) <= nearest
          || here.cost > loss.cost(rival.cost, raisedBy: 16 * promise)
        {
          cost = max(here.cost, rival.cost)
          return true
        }
      }
      let square = SecularPolynomial.dot(found, found)
      // Newton's steps shrink with the square of the last one, once they are small: what the next
      // would be is known then, and it is not taken where it would be far below the finest.
      let isFine =
        square <= finest * finest
        || (square <= small * small
          && square * square * square <= (1e-3 * finest * finest) * (lastNewton * lastNewton))
      if isNewton, isFine {
        position += found
        cost = loss.cost(here.cost, raisedBy: -promise)
        return true
      }
      (step, last, lastNewton) = (found, square, isNewton ? square : 0)
    }
    return false
  }
}

extension PlainExpansion {
  /// By how much the squares of residuals change together over a distance, to second order.
  @inline(__always)
  func change(over d: SIMD3<Double>) -> Double {
    (matrix.xx * d.x + 2 * (matrix.xy * d.y + matrix.xz * d.z)) * d.x
      + (matrix.yy * d.y + 2 * matrix.yz * d.z) * d.y + matrix.zz * d.z * d.z
  }

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
