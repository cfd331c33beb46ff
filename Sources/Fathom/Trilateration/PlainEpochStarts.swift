extension PlainEpoch {
  /// The minima of the squared ranges, to start from: the global one, and the other local one.
  struct Starts {
    var global: SIMD3<Double>
    /// Nil where there is none.
    var other: SIMD3<Double>?
    /// The weighted mean of the anchors, in the flattest plane (line) through them.
    let centre: SIMD3<Double>
    /// Across that plane; of any length.
    let normal: SIMD3<Double>

    /// The mirror image of a position in the flattest plane through the anchors.
    func image(of position: SIMD3<Double>, reaching side: Double = -1) -> SIMD3<Double> {
      let height = SecularPolynomial.dot(position - centre, normal)
      return position + ((side - 1) * height / SecularPolynomial.dot(normal, normal)) * normal
    }
  }

  /// The minima of Σ wᵢ (|p - aᵢ|² - dᵢ²)², to a few digits; nil where they are hard to tell apart.
  ///
  /// The normal form of ``SquaredRanges``, (|x|² + c̄) x + B x = g with B = 2 S, without its axes:
  /// with μ = λ + c̄ and the adjugate written out,
  ///
  ///     x(μ) = (μ² g + μ u + v) / p(μ)     p = det(B + μ I)     u = (tr B) g - B g     v = adj(B) g
  ///
  /// so that the secular equation λ = |x|² is one of polynomials: μ - c̄ - q(μ)/p(μ)² = 0. The
  /// expanded polynomials lose digits near their roots, which a start does not need. No heap
  /// allocation.
  func starts() -> Starts? {
    var total = 0.0
    var row = rows
    for _ in 0..<count {
      total += row[Self.range]
      row += Self.rowLength
    }
    // As in SquaredRanges: ranges near zero would get all the weight.
    let smallest = max(0.1 * total / Double(count), 1e-3 * spread)
    var (sum, mx, my, mz) = (0.0, 0.0, 0.0, 0.0)
    row = rows
    for _ in 0..<count {
      let range = max(row[Self.range], smallest)
      let weight = row[Self.sharpness] / (range * range)
      row[Self.weight] = weight
      sum += weight
      mx += weight * row[0]
      my += weight * row[1]
      mz += weight * row[2]
      row += Self.rowLength
    }
    let share = 1 / sum
    (mx, my) = (mx * share, my * share)
    mz = free == 3 ? mz * share : given
    var (xx, xy, yy, xz, yz, zz) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    var (mean, gx, gy, gz) = (0.0, 0.0, 0.0, 0.0)
    row = rows
    for _ in 0..<count {
      let (x, y, z) = (row[0] - mx, row[1] - my, row[2] - mz)
      let range = row[Self.range]
      let weight = row[Self.weight]
      let side = weight * (x * x + y * y + z * z - range * range)
      mean += side
      gx += side * x
      gy += side * y
      gz += side * z
      let (wx, wy, wz) = (weight * x, weight * y, weight * z)
      xx += wx * x
      xy += wx * y
      yy += wy * y
      xz += wx * z
      yz += wy * z
      zz += wz * z
      row += Self.rowLength
    }
    // Twice the scatter. A given coordinate becomes one of its own, as wide as the others together.
    let double = 2 * share
    (xx, xy, yy) = (double * xx, double * xy, double * yy)
    (xz, yz, zz) = free == 3 ? (double * xz, double * yz, double * zz) : (0, 0, xx + yy)
    let problem = SecularPolynomial(
      xx: xx, xy: xy, yy: yy, xz: xz, yz: yz, zz: zz,
      forcing: share * SIMD3(gx, gy, free == 3 ? gz : 0), offset: share * mean)
    guard let roots = problem.roots() else { return nil }
    let centre = SIMD3(mx, my, mz)
    return Starts(
      global: centre + problem.position(roots.global),
      other: roots.other.map { centre + problem.position($0) }, centre: centre,
      normal: problem.axis(roots.pole))
  }
}

/// The secular equation of squared ranges in three coordinates as one of polynomials in μ.
struct SecularPolynomial {
  /// c̄.
  private let offset: Double
  /// The elements of B.
  private let xx, xy, yy, xz, yz, zz: Double
  /// p = μ³ + p2 μ² + p1 μ + p0.
  private let p2, p1, p0: Double
  /// The numerator of x(μ).
  private let g, u, v: SIMD3<Double>
  /// The square of its length, highest power first.
  private let q4, q3, q2, q1, q0: Double

