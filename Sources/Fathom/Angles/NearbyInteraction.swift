import RealModule

/// How a phone measures the direction of a peer, which decides how its vectors are interpreted.
///
/// This is a property of the device, not of a vector: see ``DeviceCapabilities``.
public enum DirectionCapability: Sendable, Hashable, CaseIterable {
  /// Measures direction vectors, in which straight ahead is (0, 0, -1).
  case measured
  /// Reports a horizontal angle after convergence; vectors made from it have (0, 0, 1) straight
  /// ahead.
  case horizontalAngleOnly
}

/// The height of a peer relative to a device: a category, not an angle [NI reference].
public enum VerticalEstimate: Int, Sendable, Hashable, CaseIterable {
  /// Not known.
  case unknown = 0
  /// At about the same height.
  case same = 1
  /// Higher.
  case above = 2
  /// Lower.
  case below = 3
  /// At another height, higher or lower.
  case aboveOrBelow = 4
}

/// Azimuth, elevation and names exactly as existing apps compute them, including their defects.
///
/// Use these forms for recordings that were made with them and for comparison with such apps. All
/// angles are single precision, as in the sources. Each form documents its defects. For angles that
/// are correct in all directions use ``Direction`` and ``FullSphere``.
public enum NearbyInteraction {
  /// Returns the azimuth of a direction, radians, positive to the right: asin(x) or atan2(x, z)
  /// [Qorvo guide].
  ///
  /// - Parameters:
  ///   - direction: A unit vector; measured (ahead is -z) or from
  ///     ``direction(fromHorizontalAngle:)`` (ahead is +z), to match `capability`.
  ///   - capability: The capability of the device, not of the vector.
  ///
  /// - Returns: The azimuth as the sources compute it.
  ///
  /// ## Edge cases
  /// - ``DirectionCapability/measured``: the result lies within ±π/2, so a peer **behind appears in
  ///   front**. It is the angle from the y-z plane, a cone angle: 30° right and 30° up give 25.66°.
  ///   Nothing is clamped: where rounding makes |x| exceed 1 the result is **NaN**.
  /// - ``DirectionCapability/horizontalAngleOnly``: within ±π; **off by π for a measured vector**.
  ///   Straight up and down the signs of the zeros decide.
  /// - NaN in x gives NaN. ``Direction/azimuth`` has none of these defects.
  public static func azimuth(
    of direction: SIMD3<Float>, capability: DirectionCapability
  ) -> Float {
    switch capability {
    case .measured: .asin(direction.x)
    case .horizontalAngleOnly: .atan2(y: direction.x, x: direction.z)
    }
  }

  /// Returns the elevation of a direction, radians: atan2(z, y) + π/2 [Qorvo guide].
  ///
  /// This is the pitch in the y-z plane, not the angle above the horizon: 30° right and 30° up give
  /// 33.69°. The result lies within [-π/2, 3π/2].
  ///
  /// ## Edge cases
  /// - Behind the device it **exceeds a right angle**: level and behind gives 180°.
  /// - To the right and to the left (y = z = 0) it is **meaningless**: 90°, 270° or -90°, as the
  ///   signs of the zeros decide. They also decide between 270° and -90° straight down.
  /// - A vector from ``direction(fromHorizontalAngle:)`` gives 180° or 0°: **meaningless**.
  /// - NaN in y or z gives NaN. ``Direction/elevation`` has none of these defects.
  public static func elevation(of direction: SIMD3<Float>) -> Float {
    .atan2(y: direction.z, x: direction.y) + .pi / 2
  }

  /// Returns the vector (sin a, 0, cos a) of a horizontal angle, radians [Qorvo guide].
  ///
  /// **Ahead is +z**, opposite to the device frame. The azimuth for
  /// ``DirectionCapability/horizontalAngleOnly`` recovers the angle, wrapped.
  ///
  /// ## Edge cases
  /// Any number of turns is accepted. NaN and infinities give NaN.
  /// ``Direction/init(horizontalAngle:)`` records the origin of the vector and returns nil in those
  /// cases.
  public static func direction(fromHorizontalAngle angle: Float) -> SIMD3<Float> {
    SIMD3(.sin(angle), 0, .cos(angle))
  }

  /// Returns the direction that has a given azimuth and elevation, radians: the inverse of
  /// ``elevation(of:)`` and of the azimuth for ``DirectionCapability/measured``.
  ///
  /// x = sin a, y = cos a sin e, z = -cos a cos e, so these are not the angles of ``FullSphere``. A
  /// direction behind is recovered because its elevation exceeds a right angle.
  public static func direction(azimuth: Float, elevation: Float) -> SIMD3<Float> {
    let depth = Float.cos(azimuth)
    return SIMD3(.sin(azimuth), depth * .sin(elevation), -depth * .cos(elevation))
  }

  /// Returns degrees as n · 180 / π, multiplied first [EDM sample].
  public static func degrees(fromRadians radians: Double) -> Double {
    radians * 180 / .pi
  }

  /// Returns the key under which apps look up a vertical estimate [Qorvo guide].
  ///
  /// - Parameter rawValue: Raw value of a ``VerticalEstimate``, or nil.
  /// - Returns: `unknown`, `same`, `above` or `below`.
  ///
  /// ## Edge cases
  /// nil, 0 and any number out of range give `unknown`, and so does
  /// ``VerticalEstimate/aboveOrBelow``, which **has no name of its own**.
  public static func name(ofVerticalEstimate rawValue: Int?) -> String {
    switch rawValue.flatMap(VerticalEstimate.init(rawValue:)) {
    case .same: "same"
    case .above: "above"
    case .below: "below"
    case .unknown, .aboveOrBelow, nil: "unknown"
    }
  }

  /// Returns the angle of a number that is the integer part of 90 times the radians.
  ///
  /// On devices that support direction, the Qorvo app shows and records such numbers as degrees:
  /// 90° reads 141. Use this only for recordings known to contain them. The fraction was truncated
  /// towards zero: the true angle is larger in magnitude by up to 1/90 rad (0.64°), and 0
  /// represents every angle between -0.64° and 0.64°.
  ///
  /// ## Edge cases
  /// NaN and infinities are unchanged.
  public static func angle(fromRadiansTimes90 value: Double) -> Angle {
    Angle(radians: value / 90)
  }
}
