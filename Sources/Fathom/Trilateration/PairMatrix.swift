/// Two symmetric matrices of three rows, such as sums of products over two ranges at a time.
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

  /// The sum of both of one, and that of both of another.
  @inline(__always)
  static func totals(_ one: Self, _ other: Self) -> Self {
    Self(
      xx: Pair(one.xx.both, other.xx.both), xy: Pair(one.xy.both, other.xy.both),
      yy: Pair(one.yy.both, other.yy.both), xz: Pair(one.xz.both, other.xz.both),
      yz: Pair(one.yz.both, other.yz.both), zz: Pair(one.zz.both, other.zz.both))
  }

  /// The inverses of the leading 2 or 3 rows of both, zero elsewhere, by minors; nil where one is not
  /// clearly positive definite.
  @inline(__always)
  func inverses(_ order: Int) -> Self? {
    let minor = xx * yy - xy * xy
    guard order == 3 else {
      let trace = xx + yy
      guard all(minor .> 1e-9 * trace * trace) else { return nil }
      let inverse = 1 / minor
      return Self(xx: inverse * yy, xy: -inverse * xy, yy: inverse * xx)
    }
    let (axx, ayy) = (yy * zz - yz * yz, xx * zz - xz * xz)
    let (axy, axz, ayz) = (xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz)
    let determinant = xx * axx + xy * axy + xz * axz
    let trace = xx + yy + zz
    guard all(determinant .> 1e-9 * trace * trace * trace), all(minor .> .zero), all(xx .> .zero)
    else { return nil }
    let inverse = 1 / determinant
    return Self(
      xx: inverse * axx, xy: inverse * axy, yy: inverse * ayy, xz: inverse * axz,
      yz: inverse * ayz, zz: inverse * minor)
  }

  /// One of both.
  @inline(__always)
  subscript(lane: Int) -> SymmetricMatrix3 {
    SymmetricMatrix3(
      xx: xx[lane], xy: xy[lane], yy: yy[lane], xz: xz[lane], yz: yz[lane], zz: zz[lane])
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
