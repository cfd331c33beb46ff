/// Two starts on their way to local minima of the same cost, one per lane.
///
/// What ``RangeProblem/refine(from:limit:by:)`` does for one start of any epoch, for both starts of
/// a plain one: vectors of two numbers, which every processor has, make the second one free.
///
/// Legend: (x, y, z) positions, s steps, g half the direction of descent, xx to zz the matrix of
/// the step, lower-case pairs its elements.
struct StartPair {
  typealias Pair = SIMD2<Double>
  typealias Mask = SIMDMask<SIMD2<Int64>>

  private(set) var x, y, z: Pair
  /// Cost at the positions, without what every position has in common; see ``Loss``.
  private(set) var cost = Pair(repeating: .infinity)
  /// Evaluations of the cost.
  private(set) var evaluations = 0

  /// The losses that this is written for.
  enum Loss {
    case squared
    /// With 1/k²: the costs are products of 1 + z²/k², whose logarithm the caller takes.
    case cauchy(inverseSquare: Double)
  }

  /// The cost around positions, to second order.
  private struct Expansion {
    var cost = Pair.zero
    var gx = Pair.zero
    var gy = Pair.zero
    var gz = Pair.zero
    var xx = Pair.zero
    var xy = Pair.zero
    var yy = Pair.zero
    var xz = Pair.zero
    var yz = Pair.zero
    var zz = Pair.zero

    @inline(__always) mutating func take(_ other: Self, where mask: Mask) {
      cost.replace(with: other.cost, where: mask)
      gx.replace(with: other.gx, where: mask)
      gy.replace(with: other.gy, where: mask)
      gz.replace(with: other.gz, where: mask)
      xx.replace(with: other.xx, where: mask)
      xy.replace(with: other.xy, where: mask)
      yy.replace(with: other.yy, where: mask)
      xz.replace(with: other.xz, where: mask)
      yz.replace(with: other.yz, where: mask)
      zz.replace(with: other.zz, where: mask)
    }
  }

  init(_ first: SIMD3<Double>, _ second: SIMD3<Double>) {
    x = Pair(first.x, second.x)
    y = Pair(first.y, second.y)
    z = Pair(first.z, second.z)
  }

  /// Position and cost of a lane.
  subscript(lane: Int) -> (position: SIMD3<Double>, cost: Double) {
    (SIMD3(x[lane], y[lane], z[lane]), cost[lane])
  }

  /// Goes downhill until both lanes have come to rest; whether they have.
  ///
  /// Newton's steps where the second derivatives allow and the cost falls, otherwise Gauss-Newton
  /// steps with Marquardt's damping [Marquardt 1963; Nocedal & Wright 2006, Sec. 10.3]. A lane also
  /// rests where many times what its step promises would still leave it less likely than the other
  /// lane, by more than makes an alternative, or than `ceiling`.
  mutating func refine(
    _ epoch: PlainEpoch, _ loss: Loss, below ceiling: Double = .infinity
  ) -> Bool {
    switch loss {
    case .squared: descend(epoch, SquaredPairLoss(), below: ceiling)
    case .cauchy(let inverseSquare):
      descend(epoch, CauchyPairLoss(inverseSquare: inverseSquare), below: ceiling)
    }
  }

