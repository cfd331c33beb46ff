import Fathom

/// The values of the columns that `--with geodetic` adds to positions.
struct GeodeticColumns: Sendable {
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
