/// The two points of a minimal subset of ranges: where three spheres, or two circles at a known
/// height, intersect.
///
/// Spheres that do not intersect give the point closest to all in the plane of their centres.
enum SphereIntersections {
  /// Returns the intersections of three spheres around `first`, `second` and `third`, or nil if the
  /// centres are collinear.
  ///
  /// Legend: u and v the offsets of the other centres from the first, n = u × v; the points are
  /// `first` + α u + β v ± h n.
  @inline(__always)
  static func ofSpheres(
    _ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>,
    squares: SIMD3<Double>
  ) -> (foot: SIMD3<Double>, lift: SIMD3<Double>)? {
    let (u, v) = (second - first, third - first)
    let (uu, uv, vv) = (
      SecularPolynomial.dot(u, u), SecularPolynomial.dot(u, v), SecularPolynomial.dot(v, v)
    )
    let n = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
    let normal = SecularPolynomial.dot(n, n)
    guard normal > 1e-12 * uu * vv else { return nil }
    let b = 0.5 * (squares.x - squares.y + uu)
    let c = 0.5 * (squares.x - squares.z + vv)
    let inverse = 1 / normal
    let alpha = (b * vv - c * uv) * inverse
    let beta = (c * uu - b * uv) * inverse
    let height = (max(0, squares.x - alpha * b - beta * c) * inverse).squareRoot()
    return (first + alpha * u + beta * v, height * n)
  }

  /// Returns the intersections of two circles in the plane z = `height`, or nil if the centres
  /// coincide there.
  ///
  /// `squares` are those of the slant ranges.
  @inline(__always)
  static func ofCircles(
    _ first: SIMD3<Double>, _ second: SIMD3<Double>, squares: SIMD2<Double>, height: Double
  ) -> (foot: SIMD3<Double>, lift: SIMD3<Double>)? {
    let (ux, uy) = (second.x - first.x, second.y - first.y)
    let uu = ux * ux + uy * uy
    let (up, otherUp) = (height - first.z, height - second.z)
    let (square, other) = (squares.x - up * up, squares.y - otherUp * otherUp)
    guard uu > 1e-12 * (square.magnitude + uu) else { return nil }
    let b = 0.5 * (square - other + uu)
    let alpha = b / uu
    let rise = (max(0, square - alpha * b) / uu).squareRoot()
    return (
      SIMD3(first.x + alpha * ux, first.y + alpha * uy, height), SIMD3(-rise * uy, rise * ux, 0)
    )
  }
}
