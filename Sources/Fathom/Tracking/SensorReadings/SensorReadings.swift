/// The measurements of a tag beside its ranges, each kind in order of time.
public struct SensorReadings: Sendable, Equatable {
  /// Measured heights.
  public var heights: [HeightMeasurement]
  /// Increments of odometry.
  public var odometry: [OdometryIncrement]
  /// Time differences of arrival.
  public var differences: [TimedDifference]
  /// Readings of an accelerometer and a gyroscope.
  public var inertial: [InertialMeasurement]

  /// Creates the measurements of a tag, each kind in order of time.
  public init(
    heights: [HeightMeasurement] = [], odometry: [OdometryIncrement] = [],
    differences: [TimedDifference] = [], inertial: [InertialMeasurement] = []
  ) {
    self.heights = heights
    self.odometry = odometry
    self.differences = differences
    self.inertial = inertial
  }

  /// Whether there are none.
  public var isEmpty: Bool {
    heights.isEmpty && odometry.isEmpty && differences.isEmpty && inertial.isEmpty
  }
}
