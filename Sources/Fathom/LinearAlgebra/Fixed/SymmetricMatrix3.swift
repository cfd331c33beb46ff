/// A symmetric 3 × 3 matrix stored as scalars.
struct SymmetricMatrix3 {
  var xx = 0.0
  var xy = 0.0
  var yy = 0.0
  var xz = 0.0
  var yz = 0.0
  var zz = 0.0

  static func * (factor: Double, matrix: Self) -> Self {
    Self(
      xx: factor * matrix.xx, xy: factor * matrix.xy, yy: factor * matrix.yy,
      xz: factor * matrix.xz, yz: factor * matrix.yz, zz: factor * matrix.zz)
  }

  /// The sum of the diagonal.
  var trace: Double { xx + yy + zz }

  /// The determinant.
  var determinant: Double {
    (xx * yy - xy * xy) * zz - xx * yz * yz - yy * xz * xz + 2 * xy * xz * yz
  }

  /// Returns vᵀ M v.
  @inline(__always)
  func form(_ v: SIMD3<Double>) -> Double {
    v.x * (xx * v.x + 2 * (xy * v.y + xz * v.z)) + v.y * (yy * v.y + 2 * yz * v.z) + zz * v.z * v.z
  }

  /// Returns the unit vector to which six squarings of the matrix take the longest column: the
  /// axis of the largest eigenvalue, unless another is within a few per cent.
  func longestAxis() -> SIMD3<Double> {
    var m = self
    for _ in 0..<6 {
      let scale = 1 / m.trace
      m = scale * m
      m = SymmetricMatrix3(
        xx: m.xx * m.xx + m.xy * m.xy + m.xz * m.xz, xy: m.xx * m.xy + m.xy * m.yy + m.xz * m.yz,
        yy: m.xy * m.xy + m.yy * m.yy + m.yz * m.yz, xz: m.xx * m.xz + m.xy * m.yz + m.xz * m.zz,
        yz: m.xy * m.xz + m.yy * m.yz + m.yz * m.zz, zz: m.xz * m.xz + m.yz * m.yz + m.zz * m.zz)
    }
    var column = SIMD3(m.xx, m.xy, m.xz)
    if m.yy > m.xx, m.yy >= m.zz { column = SIMD3(m.xy, m.yy, m.yz) }
    if m.zz > m.xx, m.zz > m.yy { column = SIMD3(m.xz, m.yz, m.zz) }
    return (1 / (column.x * column.x + column.y * column.y + column.z * column.z).squareRoot())
      * column
  }

  /// Returns xᵀ M x for two vectors.
  @inline(__always)
  func form(
    _ x: SIMD2<Double>, _ y: SIMD2<Double>, _ z: SIMD2<Double>
  ) -> SIMD2<Double> {
    let first = x * (xx * x + 2 * (xy * y + xz * z))
    return first + y * (yy * y + (2 * yz) * z) + zz * (z * z)
  }
}

extension SymmetricMatrix3 {
  /// Returns M v.
  @inline(__always)
  static func * (matrix: Self, v: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      matrix.xx * v.x + matrix.xy * v.y + matrix.xz * v.z,
      matrix.xy * v.x + matrix.yy * v.y + matrix.yz * v.z,
      matrix.xz * v.x + matrix.yz * v.y + matrix.zz * v.z)
  }

  /// Adds `factor` v vᵀ.
  mutating func addOuterProduct(of v: SIMD3<Double>, times factor: Double) {
    xx += factor * v.x * v.x
    xy += factor * v.x * v.y
    yy += factor * v.y * v.y
    xz += factor * v.x * v.z
    yz += factor * v.y * v.z
    zz += factor * v.z * v.z
  }

  /// Returns the inverse of the leading 2 or 3 rows, zero elsewhere; nil if it is not positive
  /// definite.
  func inverse(isSpace: Bool) -> Self? {
    let minor = xx * yy - xy * xy
    guard xx > 0, minor > 0 else { return nil }
    guard isSpace else {
      let inverse = 1 / minor
      return Self(xx: inverse * yy, xy: -inverse * xy, yy: inverse * xx)
    }
    let (adjugate, determinant) = adjugate
    return determinant > 0 ? (1 / determinant) * adjugate : nil
  }

  /// The adjugate, which is the inverse times the determinant, and the determinant.
  @inline(__always)
  var adjugate: (matrix: Self, determinant: Double) {
    let matrix = Self(
      xx: yy * zz - yz * yz, xy: xz * yz - xy * zz, yy: xx * zz - xz * xz,
      xz: xy * yz - xz * yy, yz: xy * xz - xx * yz, zz: xx * yy - xy * xy)
    return (matrix, xx * matrix.xx + xy * matrix.xy + xz * matrix.xz)
  }

  /// Increases the variance along a unit vector, with the other directions at their most likely
  /// values, to `variance` if it is smaller.
  mutating func widen(along direction: SIMD3<Double>, to variance: Double, isSpace: Bool) {
    guard let information = inverse(isSpace: isSpace)?.form(direction), information > 0,
      variance * information > 1, variance.isFinite
    else { return }
    addOuterProduct(of: direction, times: variance - 1 / information)
  }
}

/// Two symmetric 3 × 3 matrices, such as sums of products over two ranges at a time.
struct SymmetricMatrixPair {
  typealias Pair = SIMD2<Double>
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

  /// Returns the sum of both lanes of one pair, and that of both lanes of another.
  @inline(__always)
  static func totals(_ one: Self, _ other: Self) -> Self {
    Self(
      xx: Pair(one.xx.both, other.xx.both), xy: Pair(one.xy.both, other.xy.both),
      yy: Pair(one.yy.both, other.yy.both), xz: Pair(one.xz.both, other.xz.both),
      yz: Pair(one.yz.both, other.yz.both), zz: Pair(one.zz.both, other.zz.both))
  }

  /// Returns the inverses of the leading 2 or 3 rows of both matrices, zero elsewhere, by minors.
  ///
  /// Returns nil if one of them is not clearly positive definite.
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

  /// Returns the matrix of one lane.
  @inline(__always)
  subscript(lane: Int) -> SymmetricMatrix3 {
    SymmetricMatrix3(
      xx: xx[lane], xy: xy[lane], yy: yy[lane], xz: xz[lane], yz: yz[lane], zz: zz[lane])
  }

  /// The sum of both matrices.
  @inline(__always) var total: SymmetricMatrix3 {
    SymmetricMatrix3(
      xx: xx.both, xy: xy.both, yy: yy.both, xz: xz.both, yz: yz.both, zz: zz.both)
  }
}

extension SIMD2 where Scalar == Double {
  /// The sum of both lanes.
  ///
  /// Written out: the sum of lanes is a function call on some targets.
  @inline(__always) var both: Double { self[0] + self[1] }
}