  private mutating func descend<PairLoss: StartPairLoss>(
    _ epoch: PlainEpoch, _ loss: PairLoss, below ceiling: Double
  ) -> Bool {
    let isSpace = epoch.free == 3
    let one = Pair(repeating: 1)
    var (stepX, stepY, stepZ) = (Pair.zero, Pair.zero, Pair.zero)
    var here = Expansion()
    // Whether the next matrix, and whether the last one, has the second derivatives: one or zero.
    var newton = one
    var used = one
    var damping = Pair.zero
    // Squares of the lengths of the last steps; of Newton's only, else zero.
    var last = Pair(repeating: .infinity)
    var lastNewton = Pair.zero
    var atRest = Mask(repeating: false)
    let finest = 1e-9 * epoch.scale
    here.cost = cost
    for _ in 0..<40 {
      let (tryX, tryY, tryZ) = (x + stepX, y + stepY, z + stepZ)
      let next = Self.expansion(tryX, tryY, tryZ, newton, epoch, loss)
      evaluations += 1
      let isLower = next.cost .<= here.cost
      if all(isLower .| atRest) {
        (x, y, z, here) = (tryX, tryY, tryZ, next)
        damping = (0.1 * damping).replacing(with: 0, where: newton .> 0)
        used = newton
        newton = one
      } else {
        x.replace(with: tryX, where: isLower)
        y.replace(with: tryY, where: isLower)
        z.replace(with: tryZ, where: isLower)
        here.take(next, where: isLower)
        // Uphill: closer, without second derivatives. Once the step is of rounding size, at rest.
        let trace = here.xx + here.yy + here.zz
        let size = larger(trace, -trace)
        let isHigher = .!isLower .& .!atRest
        let lighter = (0.1 * damping).replacing(with: 0, where: newton .> 0)
        damping = lighter.replacing(with: larger(10 * damping, 1e-3 * size), where: isHigher)
        used = newton.replacing(with: 0, where: isHigher)
        newton = one.replacing(with: 0, where: isHigher)
        atRest = atRest .| (isHigher .& (last .<= finest * finest))
      }

      // (A + λ I) step = g by the factors L D Lᵀ.
      let d1 = here.xx + damping
      let i1 = 1 / d1
      let l21 = here.xy * i1
      let d2 = here.yy + damping - here.xy * l21
      let i2 = 1 / d2
      var isDefinite = (d1 .> 0) .& (d2 .> 0)
      let y2 = here.gy - l21 * here.gx
      if isSpace {
        let l31 = here.xz * i1
        let e = here.yz - here.xz * l21
        let l32 = e * i2
        let d3 = here.zz + damping - here.xz * l31 - e * l32
        isDefinite = isDefinite .& (d3 .> 0)
        stepZ = (here.gz - l31 * here.gx - l32 * y2) / d3
        stepY = y2 * i2 - l32 * stepZ
        stepX = here.gx * i1 - l21 * stepY - l31 * stepZ
      } else {
        stepY = y2 * i2
        stepX = here.gx * i1 - l21 * stepY
      }
      // In the units of the cost: half the gradient times the step.
      let promise = here.gx * stepX + here.gy * stepY + here.gz * stepZ
      let others = Pair(here.cost[1], here.cost[0])
      let isHopeless =
        isDefinite
        .& (loss.isMore(here.cost, than: others, by: 16 * promise + 6.64)
          .| loss.isMore(here.cost, than: Pair(repeating: ceiling), by: 4 * promise))
      atRest = atRest .| isHopeless
      var square = stepX * stepX + stepY * stepY + stepZ * stepZ
      if !all(isDefinite .| atRest) {
        // The same point again without second derivatives, or with more damping.
        let trace = here.xx + here.yy + here.zz
        let size = larger(trace, -trace)
        damping.replace(
          with: larger(10 * damping, 1e-6 * size), where: .!isDefinite .& (used .== 0))
        newton.replace(with: 0, where: .!isDefinite)
        stepX.replace(with: 0, where: .!isDefinite)
        stepY.replace(with: 0, where: .!isDefinite)
        stepZ.replace(with: 0, where: .!isDefinite)
        square.replace(with: .infinity, where: .!isDefinite)
      }
      // Newton's steps shrink with the square of the last one: what the next would be is known.
      let isNewton = (used .> 0) .& (damping .== 0)
      let isFine =
        (square .<= finest * finest)
        .| (square * square * square .<= (1e-6 * finest * finest) * (lastNewton * lastNewton))
      let arrives = isFine .& isNewton .& .!atRest
      if any(arrives) {
        x.replace(with: x + stepX, where: arrives)
        y.replace(with: y + stepY, where: arrives)
        z.replace(with: z + stepZ, where: arrives)
        atRest = atRest .| arrives
      }
      if all(atRest) {
        cost = here.cost
        return true
      }
      stepX.replace(with: 0, where: atRest)
      stepY.replace(with: 0, where: atRest)
      stepZ.replace(with: 0, where: atRest)
      last = square
      lastNewton = square.replacing(with: 0, where: .!isNewton)
    }
    return false
  }

