/// Chord steps for least squares, which reuse the matrix of the last step.
///
/// The matrix changes little over a short Newton step h. A chord step δ with the same matrix, at
/// half the work, leaves an error of about L h δ, where a Newton step would leave L δ²/2 [Kelley
/// 1995, Sec. 5.4.1]. As δ is the error L h²/2 that h left, the chord leaves about 2δ²/h.
extension LikelihoodLanes {
  /// The factors of a matrix, A + λ I = L D Lᵀ.
  struct Factors {
    /// Reciprocals of the diagonal of D.
    var (i1, i2, i3) = (LaneQuad.zero, LaneQuad.zero, LaneQuad.zero)
    /// The elements below the diagonal of L.
    var (l21, l31, l32) = (LaneQuad.zero, LaneQuad.zero, LaneQuad.zero)

    /// Returns the solution of (A + λ I) step = g.
    @inline(__always) func solve<Shape: BatchShape>(
      _ gx: LaneQuad, _ gy: LaneQuad, _ gz: LaneQuad, _: Shape.Type
    ) -> (x: LaneQuad, y: LaneQuad, z: LaneQuad) {
      let y2 = gy - l21 * gx
      guard Shape.isSpace else {
        let y = y2 * i2
        return (gx * i1 - l21 * y, y, .zero)
      }
      let z = (gz - l31 * gx - l32 * y2) * i3
      let y = y2 * i2 - l32 * z
      return (gx * i1 - l21 * y - l31 * z, y, z)
    }
  }

  /// Returns whether a chord after a Newton step is expected to converge, from the squared lengths
  /// of that step and of the Newton step before, and the squared scale.
  ///
  /// From a step k to the step h the error shrinks by L/2 = h/k²: the chord leaves 2h⁵/k⁴.
  @inline(__always) static func leadsToChord(
    _ square: LaneQuad, after lastSquare: LaneQuad, unit: LaneQuad
  ) -> SIMDMask<SIMD4<Int64>> {
    let (fourth, last) = (square * square, lastSquare * lastSquare)
    return 4 * fourth * fourth * square .<= 1e-24 * unit * (last * last)
  }

  /// Does the same as ``advance(_:_:_:)``, bit for bit, in lanes that may take chords; other lanes
  /// are irrelevant.
  @inline(never) mutating func advanceAlongChords<Shape: BatchShape>(
    _ data: Data, _ shape: Shape.Type
  ) -> SIMDMask<SIMD4<Int64>> {
    typealias Halves = (low: LanePair, high: LanePair)
    let (tryX, tryY, tryZ) = (x + stepX, y + stepY, z + stepZ)
    let px = unsafeBitCast(tryX, to: Halves.self)
    let py = unsafeBitCast(tryY, to: Halves.self)
    let pz = unsafeBitCast(tryZ, to: Halves.self)
    let low = GradientPair(px.low, py.low, pz.low, data, 0, shape)
    let high = GradientPair(px.high, py.high, pz.high, data, 16, shape)
    let squares = LaneQuad(lowHalf: low.squares, highHalf: high.squares)
    // An increase by rounding is rare; `advance` handles it.
    guard all(squares .<= Self.noWorse * there.loss .| .!mayTakeChord) else {
      return advance(data, SquaredLoss(), shape)
    }
    evaluations &+= 1
    (x, y, z) = (tryX, tryY, tryZ)
    (there.loss, there.squares) = (squares, squares)
    there.gx = LaneQuad(lowHalf: low.gx, highHalf: high.gx)
    there.gy = LaneQuad(lowHalf: low.gy, highHalf: high.gy)
    if Shape.isSpace { there.gz = LaneQuad(lowHalf: low.gz, highHalf: high.gz) }
    (stepX, stepY, stepZ) = factors.solve(there.gx, there.gy, there.gz, shape)
    let square = stepX * stepX + stepY * stepY + stepZ * stepZ
    newton = LaneQuad.zero.replacing(with: 1, where: square .<= newtonLength * newtonLength)
    let unit = scale * scale
    let arrived =
      (square .<= 1e-18 * unit)
      .| (square * square * (4 * lastSquare) .<= 1e-24 * unit * (lastSquare * lastSquare))
    lastSquare = square
    mayTakeChord = .init(repeating: false)
    x.replace(with: x + stepX, where: arrived)
    y.replace(with: y + stepY, where: arrived)
    z.replace(with: z + stepZ, where: arrived)
    return arrived
  }
}

extension LikelihoodLanes.Linearisation {
  /// Restores the matrix of `before` in the lanes of `mask`.
  @inline(__always) mutating func keepMatrix(
    of before: Self, where mask: SIMDMask<SIMD4<Int64>>
  ) {
    xx.replace(with: before.xx, where: mask)
    xy.replace(with: before.xy, where: mask)
    xz.replace(with: before.xz, where: mask)
    yy.replace(with: before.yy, where: mask)
    yz.replace(with: before.yz, where: mask)
    zz.replace(with: before.zz, where: mask)
  }
}

/// The gradient of the sum of squares at points of two lanes; legend at ``LikelihoodLanes``.
///
/// Half the work of ``LinearisedPair``, in one pass.
struct GradientPair<Shape: BatchShape> {
  /// Sum of squares of all residuals in standard deviations.
  var squares = LanePair.zero
  var gx = LanePair.zero
  var gy = LanePair.zero
  var gz = LanePair.zero

  /// Computes the gradient at the points (px, py, pz), for the two of four lanes at a byte offset
  /// of `offset`.
  @inline(__always)
  init(
    _ px: LanePair, _ py: LanePair, _ pz: LanePair, _ data: LikelihoodLanes.Data, _ offset: Int,
    _: Shape.Type
  ) {
    var squares = LanePair.zero
    var (gx, gy, gz) = (LanePair.zero, LanePair.zero, LanePair.zero)
    var ranges = data.ranges + offset
    var anchor = data.anchors
    for _ in 0..<data.count {
      let (dx, dy, dz) = (px - anchor[0], py - anchor[1], pz - anchor[2])
      // As in ``LinearisedPair``.
      let s = dx * dx + dy * dy + dz * dz + 1e-200
      let distance = s.squareRoot()
      let q = 1 / s
      let e = ranges.loadUnaligned(as: LanePair.self) - distance
      let we = ranges.loadUnaligned(fromByteOffset: 32, as: LanePair.self) * e
      squares += we * e
      let pull = we * (distance * q)
      gx += pull * dx
      gy += pull * dy
      if Shape.isSpace { gz += pull * dz }
      anchor += 3
      ranges += 64
    }
    (self.squares, self.gx, self.gy, self.gz) = (squares, gx, gy, gz)
  }
}
