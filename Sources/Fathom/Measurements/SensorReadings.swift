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

  /// Puts each kind in order of time.
  mutating func sort() {
    heights.sortIfNeeded(by: \.time)
    odometry.sortIfNeeded(by: \.end)
    differences.sortIfNeeded(by: \.time)
    inertial.sortIfNeeded(by: \.time)
  }

  /// Whether there are none.
  public var isEmpty: Bool {
    heights.isEmpty && odometry.isEmpty && differences.isEmpty && inertial.isEmpty
  }
}

extension Array {
  /// Sorts the elements by a time; those of one instant keep their order.
  fileprivate mutating func sortIfNeeded(by time: (Element) -> Timestamp) {
    let isOrdered = zip(self, dropFirst()).allSatisfy { time($0) <= time($1) }
    guard !isOrdered else { return }
    let order = indices.sorted { (time(self[$0]), $0) < (time(self[$1]), $1) }
    self = order.map { self[$0] }
  }
}

/// The readings of a tag beside its ranges, taken one by one in order of time.
///
/// Of one instant inertial data come first, then odometry, heights and differences, as in
/// ``TimedMeasurement/precedes(_:_:)``.
package struct SensorQueue: Sendable {
  private let readings: SensorReadings
  private var inertial = 0
  private var odometry = 0
  private var height = 0
  private var difference = 0

  /// Creates a queue of `readings`.
  package init(_ readings: SensorReadings) { self.readings = readings }

  /// Removes and returns the next reading up to `time`; nil if all others are later.
  package mutating func next(upTo time: Timestamp) -> TimedMeasurement? {
    let ready = (
      inertial < readings.inertial.count ? readings.inertial[inertial].time : Self.never,
      odometry < readings.odometry.count ? readings.odometry[odometry].end : Self.never,
      height < readings.heights.count ? readings.heights[height].time : Self.never,
      difference < readings.differences.count ? readings.differences[difference].time : Self.never
    )
    let next = min(min(ready.0, ready.1), min(ready.2, ready.3))
    guard next <= time, next < Self.never else { return nil }
    if ready.0 == next {
      defer { inertial += 1 }
      return .inertial(readings.inertial[inertial])
    }
    if ready.1 == next {
      defer { odometry += 1 }
      return .odometry(readings.odometry[odometry])
    }
    if ready.2 == next {
      defer { height += 1 }
      return .height(readings.heights[height])
    }
    defer { difference += 1 }
    return .difference(readings.differences[difference])
  }

  /// After all readings.
  private static let never = Timestamp(nanoseconds: .max)
}
