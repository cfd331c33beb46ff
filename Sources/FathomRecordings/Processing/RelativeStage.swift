import Fathom

/// Positions of accessories relative to the device that measured them, in a recording without anchors.
///
/// Frame of the positions: x right, y up, z towards the user, whatever the device counts in. A
/// direction vector or a pair of azimuth and elevation gives all three coordinates. A horizontal angle
/// alone gives x and z, and only where the vertical estimate says "same": above or below, the
/// horizontal part of the distance is not known.
struct RelativeStage {
  /// What of a position one row of a recording determines.
  struct Relative {
    var position: Vector<3>
    var covariance: Matrix<3, 3>
  }

  let angleSigma: Double
  /// The frame in which the device counts directions.
  var frame = DeviceFrame.phone

  /// The relative position that row `index` determines, at `distance` metres with standard deviation
  /// `sigma`; nil where the row has no direction.
  func position(
    of index: Int, in ranges: RangeColumns, distance: Double, sigma: Double
  ) -> Relative? {
    if let direction = ranges.deviceDirection(at: index, in: frame) {
      return spread(along: direction.inDeviceFrame, distance: distance, sigma: sigma)
    }
    guard let angle = ranges.horizontalAngle?[index], angle.isFinite,
      ranges.verticalEstimate?[index] == UInt8(VerticalEstimate.same.rawValue),
      let direction = Direction(horizontalAngle: Angle(radians: frame.azimuthToTheRight(angle))),
      var relative = spread(along: direction.inDeviceFrame, distance: distance, sigma: sigma)
    else { return nil }
    relative.position[1] = .nan
    for axis in 0..<3 {
      relative.covariance[1, axis] = .nan
      relative.covariance[axis, 1] = .nan
    }
    return relative
  }

  /// Distance uncertain along the direction, angles across it.
  private func spread(along unit: Vector<3>, distance: Double, sigma: Double) -> Relative? {
    let across = distance * angleSigma
    var covariance = Matrix<3, 3>.zero
    for row in 0..<3 {
      for column in 0..<3 {
        let outer = unit[row] * unit[column]
        covariance[row, column] =
          sigma * sigma * outer + across * across * ((row == column ? 1 : 0) - outer)
      }
    }
    let position = distance * unit
    guard position.isFinite else { return nil }
    return Relative(position: position, covariance: covariance)
  }
}

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
