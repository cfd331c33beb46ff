import RealModule

/// Where a peer is seen from a device: azimuth, elevation and distance, right in all directions.
///
/// The device frame is that of the phones: x right, y up, z towards the user [NI reference]. With it
///
///     azimuth = atan2(x, -z)    elevation = atan2(y, hypot(x, z))    distance = √(x² + y² + z²)
///
/// [Android stack]. The arctangent takes the place of asin(y / r), which loses half of its digits
/// near the poles. Nothing underflows or overflows unless the result itself does. No allocation.
///
/// A value always holds finite numbers, a wrapped azimuth and an elevation within a right angle.
public struct FullSphere: Sendable, Equatable {
  /// The angle to the right of straight ahead in the horizontal plane of the device, within (-π, π].
  ///
  /// Undefined straight up, straight down and at distance 0: 0 there when computed of a position. A
  /// hair to the left of straight behind it is `-Double.pi`, the number nearest to the true angle.
  public let azimuth: Angle
  /// The angle above the horizontal plane of the device, within [-π/2, π/2].
  public let elevation: Angle
  /// The distance, metres, at least 0.
  public let distance: Double

  /// The spherical form of a position in the device frame, metres.
  ///
  /// ## Edge cases
  /// - The zero vector gives azimuth, elevation and distance 0. Where having no direction must be
  ///   told apart from straight ahead, use ``Direction/init(_:origin:)``, which is nil there.
  /// - The sign of a zero makes no difference; exactly behind is +π.
  /// - Nil where a component is NaN or infinite, or the distance exceeds the largest `Double`.
  public init?(_ position: Vector<3>) {
    let distance = position.length
    guard position.isFinite, distance.isFinite else { return nil }
    azimuth = Self.azimuth(right: position[0], ahead: -position[2])
    elevation = Self.elevation(right: position[0], up: position[1], ahead: -position[2])
    self.distance = distance
  }

  /// A peer in `direction` at `distance`, metres.
  ///
  /// Of a direction that comes of a horizontal angle the elevation is taken as 0; that nobody
  /// measured it is what a nil ``Direction/elevation`` says.
  ///
  /// ## Edge cases
  /// Nil where the distance is negative or not finite.
  public init?(_ direction: Direction, distance: Double) {
    guard distance >= 0, distance.isFinite else { return nil }
    azimuth = direction.azimuth
    elevation = direction.elevation ?? .zero
    self.distance = distance
  }

  /// A peer at the given angles, brought into range.
  ///
  /// - Parameters:
  ///   - azimuth: the angle to the right; any number of turns.
  ///   - elevation: the angle upwards. Beyond a right angle it leads over the pole and down on the
  ///     other side: azimuth 5°, elevation 110° is azimuth -175°, elevation 70°.
  ///   - distance: metres, at least 0.
  ///
  /// ## Edge cases
  /// Nil where an argument is not finite or the distance is negative.
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

  // MARK: The convention of robots

  /// A peer at a bearing as robots count it: positive to the **left**, counter-clockwise seen from
  /// above [REP-103].
  ///
  /// ## Edge cases
  /// As ``init(azimuth:elevation:distance:)``.
  public init?(bearing: Angle, elevation: Angle, distance: Double) {
    self.init(azimuth: -bearing, elevation: elevation, distance: distance)
  }

  /// The azimuth counted as robots do, positive to the left [REP-103], within (-π, π].
  public var bearing: Angle { (-azimuth).wrapped() }

  /// The spherical form of a position in a robot's body frame, x forward, y left, z up [REP-103].
  ///
  /// A pose whose x axis points east has the axes east, north, up of a map in the same roles.
  ///
  /// ## Edge cases
  /// As ``init(_:)``.
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

  /// The azimuth of finite components.
  static func azimuth(right: Double, ahead: Double) -> Angle {
    // A zero has no side, and both zero no azimuth: atan2 would let the signs of the zeros decide.
    if right == 0 { return ahead < 0 ? .halfTurn : .zero }
    return Angle(radians: .atan2(y: right, x: ahead))
  }

  /// The elevation of finite components whose length is finite too.
  static func elevation(right: Double, up: Double, ahead: Double) -> Angle {
    Angle(radians: .atan2(y: up, x: .hypot(right, ahead)))
  }

  /// Finite angles with the elevation within a right angle and the azimuth wrapped [Android stack].
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
