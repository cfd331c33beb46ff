import RealModule

/// The two cone angles that a pair of antenna arrays measures.
///
/// Each array measures the angle between the signal and its own axis. With d the distance,
///
///     sin(azimuth) = x / d    sin(elevation) = y / d
///
/// [Android stack]. For a peer behind the device (z > 0) the azimuth is mirrored beyond a right
/// angle. The elevation equals that of ``FullSphere``; the azimuth differs. A peer high up has an
/// azimuth near 0 or π, because its signal reaches both antennas of the horizontal array at the
/// same time. Possible pairs satisfy |azimuth from the nearer of ahead and behind| + |elevation| ≤
/// π/2.
///
/// A value always holds a possible pair of finite angles. No allocation.
public struct AngleOfArrival: Sendable, Equatable {
  /// The angle of the horizontal array, positive to the right, within (-π, π]; its magnitude
  /// exceeds a right angle for a peer behind.
  public private(set) var azimuth: Angle
  /// The angle of the vertical array, positive upwards, within [-π/2, π/2].
  public private(set) var elevation: Angle

  /// Creates a pair of angles, wrapped into range and, where impossible, scaled to a possible pair.
  ///
  /// For an impossible pair, the elevation and the azimuth from the nearer of ahead and behind
  /// shrink in proportion until their sum is a right angle [Android stack]. An elevation beyond a
  /// right angle continues over the pole, as in ``FullSphere/init(azimuth:elevation:distance:)``.
  ///
  /// ## Edge cases
  /// Returns nil when an angle is not finite.
  public init?(azimuth: Angle, elevation: Angle) {
    guard azimuth.isFinite, elevation.isFinite else { return nil }
    let (azimuth, elevation) = FullSphere.normalized(azimuth: azimuth, elevation: elevation)
    self.init(normalizedAzimuth: azimuth, elevation: elevation)
  }

  /// Creates the angles that antenna arrays measure for `direction`.
  ///
  /// A direction made from a horizontal angle has no measured elevation; 0 is used.
  ///
  /// ## Edge cases
  /// Exactly behind gives +π, where ``asInAndroid(_:)`` gives 0. Straight up and down the azimuth
  /// is 0.
  public init(_ direction: Direction) {
    let vector = direction.inDeviceFrame
    // atan2 instead of asin, which loses half of its digits near a right angle.
    let front = Double.atan2(y: vector[0], x: .hypot(vector[1], vector[2]))
    let elevation = FullSphere.elevation(right: vector[0], up: vector[1], ahead: -vector[2])
    let azimuth = vector[2] > 0 ? Self.mirrored(front) : front
    self.init(normalizedAzimuth: Angle(radians: azimuth), elevation: elevation)
  }

  /// Creates the angles that antenna arrays measure for the spherical angles of `sphere`, whatever
  /// its distance.
  public init(_ sphere: FullSphere) {
    let (azimuth, elevation) = (sphere.azimuth, sphere.elevation)
    let right = elevation.cosine * azimuth.sine
    let ahead = elevation.cosine * azimuth.cosine
    let front = Double.atan2(y: right, x: .hypot(elevation.sine, ahead))
    let isBehind = azimuth.radians.magnitude > .pi / 2
    self.init(
      normalizedAzimuth: Angle(radians: isBehind ? Self.mirrored(front) : front),
      elevation: elevation)
  }

  /// Returns the angles of a position in the device frame exactly as the Android stack computes
  /// them.
  ///
  /// ## Edge cases
  /// - **A peer behind with x = 0 is folded to the front**: the mirror is π times the sign of the
  ///   azimuth, and the sign of 0 is 0. ``init(_:)-(Direction)`` places it behind.
  /// - The zero vector gives 0 and 0. Returns nil when a component is not finite or the length
  ///   exceeds the largest `Double`. (The source uses `Float` and treats lengths below 1e-23 as
  ///   zero.)
  public static func asInAndroid(_ position: Vector<3>) -> Self? {
    let distance = position.length
    guard position.isFinite, distance.isFinite else { return nil }
    guard distance > 0 else { return Self(azimuth: .zero, elevation: .zero) }
    let front = Double.asin(min(max(position[0] / distance, -1), 1))
    let elevation = Double.asin(min(max(position[1] / distance, -1), 1))
    let isMirrored = position[2] > 0 && front != 0
    return Self(
      azimuth: Angle(radians: isMirrored ? mirrored(front) : front),
      elevation: Angle(radians: elevation))
  }

  /// The direction of a peer with these angles.
  ///
  /// Its z component is ill-conditioned at the limit of the possible pairs: there a rounding of the
  /// angles by 1e-16 moves it by 1e-8.
  public var direction: Direction {
    Direction(unit: Vector([azimuth.sine, elevation.sine, isBehind ? depth : -depth]))
  }

  /// Returns the spherical angles of a peer with these angles at `distance`, metres.
  ///
  /// ## Edge cases
  /// Straight up and down the azimuth is undefined and set to 0. Returns nil when the distance is
  /// negative or not finite.
  public func fullSphere(distance: Double) -> FullSphere? {
    // At the poles rounding leaves no azimuth to recover.
    let isPole = elevation.radians.magnitude == .pi / 2
    let spherical = isPole ? 0 : Double.atan2(y: front.sine, x: depth)
    let isMirrored = isBehind && !isPole
    return FullSphere(
      azimuth: Angle(radians: isMirrored ? Self.mirrored(spherical) : spherical),
      elevation: elevation, distance: distance)
  }

  // MARK: Kernels

  /// Creates a pair from angles in range, rescaled when the pair is impossible.
  private init(normalizedAzimuth azimuth: Angle, elevation: Angle) {
    self.azimuth = azimuth
    self.elevation = elevation
    let front = self.front.radians
    let excess = (front.magnitude + elevation.radians.magnitude) / (.pi / 2)
    guard excess > 1 else { return }
    let scaled = front / excess
    self.azimuth = Angle(radians: isBehind ? Self.mirrored(scaled) : scaled)
    self.elevation = Angle(radians: elevation.radians / excess)
  }

  /// Whether the peer is behind the device.
  private var isBehind: Bool { azimuth.radians.magnitude > .pi / 2 }

  /// The azimuth mirrored to the front, within a right angle.
  private var front: Angle {
    guard isBehind else { return azimuth }
    return Angle(radians: Self.mirrored(azimuth.radians))
  }

  /// |z| of the unit vector: √(cos²a - sin²e) as √(cos(a + e) cos(a - e)), which avoids
  /// cancellation.
  private var depth: Double {
    let product = (front + elevation).cosine * (front - elevation).cosine
    return max(product, 0).squareRoot()
  }

  /// Returns `azimuth` mirrored between front and back on the same side; 0 becomes +π.
  private static func mirrored(_ azimuth: Double) -> Double {
    azimuth < 0 ? -.pi - azimuth : .pi - azimuth
  }
}
