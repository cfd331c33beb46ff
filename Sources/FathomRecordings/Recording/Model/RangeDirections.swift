import Fathom

extension RangeColumns {
  /// Returns the direction recorded in row `index`, with components right, up and back; nil when
  /// the row has none.
  ///
  /// The direction is a vector, or a pair of azimuth and elevation, of a device that reports in
  /// `frame`.
  func deviceDirection(at index: Int, in frame: DeviceFrame = .phone) -> Direction? {
    if let vector = directionVector(at: index),
      let measured = Direction(frame.rightUpBack(vector))
    {
      return measured
    }
    guard let azimuth = self[.azimuth]?[index], let elevation = self[.elevation]?[index],
      azimuth.isFinite, elevation.isFinite,
      let sphere = FullSphere(
        azimuth: Angle(radians: frame.azimuthToTheRight(azimuth)),
        elevation: Angle(radians: elevation), distance: 1)
    else { return nil }
    return Direction(sphere.position)
  }

  /// Returns the components of the direction as recorded in row `index`, NaN where the row has none;
  /// nil without their columns.
  private func directionVector(at index: Int) -> Vector<3>? {
    guard let x = self[.directionX]?[index], let y = self[.directionY]?[index],
      let z = self[.directionZ]?[index]
    else { return nil }
    return Vector<3>([x, y, z])
  }

  /// Whether rows can have angles to report.
  var hasAngles: Bool { hasDirections || self[.horizontalAngle] != nil }

  /// Returns the angles to report for row `index` in `frame`, in radians, NaN when unknown.
  ///
  /// These are the recorded angles; otherwise those of the direction; otherwise the horizontal
  /// angle, whose elevation is only a category.
  func reportedAngles(
    at index: Int, in frame: DeviceFrame = .phone
  ) -> (azimuth: Double, elevation: Double) {
    let azimuth = self[.azimuth]?[index] ?? .nan
    let elevation = self[.elevation]?[index] ?? .nan
    if azimuth.isFinite || elevation.isFinite { return (azimuth, elevation) }
    if let direction = deviceDirection(at: index, in: frame) {
      let azimuth = frame.azimuthToTheRight(direction.azimuth.radians)
      return (azimuth, direction.elevation?.radians ?? .nan)
    }
    return (self[.horizontalAngle]?[index] ?? .nan, .nan)
  }

  /// Returns the azimuth to the right and the elevation of the anchor in row `index`, for a device
  /// that reports in `frame`: the recorded angles, or those of the direction.
  func deviceAngles(
    at index: Int, in frame: DeviceFrame
  ) -> (azimuth: Angle?, elevation: Angle?) {
    let azimuth = self[.azimuth]?[index] ?? .nan
    let elevation = self[.elevation]?[index] ?? .nan
    if azimuth.isFinite || elevation.isFinite {
      return (
        azimuth.isFinite ? Angle(radians: frame.azimuthToTheRight(azimuth)) : nil,
        elevation.isFinite ? Angle(radians: elevation) : nil
      )
    }
    guard let vector = directionVector(at: index),
      let seen = Direction(frame.rightUpBack(vector))
    else { return (nil, nil) }
    return (seen.azimuth, seen.elevation)
  }

  /// Whether rows can have a direction in the device frame.
  var hasDirections: Bool {
    self[.azimuth] != nil || self[.elevation] != nil || self[.directionX] != nil
  }
}
