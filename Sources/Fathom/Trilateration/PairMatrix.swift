/// Sums of products over two ranges at a time.
struct PairMatrix {
  typealias Pair = PlainEpoch.Pair
  var xx = Pair.zero
  var xy = Pair.zero
  var yy = Pair.zero
  var xz = Pair.zero
  var yz = Pair.zero
  var zz = Pair.zero

  /// Adds w v vᵀ.
  @inline(__always)
  mutating func add(_ x: Pair, _ y: Pair, _ z: Pair, weight: Pair) {
    let (wx, wy) = (weight * x, weight * y)
    xx += wx * x
    xy += wx * y
    xz += wx * z
    yy += wy * y
    yz += wy * z
    zz += (weight * z) * z
  }

  /// The sum of both.
  @inline(__always) var total: SymmetricMatrix3 {
    SymmetricMatrix3(
      xx: xx.both, xy: xy.both, yy: yy.both, xz: xz.both, yz: yz.both, zz: zz.both)
  }
}

extension SIMD2 where Scalar == Double {
  /// The sum of both numbers; written out, the sum of lanes is a call of its own on some targets.
  @inline(__always) var both: Double { self[0] + self[1] }
}
