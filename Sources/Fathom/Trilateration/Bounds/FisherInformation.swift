/// The Fisher information of four positions, one per lane: of the three coordinates and of the
/// common offset of arrivals.
///
/// Legend: δ = p - a, d = |δ|, ρ its horizontal part; u = δ/d, t (horizontal, across) and e
/// (upwards, across) are the orthonormal directions in which range, azimuth and elevation change;
/// s² is the variance of the anchor's position per axis; lower-case pairs are elements, `c` denotes
/// the offset.
struct FisherInformation {
  /// Four positions, one per lane.
  typealias Lanes = SIMD4<Double>

  var xx = Lanes.zero
  var xy = Lanes.zero
  var yy = Lanes.zero
  var xz = Lanes.zero
  var yz = Lanes.zero
  var zz = Lanes.zero
  var cx = Lanes.zero
  var cy = Lanes.zero
  var cz = Lanes.zero
  var cc = Lanes.zero
  /// Number of measurements of all kinds.
  var count = Lanes.zero

  /// The fraction of the trace below which information counts as zero.
  ///
  /// Elements that cancel leave a rounding error of some 1e-15 of them. A direction a million times
  /// less certain than the others is undetermined in practice.
  static let least = 1e-12

  /// An anchor and its measurements in the form of the kernel.
  struct Source {
    var x, y, z: Double
    var rounds: Double
    var squaredReach: Double
    /// Variance of the anchor's position per axis.
    var placement: Double
    var rangeVariance: Double
    /// Variance of a range per square metre of distance.
    var rangeGrowth: Double
    var azimuthVariance: Double
    var elevationVariance: Double
    /// One for each measured kind, else zero.
    var hasRange, hasArrival, hasAzimuth, hasElevation: Double

    init(_ anchor: Anchor, _ measured: ExpectedMeasurements) {
      (x, y, z) = (anchor.position[0], anchor.position[1], anchor.position[2])
      rounds = Double(measured.rounds)
      let reach = measured.maximumRange ?? .infinity
      squaredReach = min(reach * reach, .greatestFiniteMagnitude)
      let sigma = anchor.positionSigma ?? 0
      placement = sigma * sigma
      rangeVariance = measured.rangeSigma * measured.rangeSigma
      rangeGrowth = measured.rangeSigmaPerMetre * measured.rangeSigmaPerMetre
      azimuthVariance = measured.azimuthSigma.radians * measured.azimuthSigma.radians
      elevationVariance = measured.elevationSigma.radians * measured.elevationSigma.radians
      func has(_ kind: ExpectedMeasurements.Kinds) -> Double {
        measured.kinds.contains(kind) ? 1 : 0
      }
      hasRange = has(.range)
      hasArrival = has(.arrival)
      hasAzimuth = has(.azimuth)
      hasElevation = has(.elevation)
    }
  }

  /// Adds the information of `source` about the positions.
  ///
  /// Only the part of the anchor's error along u, t or e affects a measurement, so the Schur
  /// complement of its three coordinates is a scalar per direction. At the anchor, and for angles
  /// directly above or below it, the derivatives do not exist and nothing is added.
  @inline(__always)
  mutating func add(_ source: Source, _ px: Lanes, _ py: Lanes, _ pz: Lanes) {
    let zero = Lanes.zero
    let one = Lanes(repeating: 1)
    var (dx, dy, dz) = (px - source.x, py - source.y, pz - source.z)
    let horizontalSquare = dx * dx + dy * dy
    let square = horizontalSquare + dz * dz
    let isRanged = square .> 0 .& square .<= source.squaredReach
    // Zero times a value that is not finite would not be zero.
    dx.replace(with: zero, where: .!isRanged)
    dy.replace(with: zero, where: .!isRanged)
    dz.replace(with: zero, where: .!isRanged)
    let ranged = one.replacing(with: zero, where: .!isRanged)
    let distanceSquare = square.replacing(with: one, where: .!isRanged)

    // A distance-dependent variance carries information about the distance itself [Kay 1993, eq.
    // 3.31].
    let variance = source.rangeVariance + source.rangeGrowth * distanceSquare
    let ofMean = source.rounds * ranged / variance
    let ofSpread =
      2 * ofMean * (source.rangeGrowth * source.rangeGrowth) * distanceSquare / variance
    let ofArrival = source.hasArrival * ofMean
    let radial = (source.hasRange + source.hasArrival) * (ofMean + ofSpread)
    let share = one / (1 + source.placement * radial)
    // u uᵀ = δ δᵀ / d², and u = δ / d for the offset.
    let along = radial * share / distanceSquare
    xx += along * dx * dx
    xy += along * dx * dy
    yy += along * dy * dy
    xz += along * dx * dz
    yz += along * dy * dz
    zz += along * dz * dz
    let mixed = ofArrival * share / distanceSquare.squareRoot()
    cx += mixed * dx
    cy += mixed * dy
    cz += mixed * dz
    cc += ofArrival * share * (1 + source.placement * (radial - ofArrival))
    count += ranged * (source.hasRange + source.hasArrival)

    guard source.hasAzimuth + source.hasElevation > 0 else { return }
    let isAside = isRanged .& (horizontalSquare .> 0)
    let aside = one.replacing(with: zero, where: .!isAside)
    let nonzeroSquare = horizontalSquare.replacing(with: one, where: .!isAside)
    // t = (-δy, δx, 0) / ρ, with the information 1 / (σ²ρ² + s²).
    let weight = source.rounds * source.hasAzimuth
    let across =
      aside * weight / (source.azimuthVariance * nonzeroSquare + source.placement * weight)
      / nonzeroSquare
    xx += across * dy * dy
    xy -= across * dx * dy
    yy += across * dx * dx
    // e = (-δz δx, -δz δy, ρ²) / (d ρ), with the information 1 / (σ²d² + s²).
    let rise = source.rounds * source.hasElevation
    let upwards =
      aside * rise / (source.elevationVariance * distanceSquare + source.placement * rise)
      / distanceSquare
    let steep = upwards * dz * dz / nonzeroSquare
    xx += steep * dx * dx
    xy += steep * dx * dy
    yy += steep * dy * dy
    xz -= upwards * dz * dx
    yz -= upwards * dz * dy
    zz += upwards * nonzeroSquare
    count += aside * (source.hasAzimuth + source.hasElevation)
  }

