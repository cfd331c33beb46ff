/// The secular equation of squared ranges in three coordinates, as a polynomial equation in μ.
///
/// It is the normal form of ``SquaredRanges``, (|x|² + c̄) x + B x = g with B = 2 S, without the
/// eigenvectors. With μ = λ + c̄ and the adjugate written out,
///
///     x(μ) = (μ² g + μ u + v) / p(μ)     p = det(B + μ I)     u = (tr B) g - B g     v = adj(B) g
///
/// the secular equation λ = |x|² becomes μ - c̄ - q(μ)/p(μ)² = 0. The expanded polynomials lose
/// precision near their roots; a starting point does not need it.
struct SecularPolynomial: ~Copyable {
  /// c̄.
  let offset: Double
  /// B.
  private let b: SymmetricMatrix3
  /// p = μ³ + p2 μ² + p1 μ + p0.
  private let p2, p1, p0: Double
  /// The numerator of x(μ).
  private let g, u, v: SIMD3<Double>
  /// The square of its length, highest power first.
  private let q4, q3, q2, q1, q0: Double

  @inline(__always)
  init(_ b: SymmetricMatrix3, forcing g: SIMD3<Double>, offset: Double) {
    self.offset = offset
    self.g = g
    let (xx, xy, yy) = (b.xx, b.xy, b.yy)
    let (xz, yz, zz) = (b.xz, b.yz, b.zz)
    self.b = b
    let trace = xx + yy + zz
    // The adjugate of B.
    let (axx, ayy, azz) = (yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy)
    let (axy, axz, ayz) = (xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz)
    p2 = trace
    p1 = axx + ayy + azz
    p0 = xx * axx + xy * axy + xz * axz
    u = SIMD3(
      trace * g.x - (xx * g.x + xy * g.y + xz * g.z),
      trace * g.y - (xy * g.x + yy * g.y + yz * g.z),
      trace * g.z - (xz * g.x + yz * g.y + zz * g.z))
    v = SIMD3(
      axx * g.x + axy * g.y + axz * g.z, axy * g.x + ayy * g.y + ayz * g.z,
      axz * g.x + ayz * g.y + azz * g.z)
    q4 = Self.dot(g, g)
    q3 = 2 * Self.dot(g, u)
    q2 = Self.dot(u, u) + 2 * Self.dot(g, v)
    q1 = 2 * Self.dot(u, v)
    q0 = Self.dot(v, v)
  }

