/// The measurements of one anchor to a tag, or of the tag to an anchor.
///
/// All values are stored as if measured by the anchor. Use
/// ``seen(from:of:range:azimuth:elevation:rangeSigma:angleSigma:)`` for a tag that measures the
/// direction to an anchor.
public struct Sighting: Sendable, Equatable {
  /// Position of the anchor in the world frame, metres (z up).
  public var anchor: Vector<3>
  /// The axes of the anchor's device frame as columns in the world frame: right, up, and back.
  ///
  /// See ``upright(facing:)``.
  public var orientation: Matrix<3, 3>
  /// Covariance of the anchor's position, m²; nil for an exact position.
  public var anchorCovariance: Matrix<3, 3>?
  /// The measured distance, metres; nil if not measured.
  public var range: Double?
  /// The measured spherical azimuth in the device frame, positive to the right, as defined by
  /// ``FullSphere``; nil if not measured.
  public var azimuth: Angle?
  /// The measured elevation in the device frame, positive upwards; nil if not measured.
  public var elevation: Angle?
  /// Standard deviation of ``range``, metres.
  public var rangeSigma: Double
  /// Standard deviation of ``azimuth``.
  public var azimuthSigma: Angle
  /// Standard deviation of ``elevation``.
  public var elevationSigma: Angle

  /// Creates the measurements of the anchor at `anchor`.
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

  /// Returns a bearing measured at `anchor`, in the world frame.
  ///
  /// - Parameters:
  ///   - anchor: the position of the observer, metres.
  ///   - azimuth: the direction in the horizontal plane, counter-clockwise from the x axis.
  ///   - elevation: the angle above that plane; nil if not measured.
  ///   - sigma: standard deviation of both angles.
  /// - Returns: A sighting by an upright device that faces along the x axis.
  public static func bearing(
    from anchor: Vector<3>, azimuth: Angle, elevation: Angle? = nil,
    sigma: Angle = Angle(degrees: 3)
  ) -> Sighting {
    // Azimuths in the device frame are clockwise.
    Sighting(
      anchor: anchor, orientation: upright(facing: .zero), azimuth: .zero - azimuth,
      elevation: elevation, azimuthSigma: sigma, elevationSigma: sigma)
  }

  /// Returns the sighting that corresponds to a device at the unknown position measuring `anchor`.
  ///
  /// Let R hold the device's axes and w = Rᵀ (a - p) the anchor in its frame. The azimuth of the
  /// anchor is atan2(w₁, -w₃), its elevation atan2(w₂, √(w₁² + w₃²)). Negating the right and back
  /// axes of the device gives the frame R diag(-1, 1, -1). In that frame the anchor sees the device
  /// at (w₁, -w₂, w₃): at the same azimuth and the negative elevation.
  ///
  /// - Parameters:
  ///   - attitude: the device's axes as columns in the world frame: right, up, and back; see
  ///     ``upright(facing:)``.
  ///   - anchor: position of the anchor in the world frame, metres.
  ///   - range: the measured distance, metres; nil if not measured.
  ///   - azimuth: the spherical azimuth of the anchor in the device frame, positive to the right;
  ///     nil if not measured.
  ///   - elevation: its elevation, positive upwards; nil if not measured.
  ///   - rangeSigma: standard deviation of `range`, metres.
  ///   - angleSigma: standard deviation of both angles. The attitude error common to all angles of
  ///     an epoch is ``PositionOptions/headingSigma``.
  /// - Returns: The equivalent sighting of the device by the anchor.
  public static func seen(
    from attitude: Matrix<3, 3>, of anchor: Vector<3>, range: Double? = nil, azimuth: Angle? = nil,
    elevation: Angle? = nil, rangeSigma: Double = 0.10, angleSigma: Angle = Angle(degrees: 3)
  ) -> Sighting {
    Sighting(
      anchor: anchor, orientation: attitude * .diagonal(Vector([-1, 1, -1])), range: range,
      azimuth: azimuth, elevation: elevation.map { -$0 }, rangeSigma: rangeSigma,
      azimuthSigma: angleSigma, elevationSigma: angleSigma)
  }