  /// Returns the information about the position with unknown offset, by its Schur complement.
  @inline(__always)
  func withoutOffset() -> Self {
    let hasOffset = cc .> 0
    let inverse = (1 / cc).replacing(with: 0, where: .!hasOffset)
    var result = self
    result.xx -= cx * cx * inverse
    result.xy -= cx * cy * inverse
    result.yy -= cy * cy * inverse
    result.xz -= cx * cz * inverse
    result.yz -= cy * cz * inverse
    result.zz -= cz * cz * inverse
    return result
  }

  /// The threshold below which information counts as zero.
  @inline(__always)
  var floor: Lanes { Self.least * (xx + yy + zz) }

  /// The horizontal and vertical bounds.
  struct Parts {
    /// The horizontal covariance, valid if ``isHorizontal``.
    var xx = Lanes.zero
    var xy = Lanes.zero
    var yy = Lanes.zero
    /// The vertical variance, valid if ``isVertical``.
    var zz = Lanes.zero
    var isHorizontal = SIMDMask<SIMD4<Int64>>()
    var isVertical = SIMDMask<SIMD4<Int64>>()
  }

  /// Returns the bounds in the plane and of the height; the height is known if `isPlanar`.
  @inline(__always)
  func parts(isPlanar: Bool) -> Parts {
    let floor = floor
    let own = withoutOffset()
    var parts = Parts()
    var (a, b, c) = (own.xx, own.xy, own.yy)
    if !isPlanar {
      // Without information of its own, the height has no common information with the plane either.
      let inverse = (1 / own.zz).replacing(with: 0, where: .!(own.zz .> floor))
      a -= own.xz * own.xz * inverse
      b -= own.xz * own.yz * inverse
      c -= own.yz * own.yz * inverse
    }
    var (least, determinant) = Self.smallest(a, b, c)
    parts.isHorizontal = least .> floor
    parts.xx = c / determinant
    parts.xy = -b / determinant
    parts.yy = a / determinant
    guard !isPlanar else { return parts }

    // The height, with unknown horizontal position. If only one horizontal direction is determined,
    // only that direction contributes.
    (least, determinant) = Self.smallest(own.xx, own.xy, own.yy)
    let whole =
      (own.yy * own.xz * own.xz - 2 * own.xy * own.xz * own.yz + own.xx * own.yz * own.yz)
      / determinant
    let trace = own.xx + own.yy
    let single = ((own.xz * own.xz + own.yz * own.yz) / trace)
      .replacing(with: 0, where: .!(trace .> floor))
    let height = own.zz - whole.replacing(with: single, where: .!(least .> floor))
    parts.isVertical = height .> floor
    parts.zz = 1 / height
    return parts
  }

  /// Returns the smaller eigenvalue of a symmetric 2 × 2 matrix, and its determinant.
  @inline(__always)
  private static func smallest(
    _ a: Lanes, _ b: Lanes, _ c: Lanes
  ) -> (value: Lanes, determinant: Lanes) {
    let half = 0.5 * (a - c)
    let largest = 0.5 * (a + c) + (half * half + b * b).squareRoot()
    let determinant = a * c - b * b
    return (determinant / largest, determinant)
  }
}
