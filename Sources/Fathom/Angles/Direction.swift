import RealModule

/// Where a peer is seen from a device, as a vector of length 1, together with where it came from.
///
/// Devices report two kinds of vectors that look alike: measured ones, in which straight ahead is
/// (0, 0, -1), and ones made of a horizontal angle, in which it is (0, 0, 1)
/// ([NI reference], [Qorvo guide]). A value of this type knows which it is, so that the azimuth is
/// right for both and an elevation that nobody measured is nil.
public struct Direction: Sendable, Equatable {
  /// What a vector was made of, and with it which end of its z axis is ahead.
  public enum Origin: Sendable, Hashable, CaseIterable {
    /// A measured direction: x right, y up, ahead is -z.
    case measured
    /// Made of a horizontal angle, (sin a, 0, cos a): ahead is **+z**, and the height is unknown.
    case horizontalAngle
  }

  /// The vector as its source orients it, with length 1 to within rounding.
  public let vector: Vector<3>
  /// What the vector was made of.
  public let origin: Origin

  /// The direction of `vector`, whose length does not matter.
  ///
  /// - Parameters:
  ///   - vector: components to the right, upwards, and along z as `origin` has it.
  ///   - origin: what the vector was made of.
  ///
  /// ## Edge cases
  /// Nil for the zero vector and where a component is NaN or infinite. Any other length will do,
  /// from the smallest number to the largest: nothing underflows or overflows.
  public init?(_ vector: Vector<3>, origin: Origin = .measured) {
    guard let unit = Self.normalized(vector) else { return nil }
    self.vector = unit
    self.origin = origin
  }

  /// The direction of a vector that a device reported.
  ///
  /// ## Edge cases
  /// Nil for what devices write in place of a direction: the zero vector, NaN, infinities and
  /// magnitudes at the greatest finite `Float`.
  public init?(reported vector: SIMD3<Float>, origin: Origin = .measured) {
    for index in vector.indices {
      guard vector[index].magnitude < .greatestFiniteMagnitude else { return nil }
    }
    let components: Vector<3> = Vector([Double(vector.x), Double(vector.y), Double(vector.z)])
    self.init(components, origin: origin)
  }

  /// The direction at a horizontal angle, positive to the right; its height is unknown.
  ///
  /// ## Edge cases
  /// Nil where the angle is not finite. It need not be wrapped.
  public init?(horizontalAngle angle: Angle) {
    guard angle.isFinite else { return nil }
    let vector: Vector<3> = Vector([angle.sine, 0, angle.cosine])
    self.init(vector, origin: .horizontalAngle)
  }

  /// The measured direction of a vector that has length 1 already.
  init(unit vector: Vector<3>) {
    self.vector = vector
    origin = .measured
  }

  /// The vector in the device frame, whatever its origin: x right, y up, ahead is -z.
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

  /// The angle above the horizontal plane of the device, within [-π/2, π/2]; nil where the direction
  /// comes of a horizontal angle, which says nothing about height.
  public var elevation: Angle? {
    switch origin {
    case .measured: FullSphere.elevation(right: vector[0], up: vector[1], ahead: -vector[2])
    case .horizontalAngle: nil
    }
  }

  /// `vector` scaled to length 1, or nil where it has no direction.
  private static func normalized(_ vector: Vector<3>) -> Vector<3>? {
    guard vector.isFinite else { return nil }
    let largest = max(vector[0].magnitude, vector[1].magnitude, vector[2].magnitude)
    guard largest > 0 else { return nil }
    // Division, not a product with the reciprocal: that of a subnormal number overflows. After it
    // the length lies between 1 and √3.
    let scaled: Vector<3> = Vector([
      vector[0] / largest, vector[1] / largest, vector[2] / largest,
    ])
    let length = scaled.length
    return Vector([scaled[0] / length, scaled[1] / length, scaled[2] / length])
  }
}
