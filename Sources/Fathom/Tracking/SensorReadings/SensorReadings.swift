/// The measurements of a tag beside its ranges, each kind in order of time.
public struct SensorReadings: Sendable, Equatable {
  /// Measured heights.
  public var heights: [HeightMeasurement]
  /// Increments of odometry.
  public var odometry: [OdometryIncrement]

  /// Creates the measurements of a tag, each kind in order of time.
  public init(heights: [HeightMeasurement] = [], odometry: [OdometryIncrement] = []) {
    self.heights = heights
    self.odometry = odometry
  }

  /// Whether there are none.
  public var isEmpty: Bool { heights.isEmpty && odometry.isEmpty }
}
