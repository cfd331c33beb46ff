/// The measurements of a tag beside its ranges, each kind in order of time.
public struct SensorReadings: Sendable, Equatable {
  /// Measured heights.
  public var heights: [HeightMeasurement]
  /// Increments of odometry.
  public var odometry: [OdometryIncrement]
  /// Time differences of arrival.
  public var differences: [TimedDifference]

  /// Creates the measurements of a tag, each kind in order of time.
  public init(
    heights: [HeightMeasurement] = [], odometry: [OdometryIncrement] = [],
    differences: [TimedDifference] = []
  ) {
    self.heights = heights
    self.odometry = odometry
    self.differences = differences
  }

  /// Whether there are none.
  public var isEmpty: Bool { heights.isEmpty && odometry.isEmpty && differences.isEmpty }
}
