/// What one anchor measured of a tag.
public struct Sighting: Sendable, Equatable {
  /// Position of the anchor in the world frame, metres (z up).
  public var anchor: Vector<3>
  /// The axes of the anchor's device frame as columns in the world frame: right, up, and back.
  ///
  /// See ``upright(facing:)``.
  public var orientation: Matrix<3, 3>
  /// Covariance of the anchor's position, m²; nil where it is exact.
  public var anchorCovariance: Matrix<3, 3>?
  /// The measured distance, metres; nil where there is none.
  public var range: Double?
  /// The measured spherical azimuth in the device frame, positive to the right, as ``FullSphere`` has
  /// it; nil where there is none.
  public var azimuth: Angle?
  /// The measured elevation in the device frame, positive upwards; nil where there is none.
  public var elevation: Angle?
  /// Standard deviation of ``range``, metres.
  public var rangeSigma: Double
  /// Standard deviation of ``azimuth``.
  public var azimuthSigma: Angle
  /// Standard deviation of ``elevation``.
  public var elevationSigma: Angle

  /// What the anchor at `anchor` measured.
  ///
  /// The standard deviations default to 0.10 m and 3°.
  public init(
    anchor: Vector<3>, orientation: Matrix<3, 3>, range: Double? = nil, azimuth: Angle? = nil,
    elevation: Angle? = nil, rangeSigma: Double = 0.10,
    azimuthSigma: Angle = Angle(degrees: 3), elevationSigma: Angle = Angle(degrees: 3),
    anchorCovariance: Matrix<3, 3>? = nil
  ) {
    self.anchor = anchor
    self.orientation = orientation
    self.range = range
    self.azimuth = azimuth
    self.elevation = elevation
    self.rangeSigma = rangeSigma
    self.azimuthSigma = azimuthSigma
    self.elevationSigma = elevationSigma
    self.anchorCovariance = anchorCovariance
  }

  /// The orientation of a device that stands upright and faces `heading`, counter-clockwise from the
  /// x axis of the world.
  public static func upright(facing heading: Angle) -> Matrix<3, 3> {
    let (cosine, sine) = (heading.cosine, heading.sine)
    return Matrix([[sine, 0, -cosine], [-cosine, 0, -sine], [0, 1, 0]])
  }
}

/// A position from ranges and angles.
public struct SightingFix: Sendable, Equatable {
  /// The position; its residuals are those of the ranges, and its misfit counts angles by the length
  /// of their arcs at the distance of the position.
  public var fix: PositionFix<3>
  /// Measured minus expected azimuth by the shorter way, one per sighting; nil where there is none.
  public var azimuthResiduals: [Angle?]
  /// Measured minus expected elevation, one per sighting; nil where there is none.
  public var elevationResiduals: [Angle?]

  init(count: Int, unknowns: Int) {
    fix = PositionFix(without: .tooFew, count: count, unknowns: unknowns, discounted: [])
    azimuthResiduals = [Angle?](repeating: nil, count: count)
    elevationResiduals = [Angle?](repeating: nil, count: count)
  }

  /// Fills in the residuals at `position`.
  mutating func describe(
    _ rays: [SightingRows], _ usable: [Int], at position: Vector<3>
  ) {
    var (sum, count) = (0.0, 0)
    for (rows, index) in zip(rays, usable) {
      let seen = rows.view(of: position)
      for (kind, residual) in zip(rows.kinds, rows.residuals(seen)) {
        var arc = residual
        switch kind {
        case .range:
          fix.shares[index] = RangeShare(residual: -residual, weight: 1, influence: nil)
        case .azimuth:
          azimuthResiduals[index] = Angle(radians: -residual)
          arc *= seen.across
        case .elevation:
          elevationResiduals[index] = Angle(radians: -residual)
          arc *= seen.distance
        }
        sum += arc * arc
        count += 1
      }
    }
    fix.misfit = count > 0 ? (sum / Double(count)).squareRoot() : nil
  }
}
