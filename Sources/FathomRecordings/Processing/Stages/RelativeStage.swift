import Fathom

/// Computes positions of accessories relative to the measuring device, in a recording without
/// anchors.
///
/// Positions have x to the right, y up and z towards the user, for every device frame. A direction
/// vector, or a pair of azimuth and elevation, gives all three coordinates. A horizontal angle
/// alone gives x and z, provided that the vertical estimate is "same". Above or below, the
/// horizontal part of the distance is unknown.
struct RelativeStage {
  /// The position that one row of a recording determines; undetermined coordinates are NaN.
  struct Relative {
    var position: Vector<3>
    var covariance: Matrix<3, 3>
  }

  let angleSigma: Double
  /// The frame of the recorded directions.
  var frame = DeviceFrame.phone

  /// Returns the relative position of row `index`, at `distance` metres with standard deviation
  /// `sigma`; nil if the row has no usable direction.
  func position(
    of index: Int, in ranges: RangeColumns, distance: Double, sigma: Double
  ) -> Relative? {
    if let direction = ranges.deviceDirection(at: index, in: frame) {
      return place(in: direction, distance: distance, sigma: sigma)
    }
    guard let angle = ranges[.horizontalAngle]?[index], angle.isFinite,
      ranges[.verticalEstimate]?[index] == Double(VerticalEstimate.same.rawValue),
      let direction = Direction(horizontalAngle: Angle(radians: frame.azimuthToTheRight(angle))),
      var relative = place(in: direction, distance: distance, sigma: sigma)
    else { return nil }
    relative.position[1] = .nan
    for axis in 0..<3 {
      relative.covariance[1, axis] = .nan
      relative.covariance[axis, 1] = .nan
    }
    return relative
  }

  private func place(in direction: Direction, distance: Double, sigma: Double) -> Relative? {
    let position = distance * direction.inDeviceFrame
    guard position.isFinite else { return nil }
    return Relative(
      position: position,
      covariance: direction.covariance(
        at: distance, distanceSigma: sigma, angleSigma: Angle(radians: angleSigma)))
  }
}
