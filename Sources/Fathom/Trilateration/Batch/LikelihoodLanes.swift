/// Four iterations to a local maximum of the likelihood, one per lane.
///
/// Legend: d = p - aᵢ, s = |d|², ρ = √s, e = rᵢ - ρ the residual, ω its weight, A the matrix and g
/// the right side of the step; lower-case pairs such as `xy` are elements of A.
struct LikelihoodLanes {
  /// Positions relative to the centre of the batch.
  var x = LaneQuad.zero
  var y = LaneQuad.zero
  var z = LaneQuad.zero
  /// The steps to try next.
  var stepX = LaneQuad.zero
  var stepY = LaneQuad.zero
  var stepZ = LaneQuad.zero
  /// The linearisation at the positions.
  var there = Linearisation()
  /// Marquardt's damping.
  var damping = LaneQuad.zero
  /// The step length below which second derivatives are used.
  var newtonLength = LaneQuad.zero
  /// One if the next linearisation uses second derivatives, else zero.
  var newton = LaneQuad.zero
  /// Squared length of the last step if it was an undamped Newton step, else zero.
  var lastSquare = LaneQuad.zero
  /// The factors of the matrix of the steps.
  var factors = Factors()
  /// Whether the steps are short Newton steps, so that the next may reuse the matrix.
  var mayTakeChord = SIMDMask<SIMD4<Int64>>(repeating: false)
  /// A typical distance.
  var scale = LaneQuad(repeating: 1)
  /// Number of linearisations.
  var evaluations = SIMD4<Int64>.zero

  /// The likelihood around a point, to second order.
  struct Linearisation {
    var loss = LaneQuad(repeating: .infinity)
    /// Sums of squares of all residuals in standard deviations.
    var squares = LaneQuad.zero
    var gx = LaneQuad.zero
    var gy = LaneQuad.zero
    var gz = LaneQuad.zero
    var xx = LaneQuad.zero
    var xy = LaneQuad.zero
    var xz = LaneQuad.zero
    var yy = LaneQuad.zero
    var yz = LaneQuad.zero
    var zz = LaneQuad.zero

    /// Returns this value in the lanes of `mask`, else `other`.
    @inline(__always) func or(_ other: Self, where mask: SIMDMask<SIMD4<Int64>>) -> Self {
      var result = other
      result.loss.replace(with: loss, where: mask)
      result.squares.replace(with: squares, where: mask)
      result.gx.replace(with: gx, where: mask)
      result.gy.replace(with: gy, where: mask)
      result.gz.replace(with: gz, where: mask)
      result.xx.replace(with: xx, where: mask)
      result.xy.replace(with: xy, where: mask)
      result.xz.replace(with: xz, where: mask)
      result.yy.replace(with: yy, where: mask)
      result.yz.replace(with: yz, where: mask)
      result.zz.replace(with: zz, where: mask)
      return result
    }
  }

  /// The input of the lanes.
  ///
  /// `anchors` holds `count` times three coordinates relative to the centre, each twice. `ranges`
  /// holds `count` times eight numbers: the ranges of the lanes to an anchor and their inverse
  /// variances (zero if absent). `scratch` holds `count` times ``scratchPerRange`` pairs.
  struct Data {
    let anchors: UnsafePointer<LanePair>
    let ranges: UnsafeRawPointer
    let scratch: UnsafeMutablePointer<LanePair>
    let count: Int

    /// Number of pairs that ``LinearisedPair`` stores per range.
    static var scratchPerRange: Int { 5 }
  }

  /// Starts from new positions in all lanes.
  @inline(__always)
  mutating func begin(at x: LaneQuad, _ y: LaneQuad, _ z: LaneQuad, scale: LaneQuad) {
    (self.x, self.y, self.z) = (x, y, z)
    (stepX, stepY, stepZ) = (.zero, .zero, .zero)
    there.loss = LaneQuad(repeating: .infinity)
    (damping, newton, lastSquare) = (.zero, .zero, .zero)
    self.scale = scale
    newtonLength = 0.2 * scale
    mayTakeChord = .init(repeating: false)
    evaluations = .zero
  }

