/// A place in the sensor readings of a tag, from which a tracker processes them in order of time.
package struct SensorCursor: Sendable {
  private let readings: SensorReadings
  private var height = 0
  private var increment = 0
  private var difference = 0
  private var reading = 0
  /// The number of differences that the tracker processed, and that it rejected.
  package private(set) var used = 0
  package private(set) var rejected = 0
  /// The normalised squares of the innovations of the differences since they were last taken.
  private var squares: [(time: Timestamp, square: Double)] = []

  /// Creates a cursor at the first of `readings`.
  package init(_ readings: SensorReadings) { self.readings = readings }

  /// Passes the readings up to `time` to `tracker`, in order of time; of one instant inertial
  /// data and increments of odometry, which end then, come first, and differences last.
  package mutating func advance(upTo time: Timestamp, _ tracker: inout Tracker) {
    while true {
      let end = increment < readings.odometry.count ? readings.odometry[increment].end : .never
      let level = height < readings.heights.count ? readings.heights[height].time : .never
      let arrival =
        difference < readings.differences.count ? readings.differences[difference].time : .never
      let inertial = reading < readings.inertial.count ? readings.inertial[reading].time : .never
      let next = min(min(end, level), min(arrival, inertial))
      guard next <= time, next < .never else { return }
      if inertial == next {
        _ = tracker.update(readings.inertial[reading])
        reading += 1
      } else if end == next {
        _ = tracker.update(readings.odometry[increment])
        increment += 1
      } else if level == next {
        _ = tracker.update(readings.heights[height])
        height += 1
      } else {
        let update = tracker.update(readings.differences[difference])
        if let square = update.innovation?.normalizedSquare { squares.append((next, square)) }
        switch update.outcome {
        case .late, .invalid, .duplicate, .discounted(weight: 0): rejected += 1
        default: used += 1
        }
        difference += 1
      }
    }
  }

  /// Returns the normalised squares of the differences since the last call, in order of time.
  package mutating func takeSquares() -> [(time: Timestamp, square: Double)] {
    defer { squares.removeAll(keepingCapacity: true) }
    return squares
  }
}

extension Timestamp {
  /// After all readings.
  fileprivate static let never = Timestamp(nanoseconds: .max)
}
