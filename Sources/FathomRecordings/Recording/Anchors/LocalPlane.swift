import Fathom
import Foundation

/// A position on the WGS84 ellipsoid.
public struct GeodeticPosition: Sendable, Equatable {
  /// Geodetic latitude, degrees, positive to the north.
  public var latitude: Double
  /// Longitude, degrees, positive to the east.
  public var longitude: Double
  /// Height above the ellipsoid, metres.
  public var altitude: Double

  /// Creates a position from degrees and metres.
  public init(latitude: Double, longitude: Double, altitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}

/// A local frame on the WGS84 ellipsoid: x to the east, y to the north, z up, at a given origin.
///
/// The frame is Cartesian and tangent to the ellipsoid at the origin, so distances in it are exact.
/// The ground falls away from z = 0 by d² / 12.7·10⁶ m: 8 cm at a distance of 1 km.
///
/// Symbols: a semi-major axis, f flattening, e² = f (2 - f), N radius of curvature in the prime
/// vertical, X geocentric coordinates [NIMA TR8350.2].
public struct LocalPlane: Sendable, Equatable {
  /// The origin, which is (0, 0, 0) in the local frame.
  public let origin: GeodeticPosition
  /// Geocentric coordinates of the origin, metres.
  private let center: Vector<3>
  /// East, north and up in geocentric coordinates, as rows.
  private let axes: Matrix<3, 3>

  /// Creates the local frame at `origin`.
  public init(origin: GeodeticPosition) {
    self.origin = origin
    center = Self.geocentric(origin)
    let (sinLatitude, cosLatitude) = Self.sineAndCosine(origin.latitude)
    let (sinLongitude, cosLongitude) = Self.sineAndCosine(origin.longitude)
    axes = Matrix([
      [-sinLongitude, cosLongitude, 0],
      [-sinLatitude * cosLongitude, -sinLatitude * sinLongitude, cosLatitude],
      [cosLatitude * cosLongitude, cosLatitude * sinLongitude, sinLatitude],
    ])
  }

  /// Returns the local coordinates of `position`, metres.
  public func local(_ position: GeodeticPosition) -> Vector<3> {
    axes * (Self.geocentric(position) - center)
  }

  /// Returns the geodetic position of the point at `local`, metres.
  ///
  /// Within 10 km of the ellipsoid the result is within 1 µm. [Bowring 1976]
  ///
  /// ## Edge cases
  /// The longitude is from -180 to 180°; it is 0 on the axis of the earth. NaN gives NaN.
  public func geodetic(_ local: Vector<3>) -> GeodeticPosition {
    let position = center + axes.transposed() * local
    let (x, y, z) = (position[0], position[1], position[2])
    let distance = (x * x + y * y).squareRoot()
    // The reduced latitude converges quadratically; three steps are exact near the ellipsoid.
    var reduced = atan2(z, distance * (1 - Self.flattening))
    var latitude = reduced
    for _ in 0..<3 {
      let (sine, cosine) = (sin(reduced), cos(reduced))
      latitude = atan2(
        z + Self.secondEccentricity * Self.semiMinor * sine * sine * sine,
        distance - Self.firstEccentricity * Self.semiMajor * cosine * cosine * cosine)
      reduced = atan2((1 - Self.flattening) * sin(latitude), cos(latitude))
    }
    let (sine, cosine) = (sin(latitude), cos(latitude))
    // Well conditioned at the poles and at the equator.
    let altitude =
      distance * cosine + z * sine
      - Self.semiMajor * (1 - Self.firstEccentricity * sine * sine).squareRoot()
    return GeodeticPosition(
      latitude: latitude * 180 / .pi, longitude: atan2(y, x) * 180 / .pi, altitude: altitude)
  }

  // MARK: The ellipsoid WGS84

  private static let semiMajor = 6_378_137.0
  private static let flattening = 1 / 298.257_223_563
  private static let semiMinor = semiMajor * (1 - flattening)
  /// e².
  private static let firstEccentricity = flattening * (2 - flattening)
  /// e'² = e² / (1 - e²).
  private static let secondEccentricity = firstEccentricity / (1 - firstEccentricity)

  private static func geocentric(_ position: GeodeticPosition) -> Vector<3> {
    let (sinLatitude, cosLatitude) = sineAndCosine(position.latitude)
    let (sinLongitude, cosLongitude) = sineAndCosine(position.longitude)
    let radius = semiMajor / (1 - firstEccentricity * sinLatitude * sinLatitude).squareRoot()
    return Vector([
      (radius + position.altitude) * cosLatitude * cosLongitude,
      (radius + position.altitude) * cosLatitude * sinLongitude,
      (radius * (1 - firstEccentricity) + position.altitude) * sinLatitude,
    ])
  }

  private static func sineAndCosine(_ degrees: Double) -> (sine: Double, cosine: Double) {
    (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
  }
}
