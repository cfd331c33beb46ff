/// The likelihood around points of two lanes, to second order; legend at ``LikelihoodLanes``.
struct LinearisedPair<Loss: BatchLoss, Shape: BatchShape> {
  var loss = LanePair.zero
  /// Sum of squares of all residuals in standard deviations.
  var squares = LanePair.zero
  var gx = LanePair.zero
  var gy = LanePair.zero
  var gz = LanePair.zero
  var xx = LanePair.zero
  var xy = LanePair.zero
  var xz = LanePair.zero
  var yy = LanePair.zero
  var yz = LanePair.zero
  var zz = LanePair.zero

  /// Computes the likelihood around the points (px, py, pz), for the two of four lanes at a byte
  /// offset of `offset`.
  ///
  /// `newton` is one for lanes with second derivatives, else zero. In two passes, so that each has
  /// enough registers: first the roots and divisions, then the sums.
  @inline(__always)
  init(
    _ px: LanePair, _ py: LanePair, _ pz: LanePair, newton: LanePair, _ data: LikelihoodLanes.Data,
    _ offset: Int, _ losses: Loss, _: Shape.Type
  ) {
    var sum = Loss.Sum()
    var (squares, bend) = (LanePair.zero, LanePair.zero)
    var ranges = data.ranges + offset
    var anchor = data.anchors
    var scratch = data.scratch
    for index in 0..<data.count {
      let (dx, dy, dz) = (px - anchor[0], py - anchor[1], pz - anchor[2])
      (scratch[0], scratch[1], scratch[2]) = (dx, dy, dz)
      anchor += 3
      // Never zero: at an anchor itself d is zero, and so is its contribution.
      let s = dx * dx + dy * dy + dz * dz + 1e-200
      // Root and division are independent of each other.
      let distance = s.squareRoot()
      let q = 1 / s
      let w = ranges.loadUnaligned(fromByteOffset: 32, as: LanePair.self)
      let e = ranges.loadUnaligned(as: LanePair.self) - distance
      // ψ/ρ, the weight of d in the gradient, and the weight of u uᵀ in Gauss-Newton and Newton
      // steps.
      let pull: LanePair
      let stiffness: LanePair
      let we = w * e
      squares += we * e
      if Loss.isSquared {
        pull = we * (distance * q)
        stiffness = w + newton * pull
      } else {
        let (weight, slope) = losses.weigh(we * e)
        losses.add(we * e, weight, to: &sum)
        if index & 3 == 3 { sum.fold() }
        pull = weight * we * (distance * q)
        stiffness = w * weight + newton * (w * (slope - weight) + pull)
      }
      bend += pull
      scratch[3] = pull
      scratch[4] = stiffness * q
      ranges += 64
      scratch += LikelihoodLanes.Data.scratchPerRange
    }
    self.squares = squares
    loss = Loss.isSquared ? squares : sum.value

    var (gx, gy, gz) = (LanePair.zero, LanePair.zero, LanePair.zero)
    var (xx, xy, xz) = (LanePair.zero, LanePair.zero, LanePair.zero)
    var (yy, yz, zz) = (LanePair.zero, LanePair.zero, LanePair.zero)
    scratch = data.scratch
    for _ in 0..<data.count {
      let (dx, dy) = (scratch[0], scratch[1])
      let (pull, m) = (scratch[3], scratch[4])
      gx += pull * dx
      gy += pull * dy
      let (mx, my) = (m * dx, m * dy)
      xx += mx * dx
      xy += mx * dy
      yy += my * dy
      if Shape.isSpace {
        let dz = scratch[2]
        gz += pull * dz
        xz += mx * dz
        yz += my * dz
        zz += m * dz * dz
      }
      scratch += LikelihoodLanes.Data.scratchPerRange
    }
    bend *= newton
    (self.gx, self.gy, self.gz) = (gx, gy, gz)
    (self.xx, self.xy, self.xz) = (xx - bend, xy, xz)
    (self.yy, self.yz) = (yy - bend, yz)
    if Shape.isSpace { self.zz = zz - bend }
  }
}

/// The number of unknown coordinates as a type, so that each gets its own kernel.
protocol BatchShape {
  /// Whether the third coordinate is unknown.
  static var isSpace: Bool { get }
}

/// Two unknown coordinates.
enum PlaneShape: BatchShape {
  @inline(__always) static var isSpace: Bool { false }
}

/// Three unknown coordinates.
enum SpaceShape: BatchShape {
  @inline(__always) static var isSpace: Bool { true }
}