  /// Returns loss, gradient and matrix at a point: JᵀWJ, and in lanes where `newton` is one the
  /// matrix of second derivatives, Σ ψ' u uᵀ - (ψ/ρ)(I - u uᵀ) with u = d/ρ.
  ///
  /// Two lanes at a time: the sums of four would not fit into the registers that every processor
  /// has.
  @inline(__always) static func linearise<Loss: BatchLoss, Shape: BatchShape>(
    _ px: LaneQuad, _ py: LaneQuad, _ pz: LaneQuad, newton: LaneQuad, _ data: Data, _ losses: Loss,
    _ shape: Shape.Type
  ) -> Linearisation {
    // Splits by memory layout: the compiler does not vectorise halves assembled element by element.
    typealias Halves = (low: LanePair, high: LanePair)
    let (x, y) = (unsafeBitCast(px, to: Halves.self), unsafeBitCast(py, to: Halves.self))
    let (z, second) = (unsafeBitCast(pz, to: Halves.self), unsafeBitCast(newton, to: Halves.self))
    let low = LinearisedPair(x.low, y.low, z.low, newton: second.low, data, 0, losses, shape)
    let high = LinearisedPair(x.high, y.high, z.high, newton: second.high, data, 16, losses, shape)
    var result = Linearisation()
    result.loss = LaneQuad(lowHalf: low.loss, highHalf: high.loss)
    result.squares = LaneQuad(lowHalf: low.squares, highHalf: high.squares)
    result.gx = LaneQuad(lowHalf: low.gx, highHalf: high.gx)
    result.gy = LaneQuad(lowHalf: low.gy, highHalf: high.gy)
    result.xx = LaneQuad(lowHalf: low.xx, highHalf: high.xx)
    result.xy = LaneQuad(lowHalf: low.xy, highHalf: high.xy)
    result.yy = LaneQuad(lowHalf: low.yy, highHalf: high.yy)
    if Shape.isSpace {
      result.gz = LaneQuad(lowHalf: low.gz, highHalf: high.gz)
      result.xz = LaneQuad(lowHalf: low.xz, highHalf: high.xz)
      result.yz = LaneQuad(lowHalf: low.yz, highHalf: high.yz)
      result.zz = LaneQuad(lowHalf: low.zz, highHalf: high.zz)
    }
    return result
  }

  /// The factor by which rounding may increase the loss after a very short step.
  @inline(__always) static var noWorse: Double { 1 + 1e-13 }

