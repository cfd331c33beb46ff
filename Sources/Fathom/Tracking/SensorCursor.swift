/// A place in the sensor readings of a tag, from which a tracker processes them in order of time.
package struct SensorCursor: Sendable {
  private let readings: SensorReadings
  private var height = 0
  private var increment = 0

  /// Creates a cursor at the first of `readings`.
  package init(_ readings: SensorReadings) { self.readings = readings }

  /// Whether readings follow.
  package var isAtEnd: Bool {
    height == readings.heights.count && increment == readings.odometry.count
  }

  /// Passes the readings up to `time` to `tracker`, in order of time; increments of odometry at their
  /// end, before heights of the same instant.
  package mutating func advance(upTo time: Timestamp, _ tracker: inout Tracker) {
    while true {
      let nextHeight = height < readings.heights.count ? readings.heights[height].time : nil
      let nextEnd = increment < readings.odometry.count ? readings.odometry[increment].end : nil
      if let end = nextEnd, end <= time, nextHeight.map({ end <= $0 }) ?? true {
        _ = tracker.update(readings.odometry[increment])
        increment += 1
      } else if let at = nextHeight, at <= time {
        _ = tracker.update(readings.heights[height])
        height += 1
      } else {
        return
      }
    }
  }
}