  init(
    xx: Double, xy: Double, yy: Double, xz: Double, yz: Double, zz: Double,
    forcing g: SIMD3<Double>, offset: Double
  ) {
    self.offset = offset
    self.g = g
    (self.xx, self.xy, self.yy) = (xx, xy, yy)
    (self.xz, self.yz, self.zz) = (xz, yz, zz)
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

  /// Written out: the sum of a vector's lanes is a call of its own on some targets.
  @inline(__always)
  static func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    a.x * b.x + a.y * b.y + a.z * b.z
  }

  /// x(μ).
  func position(_ mu: Double) -> SIMD3<Double> {
    let inverse = 1 / (((mu + p2) * mu + p1) * mu + p0)
    return inverse * ((mu * mu) * g + mu * u + v)
  }

  /// The direction that B + μ I turns to zero where μ is its pole: the longest column of its
  /// adjugate.
  func axis(_ pole: Double) -> SIMD3<Double> {
    let (x, y, z) = (xx + pole, yy + pole, zz + pole)
    let (axx, ayy, azz) = (y * z - yz * yz, x * z - xz * xz, x * y - xy * xy)
    let (axy, axz, ayz) = (xz * yz - xy * z, xy * yz - xz * y, xy * xz - x * yz)
    if axx >= ayy, axx >= azz { return SIMD3(axx, axy, axz) }
    return ayy >= azz ? SIMD3(axy, ayy, ayz) : SIMD3(axz, ayz, azz)
  }

  /// μ of the pole, of the global minimum, and of the other local minimum where there is one; nil
  /// where the iterations do not behave.
  func roots() -> (pole: Double, global: Double, other: Double?)? {
    // The largest root of p, the pole: p is convex to the right of it, and 0 lies there.
    guard p0 > 0 else { return nil }
    // Laguerre's iteration: cubic convergence, and never beyond a root that is real, as all are.
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
    guard top < 0 else { return nil }
    guard let global = globalRoot(pole: top) else { return nil }

    // The other minimum: the larger root between the two largest poles, [Martínez 1994]. The
    // equation is concave there, and Newton's iteration comes down to it from the pole.
    let slopeAtPole = (3 * top + 2 * p2) * top + p1
    let component = square(at: top).value.squareRoot() / slopeAtPole
    let lambda = top - offset
    guard lambda > 0 else { return (top, global, nil) }
    // On the mirror plane itself the minima are a pair that this form does not give.
    guard component > 1e-6 * lambda.squareRoot() else { return nil }
    // p = (μ - top)(μ² + b μ + c): positive, and rising, right of the second pole.
    let b = p2 + top
    let c = p1 + top * b
    var mu = top - component / lambda.squareRoot()
    for _ in 0..<40 {
      guard (mu + b) * mu + c > 0, 2 * mu + b > 0, mu > offset else { return (top, global, nil) }
      let p = (mu - top) * ((mu + b) * mu + c)
      let (q, slopeOfQ) = square(at: mu)
      let inverse = 1 / p
      let length = q * inverse * inverse
      let value = mu - offset - length
      if value >= 0 { return (top, global, mu) }
      let slopeOfP = (3 * mu + 2 * p2) * mu + p1
      let slope = 1 - (slopeOfQ * inverse - 2 * q * slopeOfP * inverse * inverse) * inverse
      guard slope < 0 else { return (top, global, nil) }
      let change = value / slope
      mu -= change
      if change.magnitude <= 1e-3 * (top - mu) { return (top, global, mu) }
    }
    return nil
  }

  /// q and its derivative.
  @inline(__always)
  private func square(at mu: Double) -> (value: Double, slope: Double) {
    (
      (((q4 * mu + q3) * mu + q2) * mu + q1) * mu + q0,
      ((4 * q4 * mu + 3 * q3) * mu + 2 * q2) * mu + q1
    )
  }

  /// The root right of the pole, by Newton's iteration on 1/|x| - 1/√λ, nearly linear [Moré &
  /// Sorensen 1983]; exact ranges start it at the root.
  private func globalRoot(pole: Double) -> Double? {
    // Where λ would be negative, as it is near the centre, the length of x at 0 stands in for it.
    let least = max(pole, offset)
    var mu = 0.0
    if least >= 0 { mu = least + square(at: 0).value / (p0 * p0) }
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
      if change <= 1e-4 * (mu - pole) { return mu }
    }
    return nil
  }
}
