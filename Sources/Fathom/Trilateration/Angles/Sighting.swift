/// What one anchor measured of a tag, or the tag of an anchor.
///
/// All is kept as what the anchor measured. A tag that measures the direction to an anchor makes a
/// sighting with ``seen(from:of:range:azimuth:elevation:rangeSigma:angleSigma:)``.
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
  /// The measured spherical azimuth in the device frame, positive to the right, as ``FullSphere``
  /// has it; nil where there is none.
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

  /// The bearing of something seen from `anchor`, in the world frame.
  ///
  /// - Parameters:
  ///   - anchor: where it is seen from, metres.
  ///   - azimuth: the direction in the horizontal plane, counter-clockwise from the x axis.
  ///   - elevation: the angle above that plane; nil where it was not measured.
  ///   - sigma: standard deviation of both.
  /// - Returns: a sighting by a device that stands upright and faces along the x axis.
  public static func bearing(
    from anchor: Vector<3>, azimuth: Angle, elevation: Angle? = nil,
    sigma: Angle = Angle(degrees: 3)
  ) -> Sighting {
    // To the right is clockwise.
    Sighting(
      anchor: anchor, orientation: upright(facing: .zero), azimuth: .zero - azimuth,
      elevation: elevation, azimuthSigma: sigma, elevationSigma: sigma)
  }

  /// What a device at the unknown position measured of `anchor`: the view turned round.
  ///
  /// Let R hold the device's axes and w = Rᵀ (a - p) the anchor in its frame, so that its azimuth
  /// is atan2(w₁, -w₃) and its elevation atan2(w₂, √(w₁² + w₃²)). In the frame whose right and back
  /// axes are those of the device negated, R diag(-1, 1, -1), the device is seen from the anchor at
  /// (w₁, -w₂, w₃): at the same azimuth and at the negative elevation.
  ///
  /// - Parameters:
  ///   - attitude: the device's axes as columns in the world frame: right, up, and back; see
  ///     ``upright(facing:)``.
  ///   - anchor: position of the anchor in the world frame, metres.
  ///   - range: the measured distance, metres; nil where there is none.
  ///   - azimuth: the spherical azimuth of the anchor in the device frame, positive to the right;
  ///     nil where it was not measured.
  ///   - elevation: its elevation, positive upwards; nil where it was not measured.
  ///   - rangeSigma: standard deviation of `range`, metres.
  ///   - angleSigma: standard deviation of both angles. The error of the attitude, which all angles
  ///     of one epoch share, is ``RangesAndAngles/Options/headingSigma``.
  /// - Returns: The sighting of the device from the anchor that says the same.
  public static func seen(
    from attitude: Matrix<3, 3>, of anchor: Vector<3>, range: Double? = nil, azimuth: Angle? = nil,
    elevation: Angle? = nil, rangeSigma: Double = 0.10, angleSigma: Angle = Angle(degrees: 3)
  ) -> Sighting {
    Sighting(
      anchor: anchor, orientation: attitude * .diagonal(Vector([-1, 1, -1])), range: range,
      azimuth: azimuth, elevation: elevation.map { -$0 }, rangeSigma: rangeSigma,
      azimuthSigma: angleSigma, elevationSigma: angleSigma)
  }

  /// The orientation of a device that stands upright and faces `heading`, counter-clockwise from
  /// the x axis of the world.
  public static func upright(facing heading: Angle) -> Matrix<3, 3> {
    let (cosine, sine) = (heading.cosine, heading.sine)
    return Matrix([[sine, 0, -cosine], [-cosine, 0, -sine], [0, 1, 0]])
  }
}

/// What one angle had to do with a position.
package struct AngleContribution: Sendable, Hashable {
  /// Measured minus expected angle, by the shorter way.
  package var residual: Angle
  /// The weight that the loss gave the angle, from 0 to 1.
  package var weight: Double
  /// How far the fitted angle follows the measured one, from 0 to 1; nil where the measurements do
  /// not determine the position to first order.
  package var influence: Double?
}

/// A position from ranges and angles.
public struct SightingFix: Sendable, Equatable {
  /// The position; its contributions and residuals are those of the ranges, and its misfit counts
  /// angles by the length of their arcs at the distance of the position.
  ///
  /// ``PositionFix/discounted`` lists the sightings without a usable measurement, and those of
  /// which the range or an angle got less than half of its weight.
  public var fix: PositionFix<3>
  /// What became of the azimuths, one per sighting; nil where there is none.
  package var azimuths: [AngleContribution?]
  /// What became of the elevations, one per sighting; nil where there is none.
  package var elevations: [AngleContribution?]
  /// By how much all orientations were found to be turned about the vertical, counter-clockwise
  /// seen from above: the true ones are those given, turned by it; nil where they were taken as
  /// exact.
  ///
  /// Residuals of azimuths are what is left after that turn.
  public var turn: Angle?
  /// Standard deviation of ``turn``.
  public var turnSigma: Angle?

  /// Measured minus expected azimuth by the shorter way, one per sighting; nil where there is none.
  public var azimuthResiduals: [Angle?] { azimuths.map { $0?.residual } }

  /// Measured minus expected elevation, one per sighting; nil where there is none.
  public var elevationResiduals: [Angle?] { elevations.map { $0?.residual } }

  init(count: Int, unknowns: Int) {
    fix = PositionFix(without: .tooFew, count: count, unknowns: unknowns, discounted: [])
    azimuths = [AngleContribution?](repeating: nil, count: count)
    elevations = [AngleContribution?](repeating: nil, count: count)
  }

  /// Fills in what became of the measurements of `rays`, whose rows are `contributions` in their
  /// order; they are the sightings at `usable`, turned by ``turn``.
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
    fix.take(ranges)
    fix.misfit = weights > 0 ? (squares / weights).squareRoot() : nil
  }
}
