/// The cost of a plain epoch around a position, to second order.
///
/// Legend: g half the direction of descent, xx to zz the matrix of the step: JᵀWJ, and with second
/// derivatives those of the weights and of the distances, see ``RangeExpansion``.
struct PlainExpansion {
  typealias Pair = PlainEpoch.Pair

  /// Cost, without what every position has in common; see ``PlainLoss``.
  var cost = Double.infinity
  var gx = 0.0
  var gy = 0.0
  var gz = 0.0
  var matrix = SymmetricMatrix3()

  /// Knows nothing: every cost is lower.
  init() {}

  /// The cost around `here`; `isNewton`, a constant, says whether with second derivatives.
  ///
  /// In two passes: roots and divisions first, which take long but wait for nothing of other
  /// ranges, then the sums, for which all registers are needed.
  @inline(__always)
  init<Loss: PlainLoss>(
    of epoch: PlainEpoch, at here: SIMD3<Double>, isNewton: Bool = true, _ loss: Loss
  ) {
    var cost = Pair(repeating: Loss.costOfNothing)
    var block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      // Nowhere zero: on an anchor itself d is, and with it all that is added.
      let distance = ((dx * dx + 1e-200) + (dy * dy + dz * dz)).squareRoot()
      let residual = block[PlainEpoch.range] - distance
      let (pull, push, stiffness) = loss.weigh(
        residual, block[PlainEpoch.sharpness], distance, &cost)
      block[PlainEpoch.pull] = pull
      block[PlainEpoch.push] = push
      if isNewton { block[PlainEpoch.stiffness] = stiffness }
      block += PlainEpoch.blockLength
    }
    self.cost = Loss.total(cost)
    var (gx, gy, gz, bend) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    var sum = PairMatrix()
    block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      let pull = block[PlainEpoch.pull]
      gx += pull * dx
      gy += pull * dy
      gz += pull * dz
      if isNewton { bend += pull }
      sum.add(dx, dy, dz, weight: block[isNewton ? PlainEpoch.stiffness : PlainEpoch.push])
      block += PlainEpoch.blockLength
    }
    (self.gx, self.gy, self.gz) = (gx.both, gy.both, gz.both)
    matrix = sum.total
    let shift = bend.both
    matrix.xx -= shift
    matrix.yy -= shift
    matrix.zz -= shift
  }

  /// Leaves the second derivatives out, right after the expansion at the same place.
  mutating func leaveOutSecondDerivatives(of epoch: PlainEpoch, at here: SIMD3<Double>) {
    var sum = PairMatrix()
    var block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      sum.add(dx, dy, dz, weight: block[PlainEpoch.push])
      block += PlainEpoch.blockLength
    }
    matrix = sum.total
  }
}
