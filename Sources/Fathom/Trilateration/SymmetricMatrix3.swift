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
}