  /// Returns the orientation of an upright device that faces `heading`, counter-clockwise from the
  /// x axis of the world frame.
  public static func upright(facing heading: Angle) -> Matrix<3, 3> {
    let (cosine, sine) = (heading.cosine, heading.sine)
    return Matrix([[sine, 0, -cosine], [-cosine, 0, -sine], [0, 1, 0]])
  }
}

/// The contribution of one angle to a position: residual, weight and influence.
package struct AngleContribution: Sendable, Hashable {
  /// Measured minus expected angle, wrapped to ±180°.
  package var residual: Angle
  /// The weight that the loss assigned to the angle, from 0 to 1.
  package var weight: Double
  /// How closely the fitted angle follows the measured one, from 0 to 1; nil if the measurements do
  /// not determine the position to first order.
  package var influence: Double?
}

/// A position from ranges and angles.
public struct SightingFix: Sendable, Equatable {
  /// The position fix.
  ///
  /// Its contributions and residuals are those of the ranges. Its misfit counts angles by their arc
  /// lengths at the distance of the position. ``PositionFix/discounted`` lists the sightings
  /// without a usable measurement, and those with a range or angle weight below one half.
  public var fix: PositionFix<3>
  /// The contributions of the azimuths, one per sighting; nil if not measured.
  package var azimuths: [AngleContribution?]
  /// The contributions of the elevations, one per sighting; nil if not measured.
  package var elevations: [AngleContribution?]
  /// The estimated common rotation of all orientations about the vertical, counter-clockwise seen
  /// from above; nil for exact orientations.
  ///
  /// The true orientations are the given ones rotated by this angle. Residuals of azimuths are
  /// those after the rotation.
  public var turn: Angle?
  /// Standard deviation of ``turn``.
  public var turnSigma: Angle?

  /// Measured minus expected azimuth, wrapped to ±180°, one per sighting; nil if not measured.
  public var azimuthResiduals: [Angle?] { azimuths.map { $0?.residual } }

  /// Measured minus expected elevation, one per sighting; nil if not measured.
  public var elevationResiduals: [Angle?] { elevations.map { $0?.residual } }

  init(count: Int, unknowns: Int) {
    fix = PositionFix(without: .tooFew, count: count, unknowns: unknowns, discounted: [])
    azimuths = [AngleContribution?](repeating: nil, count: count)
    elevations = [AngleContribution?](repeating: nil, count: count)
  }

  /// Records the contributions of the measurements of `rays`.
  ///
  /// `contributions` holds the rows in the order of the measurements. The rays are the sightings at
  /// `usable`, rotated by ``turn``.
  mutating func describe(
    _ rays: [SightingResiduals], _ usable: [Int], _ contributions: [RowContribution],
    at position: Vector<3>
  ) {
    let turn = HeadingRotation(turn ?? .zero)
    var ranges = [RangeContribution?](repeating: nil, count: azimuths.count)
    var (squares, weights, row) = (0.0, 0.0, 0)
    for (rows, index) in zip(rays, usable) {
      let seen = rows.view(of: turn.undone(position, about: rows.sighting.anchor))
      for (kind, residual) in zip(rows.kinds, rows.residuals(seen)) {
        let contribution = contributions[row]
        row += 1
        var arc = residual
        let angle = AngleContribution(
          residual: Angle(radians: residual), weight: contribution.weight,
          influence: contribution.influence)
        switch kind {
        case .range:
          ranges[index] = RangeContribution(
            residual: residual, weight: contribution.weight, influence: contribution.influence)
        case .azimuth:
          azimuths[index] = angle
          arc *= seen.across
        case .elevation:
          elevations[index] = angle
          arc *= seen.distance
        }
        squares += contribution.weight * arc * arc
        weights += contribution.weight
        if contribution.weight < 0.5 { fix.discounted.append(index) }
      }
    }
    fix.record(ranges)
    fix.misfit = weights > 0 ? (squares / weights).squareRoot() : nil
  }
}