  /// Cost, descent and the matrix of the step: JᵀWJ, and where `newton` is one half the second
  /// derivatives, see ``RangeExpansion``.
  @inline(__always)
  private static func expansion<PairLoss: StartPairLoss>(
    _ px: Pair, _ py: Pair, _ pz: Pair, _ newton: Pair, _ epoch: PlainEpoch, _ loss: PairLoss
  ) -> Expansion {
    var result = Expansion()
    var bend = Pair.zero
    result.cost = Pair(repeating: PairLoss.costOfNothing)
    var row = epoch.rows
    for _ in 0..<epoch.count {
      let dx = px - row[0]
      let dy = py - row[1]
      let dz = pz - row[2]
      // Nowhere zero: on an anchor itself d is, and with it all that is added.
      let square = dx * dx + dy * dy + dz * dz + 1e-200
      let distance = square.squareRoot()
      let sharpness = row[PlainEpoch.sharpness]
      let residual = row[PlainEpoch.range] - distance
      let (inverse, push, slope) = loss.weigh(residual, sharpness, distance, &result.cost)
      let pull = push * residual * inverse
      let stiffness = push + newton * (slope + pull)
      bend += newton * pull
      result.gx += pull * dx
      result.gy += pull * dy
      result.gz += pull * dz
      let m = stiffness * (inverse * inverse)
      let (mx, my) = (m * dx, m * dy)
      result.xx += mx * dx
      result.xy += mx * dy
      result.xz += mx * dz
      result.yy += my * dy
      result.yz += my * dz
      result.zz += m * dz * dz
      row += PlainEpoch.rowLength
    }
    result.xx -= bend
    result.yy -= bend
    result.zz -= bend
    return result
  }
}

/// What two residuals cost; a type per loss, so that each gets a kernel of its own.
private protocol StartPairLoss {
  typealias Pair = StartPair.Pair
  /// The cost without residuals.
  static var costOfNothing: Double { get }
  /// Adds what residuals cost.
  ///
  /// - Returns: the inverse of the distance, the weight over the variance, and what the second
  ///   derivative of the cost has more than that.
  func weigh(
    _ residual: Pair, _ sharpness: Double, _ distance: Pair, _ cost: inout Pair
  ) -> (inverse: Pair, push: Pair, slope: Pair)
  /// Whether costs are higher than others by more than a difference in squares.
  func isMore(_ cost: Pair, than other: Pair, by difference: Pair) -> StartPair.Mask
}

private struct SquaredPairLoss: StartPairLoss {
  @inline(__always) static var costOfNothing: Double { 0 }
  @inline(__always) func weigh(
    _ residual: Pair, _ sharpness: Double, _ distance: Pair, _ cost: inout Pair
  ) -> (inverse: Pair, push: Pair, slope: Pair) {
    cost += sharpness * (residual * residual)
    return (1 / distance, Pair(repeating: sharpness), .zero)
  }
  @inline(__always) func isMore(
    _ cost: Pair, than other: Pair, by difference: Pair
  ) -> StartPair.Mask {
    cost .> other + difference
  }
}

private struct CauchyPairLoss: StartPairLoss {
  let inverseSquare: Double
  @inline(__always) static var costOfNothing: Double { 1 }
  @inline(__always) func weigh(
    _ residual: Pair, _ sharpness: Double, _ distance: Pair, _ cost: inout Pair
  ) -> (inverse: Pair, push: Pair, slope: Pair) {
    let growth = 1 + (inverseSquare * sharpness) * (residual * residual)
    cost *= growth
    // One division for both reciprocals.
    let both = 1 / (distance * growth)
    let weight = both * distance
    let push = sharpness * weight
    // Twice (w - 1) is what κ lacks of w, relative to w.
    return (both * growth, push, push * (2 * weight - 2))
  }
  @inline(__always) func isMore(
    _ cost: Pair, than other: Pair, by difference: Pair
  ) -> StartPair.Mask {
    // (1 + x/8 + x²/128)⁸ stands in for the exponential, of which it is 1 % less at x = 3.
    let eighth = (0.125 * inverseSquare) * difference
    var power = 1 + eighth * (1 + 0.5 * eighth)
    power *= power
    power *= power
    return cost .> other * (power * power)
  }
}

/// The larger of two numbers, lane by lane; the first where one is NaN.
@inline(__always)
private func larger(_ first: StartPair.Pair, _ second: StartPair.Pair) -> StartPair.Pair {
  first.replacing(with: second, where: second .> first)
}
