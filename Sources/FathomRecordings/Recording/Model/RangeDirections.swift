import Fathom

extension RangeColumns {
  /// The direction that row `index` recorded, by its parts to the right, up and back: a vector, or a
  /// pair of azimuth and elevation, of a device that counts in `frame`; nil where it has neither.
  func deviceDirection(at index: Int, in frame: DeviceFrame = .phone) -> Direction? {
    if let direction {
      let vector = Vector<3>([direction.x[index], direction.y[index], direction.z[index]])
      if let measured = Direction(frame.rightUpBack(vector)) { return measured }
    }
    guard let azimuth = azimuth?[index], let elevation = elevation?[index],
      azimuth.isFinite, elevation.isFinite,
      let sphere = FullSphere(
        azimuth: Angle(radians: frame.azimuthToTheRight(azimuth)),
        elevation: Angle(radians: elevation), distance: 1)
    else { return nil }
    return Direction(sphere.position)
  }

  /// Whether any row can have angles to report.
  var hasAngles: Bool {
    azimuth != nil || elevation != nil || direction != nil || horizontalAngle != nil
  }

  /// The angles to report for row `index`, radians, NaN where not known: as recorded, otherwise of the
  /// direction, otherwise the horizontal angle, whose elevation is only a category; all as `frame` counts.
  func reportedAngles(
    at index: Int, in frame: DeviceFrame = .phone
  ) -> (azimuth: Double, elevation: Double) {
    let azimuth = azimuth?[index] ?? .nan
    let elevation = elevation?[index] ?? .nan
    if azimuth.isFinite || elevation.isFinite { return (azimuth, elevation) }
    if let direction = deviceDirection(at: index, in: frame) {
      let azimuth = frame.azimuthToTheRight(direction.azimuth.radians)
      return (azimuth, direction.elevation?.radians ?? .nan)
    }
    return (horizontalAngle?[index] ?? .nan, .nan)
  }
}

extension RangeColumns {
  /// The angles to the right and upwards under which row `index` saw its anchor, from a device that
  /// counts in `frame`: as recorded, otherwise those of the direction.
  func deviceAngles(
    at index: Int, in frame: DeviceFrame
  ) -> (azimuth: Angle?, elevation: Angle?) {
    let azimuth = azimuth?[index] ?? .nan
    let elevation = elevation?[index] ?? .nan
    if azimuth.isFinite || elevation.isFinite {
      return (
        azimuth.isFinite ? Angle(radians: frame.azimuthToTheRight(azimuth)) : nil,
        elevation.isFinite ? Angle(radians: elevation) : nil
      )
    }
    guard let direction else { return (nil, nil) }
    let vector = Vector<3>([direction.x[index], direction.y[index], direction.z[index]])
    guard let seen = Direction(frame.rightUpBack(vector)) else { return (nil, nil) }
    return (seen.azimuth, seen.elevation)
  }

  /// Whether any row can have a direction in the frame of the device.
  var hasDirections: Bool { azimuth != nil || elevation != nil || direction != nil }
}
