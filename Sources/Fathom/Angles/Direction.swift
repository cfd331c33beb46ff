import RealModule

/// The direction of a peer seen from a device, as a unit vector with its origin.
///
/// Devices report two kinds of vectors of the same format. In measured vectors straight ahead is
/// (0, 0, -1). In vectors made from a horizontal angle it is (0, 0, 1) ([NI reference], [Qorvo
/// guide]). A value of this type stores which kind it is: the azimuth is correct for both, and an
/// unmeasured elevation is nil.
public struct Direction: Sendable, Equatable {
  /// How a vector was obtained, which defines the sign of its z axis.
  public enum Origin: Sendable, Hashable, CaseIterable {
    /// A measured direction: x right, y up, ahead is -z.
    case measured
    /// Made from a horizontal angle, (sin a, 0, cos a): ahead is **+z**, and the height is unknown.
    case horizontalAngle
  }

  /// The vector as its source orients it, of length 1 to within rounding.
  public let vector: Vector<3>
  /// How the vector was obtained.
  public let origin: Origin

  /// Creates the direction of `vector`, whatever its length.
  ///
  /// - Parameters:
  ///   - vector: Components to the right, upwards, and along z as `origin` defines it.
  ///   - origin: How the vector was obtained.
  ///
  /// ## Edge cases
  /// Returns nil for the zero vector and when a component is NaN or infinite. Every other length is
  /// accepted, from the smallest number to the largest, without underflow or overflow.
  public init?(_ vector: Vector<3>, origin: Origin = .measured) {
    guard let unit = Self.normalized(vector) else { return nil }
    self.vector = unit
    self.origin = origin
  }

  /// Creates the direction of a vector that a device reported.
  ///
  /// ## Edge cases
  /// Returns nil for the values that devices write for "no direction": the zero vector, NaN,
  /// infinities and magnitudes at the greatest finite `Float`.
  public init?(reported vector: SIMD3<Float>, origin: Origin = .measured) {
    for index in vector.indices {
      guard vector[index].magnitude < .greatestFiniteMagnitude else { return nil }
    }
    let components: Vector<3> = Vector([Double(vector.x), Double(vector.y), Double(vector.z)])
    self.init(components, origin: origin)
  }

  /// Creates the direction at a horizontal angle, positive to the right, with unknown height.
  ///
  /// ## Edge cases
  /// Returns nil when the angle is not finite. The angle need not be wrapped.
  public init?(horizontalAngle angle: Angle) {
    guard angle.isFinite else { return nil }
    let vector: Vector<3> = Vector([angle.sine, 0, angle.cosine])
    self.init(vector, origin: .horizontalAngle)
  }

  /// Creates the measured direction of a unit vector.
  init(unit vector: Vector<3>) {
    self.vector = vector
    origin = .measured
  }

  /// The vector in the device frame, for either origin: x right, y up, -z ahead.
  ///
  /// For ``Origin/horizontalAngle`` it lies in the horizontal plane because the height is unknown,
  /// not because it is zero.
  public var inDeviceFrame: Vector<3> {
    switch origin {
    case .measured: vector
    case .horizontalAngle: Vector([vector[0], vector[1], -vector[2]])
    }
  }

  /// The azimuth over the full circle, positive to the right, within (-π, π]; 0 straight up and
  /// straight down, where it is undefined.
  public var azimuth: Angle {
    let vector = inDeviceFrame
    return FullSphere.azimuth(right: vector[0], ahead: -vector[2])
  }

  /// The angle above the horizontal plane of the device, within [-π/2, π/2]; nil for a direction
  /// made from a horizontal angle, whose height is unknown.
  public var elevation: Angle? {
    switch origin {
    case .measured: FullSphere.elevation(right: vector[0], up: vector[1], ahead: -vector[2])
    case .horizontalAngle: nil
    }
  }

  /// Returns the covariance of the place at `distance` in this direction, in the device frame.
  ///
  /// The variance of the distance acts along the direction, that of the angles across it. For the unit
  /// vector u, the distance d with standard deviation s, and angles with a: s² uuᵀ + (d a)² (1 - uuᵀ).
  ///
  /// - Parameters:
  ///   - distance: The distance, metres.
  ///   - distanceSigma: Its standard deviation, metres.
  ///   - angleSigma: The standard deviation of the direction along each axis across it.
  /// - Returns: The covariance, m²; symmetric. It is not finite if an argument is not.
  public func covariance(
    at distance: Double, distanceSigma: Double, angleSigma: Angle
  ) -> Matrix<3, 3> {
    let unit = inDeviceFrame
    let across = distance * angleSigma.radians
    var covariance = Matrix<3, 3>.zero
    for row in 0..<3 {
      for column in 0..<3 {
        let outer = unit[row] * unit[column]
        covariance[row, column] =
          distanceSigma * distanceSigma * outer
          + across * across * ((row == column ? 1 : 0) - outer)
      }
    }
    return covariance
  }

  /// Returns `vector` scaled to length 1, or nil when it has no direction.
  private static func normalized(_ vector: Vector<3>) -> Vector<3>? {
    guard vector.isFinite else { return nil }
    let largest = max(vector[0].magnitude, vector[1].magnitude, vector[2].magnitude)
    guard largest > 0 else { return nil }
    // Divide, because the reciprocal of a subnormal number overflows. Afterwards the length lies
    // between 1 and √3.
    let scaled: Vector<3> = Vector([
      vector[0] / largest, vector[1] / largest, vector[2] / largest,
    ])
    let length = scaled.length
    return Vector([scaled[0] / length, scaled[1] / length, scaled[2] / length])
  }
}