  /// Evaluates the steps and computes the next ones; returns which lanes have converged.
  ///
  /// Takes Gauss-Newton steps with Marquardt's damping [Marquardt 1963; Nocedal & Wright 2006, Sec.
  /// 10.3], re-weighted at every step. Close to the maximum takes Newton steps, which converge
  /// quadratically.
  ///
  /// Not inlined: the lanes stay in memory as a whole, where the queue exchanges single ones.
  @inline(never) mutating func advance<Loss: BatchLoss, Shape: BatchShape>(
    _ data: Data, _ losses: Loss, _ shape: Shape.Type
  ) -> SIMDMask<SIMD4<Int64>> {
    let (tryX, tryY, tryZ) = (x + stepX, y + stepY, z + stepZ)
    var next = Self.linearise(tryX, tryY, tryZ, newton: newton, data, losses, shape)
    evaluations &+= 1
    let isBetter = next.loss .<= Self.noWorse * there.loss
    let isChord = mayTakeChord .& isBetter
    if Loss.isSquared, any(isChord) { next.keepMatrix(of: there, where: isChord) }
    var settled = SIMDMask<SIMD4<Int64>>(repeating: false)
    if all(isBetter) {
      (x, y, z, there) = (tryX, tryY, tryZ, next)
      damping = (0.1 * damping).replacing(with: 0, where: newton .> 0)
    } else {
      let square = stepX * stepX + stepY * stepY + stepZ * stepZ
      x.replace(with: tryX, where: isBetter)
      y.replace(with: tryY, where: isBetter)
      z.replace(with: tryZ, where: isBetter)
      there = next.or(there, where: isBetter)
      let trace = there.xx + there.yy + there.zz
      let more = larger(10 * damping, 1e-3 * trace)
      damping = more.replacing(
        with: (0.1 * damping).replacing(with: 0, where: newton .> 0), where: isBetter)
      // An increase after a step of rounding size: converged.
      settled = .!isBetter .& (square .<= 1e-18 * scale * scale)
    }
    // Sums magnitudes: second derivatives may be negative.
    let trace =
      larger(there.xx, -there.xx) + larger(there.yy, -there.yy) + larger(there.zz, -there.zz)
    damping.replace(with: 0, where: damping .< 1e-9 * trace)

    // Solves (A + λ I) step = g by the factors L D Lᵀ, with a minimum damping.
    let floor = larger(damping, 1e-14 * trace)
    let least = 1e-15 * trace
    let d1 = there.xx + floor
    factors.i1 = 1 / d1
    factors.l21 = there.xy * factors.i1
    let d2 = there.yy + floor - there.xy * factors.l21
    factors.i2 = 1 / d2
    var isDefinite = (d1 .> least) .& (d2 .> least)
    if Shape.isSpace {
      factors.l31 = there.xz * factors.i1
      let e = there.yz - there.xz * factors.l21
      factors.l32 = e * factors.i2
      let d3 = there.zz + floor - there.xz * factors.l31 - e * factors.l32
      factors.i3 = 1 / d3
      isDefinite = isDefinite .& (d3 .> least)
    }
    (stepX, stepY, stepZ) = factors.solve(there.gx, there.gy, there.gz, shape)

    var square = stepX * stepX + stepY * stepY + stepZ * stepZ
    let usedNewton = newton .> 0
    if !all(isDefinite) {
      // Repeats the same point without second derivatives, or with more damping, of which a tenth
      // is left when the point is evaluated again.
      let more = larger(100 * damping, 1e-5 * trace)
      damping.replace(with: more, where: .!isDefinite .& .!usedNewton)
      newtonLength.replace(with: 0.1 * newtonLength, where: .!isDefinite)
      stepX.replace(with: 0, where: .!isDefinite)
      stepY.replace(with: 0, where: .!isDefinite)
      stepZ.replace(with: 0, where: .!isDefinite)
      square.replace(with: .infinity, where: .!isDefinite)
    }
    newton = LaneQuad.zero.replacing(with: 1, where: square .<= newtonLength * newtonLength)
    // The length of the step after a Newton step or a chord is predictable. It is omitted if it
    // would be below 1e-12 of the scale.
    let isNewton = usedNewton .& (damping .== 0) .& isDefinite
    let weightOfLast = Loss.isSmooth ? 1e-24 : 0
    let unit = scale * scale
    let limit = LaneQuad(repeating: 1e-24).replacing(with: 1e-18, where: isNewton) * unit
    let rest = square.replacing(with: 4 * lastSquare, where: isChord)
    let arrived =
      (square .<= limit)
      .| (isNewton .& (square * square * rest .<= weightOfLast * unit * (lastSquare * lastSquare)))
    if Loss.isSquared {
      mayTakeChord =
        isNewton .& Self.leadsToChord(square, after: lastSquare, unit: unit)
        .& .!(isChord .| arrived)
    }
    lastSquare = square.replacing(with: 0, where: .!isNewton)
    x.replace(with: x + stepX, where: arrived)
    y.replace(with: y + stepY, where: arrived)
    z.replace(with: z + stepZ, where: arrived)
    return settled .| arrived
  }
}

/// Returns the larger of two numbers in each lane; the first if one is NaN.
@inline(__always) private func larger(_ first: LaneQuad, _ second: LaneQuad) -> LaneQuad {
  first.replacing(with: second, where: second .> first)
}