  /// Returns the dot product.
  ///
  /// Written out: the sum of a vector's lanes is a function call on some targets.
  @inline(__always)
  static func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    a.x * b.x + a.y * b.y + a.z * b.z
  }

  /// Returns x(μ).
  func position(_ mu: Double) -> SIMD3<Double> {
    let inverse = 1 / (((mu + p2) * mu + p1) * mu + p0)
    return inverse * ((mu * mu) * g + mu * u + v)
  }

  /// Returns whether all roots of p, which are real, lie left of `mu`; all derivatives are then
  /// positive.
  @inline(__always)
  func isRightOfPole(_ mu: Double) -> Bool {
    ((mu + p2) * mu + p1) * mu + p0 > 0 && (3 * mu + 2 * p2) * mu + p1 > 0 && 3 * mu + p2 > 0
  }

  /// Returns the pole, the largest root of p, or nil if the iteration does not converge.
  func pole() -> Double? {
    // p is convex to the right of the pole, and 0 lies there.
    guard p0 > 0 else { return nil }
    // Laguerre's method: cubic convergence, and it never oversteps a root if all roots are real.
    var top = 0.0
    for _ in 0..<20 {
      let value = ((top + p2) * top + p1) * top + p0
      let slope = (3 * top + 2 * p2) * top + p1
      let bend = 6 * top + 2 * p2
      // With n = 3: n p / (p' + √((n-1)² p'² - n (n-1) p p'')).
      let square = 4 * slope * slope - 6 * value * bend
      let change = 3 * value / (slope + max(0, square).squareRoot())
      top -= change
      if change.magnitude <= -1e-3 * top { break }
    }
    return top < 0 ? top : nil
  }

  /// The other local minimum.
  enum Other {
    /// There is no other minimum.
    case none
    /// The minimum is at this μ.
    case root(Double)
    /// Undecided at the precision of the polynomials.
    case unclear
  }

  /// Returns μ of the other local minimum: the larger root between the two largest poles [Martínez
  /// 1994].
  ///
  /// The equation is concave there, and Newton's method approaches the root from the pole.
  func otherRoot(pole top: Double) -> Other {
    let slopeAtPole = (3 * top + 2 * p2) * top + p1
    let component = square(at: top).value.squareRoot() / slopeAtPole
    let lambda = top - offset
    guard lambda > 0 else { return .none }
    // On the mirror plane the minima are a pair, which this form cannot represent.
    guard component > 1e-6 * lambda.squareRoot() else { return .unclear }
    // p = (μ - top)(μ² + b μ + c): positive and increasing right of the second pole.
    let b = p2 + top
    let c = p1 + top * b
    var mu = top - component / lambda.squareRoot()
    for _ in 0..<40 {
      guard (mu + b) * mu + c > 0, 2 * mu + b > 0, mu > offset else { return .none }
      let p = (mu - top) * ((mu + b) * mu + c)
      let (q, slopeOfQ) = square(at: mu)
      let inverse = 1 / p
      let length = q * inverse * inverse
      let value = mu - offset - length
      if value >= 0 { return .root(mu) }
      let slopeOfP = (3 * mu + 2 * p2) * mu + p1
      let slope = 1 - (slopeOfQ * inverse - 2 * q * slopeOfP * inverse * inverse) * inverse
      guard slope < 0 else { return .none }
      let change = value / slope
      mu -= change
      if change.magnitude <= 1e-3 * (top - mu) { return .root(mu) }
    }
    return .unclear
  }

  /// Returns q and its derivative.
  @inline(__always)
  private func square(at mu: Double) -> (value: Double, slope: Double) {
    (
      (((q4 * mu + q3) * mu + q2) * mu + q1) * mu + q0,
      ((4 * q4 * mu + 3 * q3) * mu + 2 * q2) * mu + q1
    )
  }

  /// Returns μ of the global minimum, the root right of the pole, or nil if the iteration fails.
  func globalRoot() -> Double? {
    if let root = nearbyGlobalRoot() { return root }
    guard let pole = pole() else { return nil }
    let least = max(pole, offset)
    // If λ would be negative, as near the centre, the length of x at 0 replaces it.
    return globalRoot(
      from: least >= 0 ? least + square(at: 0).value / (p0 * p0) : 0, right: least)
  }

  /// Returns the same root by Halley's method on λ p² - q, starting from 0, the root for exact
  /// ranges.
  ///
  /// It is cheap and works if the ranges are consistent; otherwise it returns nil. There is only
  /// one root right of the pole, so a root found there is the global minimum.
  private func nearbyGlobalRoot() -> Double? {
    var mu = 0.0
    var (p, slopeOfP, bendOfP) = (p0, p1, 2 * p2)
    var (q, slopeOfQ, bendOfQ) = (q0, q1, 2 * q2)
    for _ in 0..<6 {
      let lambda = mu - offset
      let value = lambda * p * p - q
      let slope = p * (p + 2 * lambda * slopeOfP) - slopeOfQ
      let bend = 2 * (slopeOfP * (2 * p + lambda * slopeOfP) + lambda * p * bendOfP) - bendOfQ
      let divisor = slope * slope - 0.5 * value * bend
      guard lambda > 0, p > 0, slope > 0, divisor > 0 else { return nil }
      let change = value * slope / divisor
      mu -= change
      // p/p' is no more than the distance from the pole; the remaining error is of third order.
      if change.magnitude * slopeOfP <= 2e-2 * p {
        return isRightOfPole(mu) && mu > offset ? mu : nil
      }
      p = ((mu + p2) * mu + p1) * mu + p0
      slopeOfP = (3 * mu + 2 * p2) * mu + p1
      bendOfP = 6 * mu + 2 * p2
      (q, slopeOfQ) = square(at: mu)
      bendOfQ = (12 * q4 * mu + 6 * q3) * mu + 2 * q2
    }
    return nil
  }

  /// Returns the same root by Newton's method on 1/|x| - 1/√λ, which is nearly linear [Moré &
  /// Sorensen 1983], from any start right of `least`.
  private func globalRoot(from start: Double, right least: Double) -> Double? {
    var mu = start
    for _ in 0..<30 {
      let lambda = mu - offset
      let p = ((mu + p2) * mu + p1) * mu + p0
      let (q, slopeOfQ) = square(at: mu)
      // Without forcing x is zero everywhere.
      guard lambda > 0, p > 0, q > 0 else { return nil }
      let slopeOfP = (3 * mu + 2 * p2) * mu + p1
      let (length, root) = (1 / q.squareRoot(), 1 / lambda.squareRoot())
      let difference = p * length - root
      let slope =
        (slopeOfP - 0.5 * p * slopeOfQ * length * length) * length
        + 0.5 * root * root * root
      guard slope > 0 else { return nil }
      let next = mu - difference / slope
      guard next > least else {
        mu = 0.5 * (mu + least)
        continue
      }
      let change = (next - mu).magnitude
      mu = next
      if change * slopeOfP <= 1e-4 * p { return mu }
    }
    return nil
  }
}
