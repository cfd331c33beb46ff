import Fathom

/// The columns that `--with geodetic` adds to positions: latitude and longitude on WGS84, degrees,
/// and altitude above the ellipsoid, metres.
struct GeodeticColumns: Sendable {
  /// The names of the columns in a header.
  static let names = "latitude_deg,longitude_deg,altitude_m"
  /// Decimals of degrees: 0.1 mm on the ground.
  static let decimals = 9

  private let plane: LocalPlane?
  /// Whether the anchors have altitudes, without which that of a position is unknown.
  private let hasAltitudes: Bool

  /// Creates the columns for positions in the frame of the recording with `outline`.
  ///
  /// They are empty unless its anchors are given by latitude and longitude.
  init(_ outline: RecordingOutline) {
    plane = outline.plane
    hasAltitudes = !outline.isPlanar
  }

  /// Returns the values for `position`; NaN for those that are unknown.
  func values(of position: Vector<3>) -> GeodeticPosition {
    guard let plane else {
      return GeodeticPosition(latitude: .nan, longitude: .nan, altitude: .nan)
    }
    var position = position
    // A height that is undetermined changes latitude and longitude by nothing that can be seen.
    let hasHeight = hasAltitudes && position[2].isFinite
    if !position[2].isFinite { position[2] = 0 }
    var values = plane.geodetic(position)
    if !hasHeight { values.altitude = .nan }
    return values
  }
}
