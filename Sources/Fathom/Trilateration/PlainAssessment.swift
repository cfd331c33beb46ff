/// What the ranges of a plain epoch say at a position.
struct PlainAssessment {
  /// Σ w u uᵀ/σ².
  var information = SymmetricMatrix3()
  /// Σ u uᵀ.
  var unit = SymmetricMatrix3()
  /// Sum of squares of all residuals in standard deviations.
  var allSquares = 0.0
  /// The same without those that have lost more than half of their weight.
  var squares = 0.0
  /// How many have.
  var lost = 0
  /// Σ w r², m².
  var weightedSquares = 0.0
  /// Σ w.
  var weights = 0.0

  /// Whether so many ranges agree with each other that no search can find a position for more of
  /// them.
  func isConfirmed(count: Int, free: Int) -> Bool {
    lost <= 1 && count - lost >= free + 4
      && squares <= chiSquareLimit(degreesOfFreedom: count - lost - free)
  }

  /// The covariance: the inverse of the calibrated information; nil where it is near singular.
  func inverse(consistency: Double, _ free: Int) -> SymmetricMatrix3? {
    (consistency * information).inverse(free)
  }
}

extension PlainEpoch {
  /// Leaves residuals and weights in the rows and returns their sums.
  func assess(_ here: SIMD3<Double>, _ loss: StartPair.Loss) -> PlainAssessment {
    switch loss {
    case .squared: assess(here, inverseSquare: 0)
    case .cauchy(let inverseSquare): assess(here, inverseSquare: inverseSquare)
    }
  }

  private func assess(_ here: SIMD3<Double>, inverseSquare: Double) -> PlainAssessment {
    var result = PlainAssessment()
    let isSpace = free == 3
    var row = rows
    for _ in 0..<count {
      let (dx, dy, dz) = (here.x - row[0], here.y - row[1], here.z - row[2])
      let square = dx * dx + dy * dy + dz * dz + 1e-200
      let distance = square.squareRoot()
      let residual = row[Self.range] - distance
      let scaled = row[Self.sharpness] * residual * residual
      let growth = 1 + inverseSquare * scaled
      let both = 1 / (square * growth)
      let weight = both * square
      // The directions are d / |d|: one reciprocal of the square serves their products.
      let inverse = both * growth
      row[Self.residual] = residual
      row[Self.weight] = weight
      result.allSquares += scaled
      result.weights += weight
      result.weightedSquares += weight * residual * residual
      if weight < 0.5 { result.lost += 1 } else { result.squares += scaled }
      let sharpness = weight * row[Self.sharpness]
      let (ux, uy) = (inverse * dx, inverse * dy)
      result.unit.xx += ux * dx
      result.unit.xy += ux * dy
      result.unit.yy += uy * dy
      result.information.xx += sharpness * (ux * dx)
      result.information.xy += sharpness * (ux * dy)
      result.information.yy += sharpness * (uy * dy)
      if isSpace {
        let uz = inverse * dz
        result.unit.xz += ux * dz
        result.unit.yz += uy * dz
        result.unit.zz += uz * dz
        result.information.xz += sharpness * (ux * dz)
        result.information.yz += sharpness * (uy * dz)
        result.information.zz += sharpness * (uz * dz)
      }
      row += Self.rowLength
    }
    return result
  }
}

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

  /// vᵀ M v.
  func form(_ x: Double, _ y: Double, _ z: Double) -> Double {
    x * (xx * x + 2 * (xy * y + xz * z)) + y * (yy * y + 2 * yz * z) + z * z * zz
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
