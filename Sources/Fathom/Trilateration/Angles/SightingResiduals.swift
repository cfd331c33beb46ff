import RealModule

/// The measurements of one sighting as rows of residuals with their derivatives.
///
/// With v = Rᵀ (p - a) the tag in the device frame, right = v₁, up = v₂ and ahead = -v₃:
///
///     range = |v|    azimuth = atan2(right, ahead)    elevation = atan2(up, √(right² + ahead²))
struct SightingResiduals {
  /// A kind of measurement.
  enum Kind {
    case range, azimuth, elevation
  }

  /// A position in the anchor's device frame, metres.
  struct View {
    var right: Double
    var up: Double
    var ahead: Double
    /// The distance from the device's vertical axis.
    var across: Double
    var distance: Double
  }

  private(set) var sighting: Sighting
  /// The kinds of the measurements, in the order of the rows.
  private(set) var kinds: [Kind] = []
  /// Measured values: metres, radians.
  private var measured: [Double] = []
  /// Their standard deviations.
  private(set) var sigmas: [Double] = []
  /// Independent displacements of the anchor by one standard deviation each, metres.
  private(set) var displacements: [Vector<3>] = []

  init(_ sighting: Sighting) {
    self.sighting = sighting
    if let range = sighting.range, MeasuredDistance.absence(of: range, zeroIsDistance: false) == nil
    {
      append(.range, range, sighting.rangeSigma)
    }
    if let azimuth = sighting.azimuth, azimuth.isFinite {
      append(.azimuth, azimuth.radians, sighting.azimuthSigma.radians)
    }
    if let elevation = sighting.elevation, elevation.isFinite {
      append(.elevation, elevation.radians, sighting.elevationSigma.radians)
    }
    guard let spread = sighting.anchorCovariance else { return }
    let principal = PrincipalAxes(of: spread)
    for axis in 0..<3 where principal.values[axis] > 1e-12 * principal.values[0] {
      displacements.append(principal.values[axis].squareRoot() * principal.axes.row(axis))
    }
  }

  private mutating func append(_ kind: Kind, _ value: Double, _ sigma: Double) {
    kinds.append(kind)
    measured.append(value)
    sigmas.append(sigma)
  }

  /// Returns the same measurements by a rotated device.
  func turned(_ turn: HeadingRotation) -> SightingResiduals {
    var rows = self
    for axis in 0..<3 {
      let turned = turn.applied(to: sighting.orientation.transposed().row(axis))
      for row in 0..<3 { rows.sighting.orientation[row, axis] = turned[row] }
    }
    return rows
  }

  /// The direction of the measured azimuth and elevation in the world frame; a missing angle counts
  /// as zero.
  var direction: Vector<3> {
    let azimuth = sighting.azimuth.flatMap { $0.isFinite ? $0 : nil } ?? .zero
    let elevation = sighting.elevation.flatMap { $0.isFinite ? $0 : nil } ?? .zero
    return sighting.orientation
      * Vector([
        elevation.cosine * azimuth.sine, elevation.sine, -elevation.cosine * azimuth.cosine,
      ])
  }

  /// Returns `position` in the anchor's device frame.
  func view(of position: Vector<3>) -> View {
    let vector = sighting.orientation.transposed() * (position - sighting.anchor)
    return View(
      right: vector[0], up: vector[1], ahead: -vector[2], across: .hypot(vector[0], vector[2]),
      distance: vector.length)
  }

  /// Returns measured minus expected values, metres and radians, for a position in the device
  /// frame.
  func residuals(_ seen: View) -> [Double] {
    zip(kinds, measured).map { kind, value in
      switch kind {
      case .range: return value - seen.distance
      case .azimuth:
        let expected = FullSphere.azimuth(right: seen.right, ahead: seen.ahead)
        return Angle(radians: value).difference(from: expected).radians
      case .elevation:
        let expected = FullSphere.elevation(right: seen.right, up: seen.up, ahead: seen.ahead)
        return Angle(radians: value).difference(from: expected).radians
      }
    }
  }

  /// Returns the derivatives of the expected values by the position in the world frame; zero where
  /// they do not exist.
  func slopes(_ seen: View) -> [Vector<3>] {
    let (across, distance) = (seen.across, seen.distance)
    return kinds.map { kind in
      var device = Vector<3>.zero
      switch kind {
      case .range where distance > 0:
        device = Vector([seen.right / distance, seen.up / distance, -seen.ahead / distance])
      case .azimuth where across > 0:
        device = Vector([seen.ahead / across / across, 0, seen.right / across / across])
      case .elevation where across > 0:
        let lift = seen.up / distance / distance
        device = Vector([
          -lift * seen.right / across, across / distance / distance, lift * seen.ahead / across,
        ])
      default: break
      }
      return sighting.orientation * device
    }
  }
}

/// A rotation about the vertical that is common to the orientations of all sightings: a compass
/// error or an unknown heading.
///
/// The true orientations are T R for given orientations R and the rotation T. What was measured of
/// a position p is measured of Tᵀ (p - a) + a with the given orientation.
struct HeadingRotation {
  private let cosine: Double
  private let sine: Double

  /// Creates the rotation by `angle`, counter-clockwise seen from above.
  init(_ angle: Angle) {
    (cosine, sine) = (angle.cosine, angle.sine)
  }

  /// Returns a vector of the world frame, rotated.
  func applied(to vector: Vector<3>) -> Vector<3> {
    Vector([
      cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1], vector[2],
    ])
  }

  /// Returns `position` rotated back about `anchor`.
  func undone(_ position: Vector<3>, about anchor: Vector<3>) -> Vector<3> {
    let (x, y) = (position[0] - anchor[0], position[1] - anchor[1])
    // Without a rotation, returns the position unchanged to the bit.
    if sine == 0, cosine == 1 { return position }
    return Vector([
      anchor[0] + cosine * x + sine * y, anchor[1] - sine * x + cosine * y, position[2],
    ])
  }

  /// Returns the derivative by the angle of `position`, which is already rotated back about
  /// `anchor`.
  static func motion(of position: Vector<3>, about anchor: Vector<3>) -> Vector<3> {
    Vector([position[1] - anchor[1], anchor[0] - position[0], 0])
  }
}
