import RealModule

/// The spherical coordinates of a peer seen from a device, correct in all directions.
///
/// The device frame is that of phones: x right, y up, z towards the user [NI reference]. In this
/// frame
///
///     azimuth = atan2(x, -z)    elevation = atan2(y, hypot(x, z))    distance = √(x² + y² + z²)
///
/// [Android stack]. The arctangent replaces asin(y / r), which loses half of its digits near the
/// poles. Nothing underflows or overflows unless the result itself does. No allocation.
///
/// A value always holds finite numbers, a wrapped azimuth and an elevation within a right angle.
public struct FullSphere: Sendable, Equatable {
  /// The angle to the right of straight ahead in the horizontal plane of the device, within (-π, π].
  ///
  /// Undefined straight up, straight down and at distance 0, where positions give 0. For a
  /// direction marginally to the left of straight behind it is `-Double.pi`, the number nearest to
  /// the true angle.
  public let azimuth: Angle
  /// The angle above the horizontal plane of the device, within [-π/2, π/2].
  public let elevation: Angle
  /// The distance, metres, at least 0.
  public let distance: Double

  /// Creates the spherical coordinates of a position in the device frame, metres.
  ///
  /// ## Edge cases
  /// - The zero vector gives azimuth, elevation and distance 0. To distinguish it from straight
  ///   ahead, use ``Direction/init(_:origin:)``, which returns nil.
  /// - The sign of a zero makes no difference; exactly behind is +π.
  /// - Returns nil when a component is NaN or infinite, or the distance exceeds the largest
  ///   `Double`.
  public init?(_ position: Vector<3>) {
    let distance = position.length
    guard position.isFinite, distance.isFinite else { return nil }
    azimuth = Self.azimuth(right: position[0], ahead: -position[2])
    elevation = Self.elevation(right: position[0], up: position[1], ahead: -position[2])
    self.distance = distance
  }

  /// Creates the coordinates of a peer in `direction` at `distance`, metres.
  ///
  /// A direction made from a horizontal angle has a nil ``Direction/elevation``; 0 is used instead.
  ///
  /// ## Edge cases
  /// Returns nil when the distance is negative or not finite.
  public init?(_ direction: Direction, distance: Double) {
    guard distance >= 0, distance.isFinite else { return nil }
    azimuth = direction.azimuth
    elevation = direction.elevation ?? .zero
    self.distance = distance
  }

  /// Creates the coordinates of a peer at the given angles, wrapped into range.
  ///
  /// - Parameters:
  ///   - azimuth: The angle to the right; any number of turns.
  ///   - elevation: The angle upwards. Beyond a right angle it continues over the pole: azimuth 5°,
  ///     elevation 110° is azimuth -175°, elevation 70°.
  ///   - distance: Metres, at least 0.
  ///
  /// ## Edge cases
  /// Returns nil when an argument is not finite or the distance is negative.
  public init?(azimuth: Angle, elevation: Angle, distance: Double) {
    guard azimuth.isFinite, elevation.isFinite, distance >= 0, distance.isFinite else { return nil }
    (self.azimuth, self.elevation) = Self.normalized(azimuth: azimuth, elevation: elevation)
    self.distance = distance
  }

  /// The position in the device frame, metres.
  public var position: Vector<3> {
    let horizontal = distance * elevation.cosine
    return Vector([
      horizontal * azimuth.sine, distance * elevation.sine, -horizontal * azimuth.cosine,
    ])
  }

  // MARK: Robotics convention

  /// Creates the coordinates of a peer at a bearing in the robotics convention: positive to the
  /// **left**, counter-clockwise seen from above [REP-103].
  ///
  /// ## Edge cases
  /// As for ``init(azimuth:elevation:distance:)``.
  public init?(bearing: Angle, elevation: Angle, distance: Double) {
    self.init(azimuth: -bearing, elevation: elevation, distance: distance)
  }

  /// The azimuth in the robotics convention, positive to the left [REP-103], within (-π, π].
  public var bearing: Angle { (-azimuth).wrapped() }

  /// Creates the coordinates of a position in a robot's body frame, x forward, y left, z up
  /// [REP-103].
  ///
  /// A pose whose x axis points east has the map axes east, north and up in the same roles.
  ///
  /// ## Edge cases
  /// As for ``init(_:)``.
  public init?(forwardLeftUp position: Vector<3>) {
    let inDeviceFrame: Vector<3> = Vector([-position[1], position[2], -position[0]])
    self.init(inDeviceFrame)
  }

  /// The position in a robot's body frame, x forward, y left, z up [REP-103], metres.
  public var forwardLeftUp: Vector<3> {
    let position = position
    return Vector([-position[2], -position[0], position[1]])
  }

  // MARK: Kernels

  /// Returns the azimuth of finite components.
  static func azimuth(right: Double, ahead: Double) -> Angle {
    // atan2 would let the signs of zeros decide; here they make no difference.
    if right == 0 { return ahead < 0 ? .halfTurn : .zero }
    return Angle(radians: .atan2(y: right, x: ahead))
  }

  /// Returns the elevation of finite components whose length is finite too.
  static func elevation(right: Double, up: Double, ahead: Double) -> Angle {
    Angle(radians: .atan2(y: up, x: .hypot(right, ahead)))
  }

  /// Returns finite angles with the elevation within a right angle and the azimuth wrapped [Android
  /// stack].
  static func normalized(azimuth: Angle, elevation: Angle) -> (azimuth: Angle, elevation: Angle) {
    let wrapped = elevation.wrapped()
    guard wrapped.radians.magnitude > .pi / 2 else { return (azimuth.wrapped(), wrapped) }
    let folded = .pi - wrapped.radians.magnitude
    return (
      (azimuth.wrapped() + .halfTurn).wrapped(),
      Angle(radians: Double(signOf: wrapped.radians, magnitudeOf: folded))
    )
  }
}
