/// A symmetric matrix of three rows as plain numbers.
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

  /// vᵀ M v.
  @inline(__always)
  func form(
    _ x: SIMD2<Double>, _ y: SIMD2<Double>, _ z: SIMD2<Double>
  ) -> SIMD2<Double> {
    let first = x * (xx * x + 2 * (xy * y + xz * z))
    return first + y * (yy * y + (2 * yz) * z) + zz * (z * z)
  }

  /// The diagonal of the inverse of the leading 2 or 3 rows, zero elsewhere, by minors; nil where
  /// the matrix is not clearly positive definite.
  func diagonalOfInverse(_ order: Int) -> SIMD3<Double>? {
    let minor = xx * yy - xy * xy
    guard order == 3 else {
      let trace = xx + yy
      guard minor > 1e-9 * trace * trace else { return nil }
      let inverse = 1 / minor
      return SIMD3(inverse * yy, inverse * xx, 0)
    }
    let (trace, determinant) = (trace, determinant)
    guard xx > 0, minor > 0, determinant > 1e-9 * trace * trace * trace else { return nil }
    let inverse = 1 / determinant
    return SIMD3(
      inverse * (yy * zz - yz * yz), inverse * (xx * zz - xz * xz), inverse * minor)
  }

  /// The inverse of the leading 2 or 3 rows, zero elsewhere, by the factors L D Lᵀ; nil where a
  /// pivot is not clearly positive.
  func inverse(_ order: Int) -> Self? {
    let trace = order == 3 ? xx + yy + zz : xx + yy
    let least = 1e-9 * trace
    let i1 = 1 / xx
    let l21 = xy * i1
    let d2 = yy - xy * l21
    guard xx > least, d2 > least else { return nil }
    let i2 = 1 / d2
    guard order == 3 else {
      return Self(xx: i1 + l21 * l21 * i2, xy: -l21 * i2, yy: i2)
    }
    let l31 = xz * i1
    let e = yz - xz * l21
    let l32 = e * i2
    let d3 = zz - xz * l31 - e * l32
    guard d3 > least else { return nil }
    let i3 = 1 / d3
    // The columns of the inverse of L.
    let m31 = l21 * l32 - l31
    return Self(
      xx: i1 + l21 * l21 * i2 + m31 * m31 * i3, xy: -l21 * i2 - m31 * l32 * i3,
      yy: i2 + l32 * l32 * i3, xz: m31 * i3, yz: -l32 * i3, zz: i3)
  }
}
