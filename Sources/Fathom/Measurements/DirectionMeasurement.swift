/// A direction in which a tag measured an anchor.
public struct DirectionMeasurement: Sendable, Equatable {
  /// The time of the measurement.
  public var time: Timestamp
  /// The index of the anchor.
  public var anchor: Int
  /// The spherical azimuth of the anchor in the tag's frame, positive to the right, as defined by
  /// ``FullSphere``; nil if it was not measured.
  public var azimuth: Angle?
  /// The elevation of the anchor, positive upwards; nil if it was not measured.
  public var elevation: Angle?
  /// The tag's axes right, up and back as columns in the world frame; see
  /// ``Sighting/upright(facing:)``.
  public var attitude: Matrix<3, 3>
  /// The standard deviation of both angles.
  public var sigma: Angle

  /// Creates a direction to the anchor with index `anchor`.
  public init(
    time: Timestamp, anchor: Int, azimuth: Angle? = nil, elevation: Angle? = nil,
    attitude: Matrix<3, 3>, sigma: Angle
  ) {
    self.time = time
    self.anchor = anchor
    self.azimuth = azimuth
    self.elevation = elevation
    self.attitude = attitude
    self.sigma = sigma
  }
}
