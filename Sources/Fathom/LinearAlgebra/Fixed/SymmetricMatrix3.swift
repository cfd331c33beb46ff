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
    let column = m.longestColumn
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

  /// Returns A + λ I.
  @inline(__always)
  func damped(by damping: Double) -> Self {
    var damped = self
    damped.xx += damping
    damped.yy += damping
    damped.zz += damping
    return damped
  }

  /// Returns the solution of A x = b in the leading 2 or 3 rows, zero elsewhere; nil if they are not
  /// positive definite.
  ///
  /// Uses minors with a single division that no other operation waits for. They are less precise than
  /// the factors of `Matrix.solution(of:)`, which Newton's method corrects.
  @inline(__always)
  func solution(of right: SIMD3<Double>, isSpace: Bool) -> SIMD3<Double>? {
    let (adjugate, determinant) = adjugate
    guard xx > 0, adjugate.zz > 0 else { return nil }
    guard isSpace else {
      let inverse = 1 / adjugate.zz
      return SIMD3(
        (yy * right.x - xy * right.y) * inverse, (xx * right.y - xy * right.x) * inverse, 0)
    }
    return determinant > 0 ? (1 / determinant) * (adjugate * right) : nil
  }

  /// The adjugate, which is the inverse times the determinant, and the determinant.
  @inline(__always)
  var adjugate: (matrix: Self, determinant: Double) {
    let matrix = Self(
      xx: yy * zz - yz * yz, xy: xz * yz - xy * zz, yy: xx * zz - xz * xz,
      xz: xy * yz - xz * yy, yz: xy * xz - xx * yz, zz: xx * yy - xy * xy)
    return (matrix, xx * matrix.xx + xy * matrix.xy + xz * matrix.xz)
  }

  /// Whether the leading 2 or 3 rows are positive definite and not singular to rounding.
  func isRegular(isSpace: Bool) -> Bool {
    let minor = xx * yy - xy * xy
    guard xx > 0, minor > 0 else { return false }
    guard isSpace else { return (xx + yy) * (xx + yy) < 2e13 * minor }
    let (adjugate, determinant) = adjugate
    return determinant > 0 && trace * adjugate.trace < 3e13 * determinant
  }

  /// Returns the axis of the smallest eigenvalue of the leading 2 or 3 rows, which are positive
  /// definite; nil if two eigenvalues are too close to tell.
  func softestAxis(isSpace: Bool) -> SIMD3<Double>? {
    guard isSpace else {
      let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy))
      let root = (half * half + xy * xy).squareRoot()
      guard root > 1e-12 * mean else { return nil }
      let axis = half > 0 ? SIMD3(-xy, half + root, 0) : SIMD3(root - half, -xy, 0)
      return (1 / (axis.x * axis.x + axis.y * axis.y).squareRoot()) * axis
    }
    let (minors, determinant) = adjugate
    let (first, second) = (trace, minors.trace)
    // Laguerre's method, which approaches the smallest root of the characteristic polynomial from
    // below.
    var least = 0.0
    for _ in 0..<20 {
      let value = determinant - least * (second - least * (first - least))
      let slope = second - least * (2 * first - 3 * least)
      let bend = 2 * first - 6 * least
      let square = 4 * slope * slope - 6 * value * bend
      let change = 3 * value / (slope + max(0, square).squareRoot())
      guard change > 0 else { break }
      least += change
      if change <= 1e-6 * least { break }
    }
    var shifted = self
    shifted.xx -= least
    shifted.yy -= least
    shifted.zz -= least
    let axis = shifted.adjugate.matrix.longestColumn
    let length = (axis.x * axis.x + axis.y * axis.y + axis.z * axis.z).squareRoot()
    guard length > 1e-12 * first * first else { return nil }
    return (1 / length) * axis
  }

  /// The column of the largest diagonal element.
  private var longestColumn: SIMD3<Double> {
    if zz > xx, zz > yy { return SIMD3(xz, yz, zz) }
    return yy > xx ? SIMD3(xy, yy, yz) : SIMD3(xx, xy, xz)
  }

  /// Sets the rows and columns from `free` on to zero.
  mutating func leaveOutCoordinates(from free: Int) {
    (xz, yz, zz) = (0, 0, 0)
    if free < 2 { (xy, yy) = (0, 0) }
    if free < 1 { xx = 0 }
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

extension SymmetricMatrix3 {
  /// Packs the lower triangle of a matrix of up to three rows.
  @inline(__always)
  init<let Order: Int>(_ matrix: Matrix<Order, Order>) {
    self = matrix.withElements { element in
      var packed = SymmetricMatrix3(xx: element[0])
      if Order > 1 { (packed.xy, packed.yy) = (element[Order], element[Order + 1]) }
      if Order > 2 {
        (packed.xz, packed.yz, packed.zz) = (element[6], element[7], element[8])
      }
      return packed
    }
  }
}

extension Matrix where Rows == Columns {
  /// Creates a symmetric matrix of up to three rows.
  @inline(__always)
  init(_ source: SymmetricMatrix3) {
    self = .zero
    withMutableElements { element in
      element[0] = source.xx
      if Rows > 1 {
        (element[1], element[Rows], element[Rows + 1]) = (source.xy, source.xy, source.yy)
      }
      if Rows > 2 {
        (element[2], element[6]) = (source.xz, source.xz)
        (element[5], element[7]) = (source.yz, source.yz)
        element[8] = source.zz
      }
    }
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
