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

  /// Returns the number of measurements of a kind.
  package func count(of kind: TimedMeasurement.Kind) -> Int {
    switch kind {
    case .height: heights.count
    case .odometry: odometry.count
    case .difference: differences.count
    case .inertial: inertial.count
    case .range, .direction, .interruption: 0
    }
  }

  /// Adds a measurement that is no range, in order of time.
  package mutating func add(_ measurement: TimedMeasurement) {
    add(measurement, after: (0, 0, 0, 0))
  }

  /// Numbers of inertial readings, increments, heights and differences.
  fileprivate typealias Counts = (inertial: Int, odometry: Int, height: Int, difference: Int)

  /// Adds a measurement in order of time, behind the first ones of each kind.
  fileprivate mutating func add(_ measurement: TimedMeasurement, after first: Counts) {
    switch measurement {
    case .height(let height): heights.insert(height, after: first.height, by: \.time)
    case .odometry(let increment): odometry.insert(increment, after: first.odometry, by: \.end)
    case .inertial(let reading): inertial.insert(reading, after: first.inertial, by: \.time)
    case .difference(let difference):
      let place = differences.insert(difference, after: first.difference, by: \.time)
      let begin =
        differences[first.difference..<place].lastIndex { $0.time < difference.time }
        .map { $0 + 1 } ?? first.difference
      differences[begin...place].turnToReferences()
    case .range, .direction, .interruption: break
    }
  }

  /// Removes the measurements before `time`, and of each kind all but the last `most`.
  package mutating func removeAll(before time: Timestamp, keeping most: Int) {
    heights.removeFirst(before: time, keeping: most, by: \.time)
    odometry.removeFirst(before: time, keeping: most, by: \.end)
    differences.removeFirst(before: time, keeping: most, by: \.time)
    inertial.removeFirst(before: time, keeping: most, by: \.time)
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

  /// Inserts an element in order of time, at the place `first` or behind it; returns its place.
  @discardableResult
  fileprivate mutating func insert(
    _ element: Element, after first: Int, by time: (Element) -> Timestamp
  ) -> Int {
    var place = count
    while place > first, time(self[place - 1]) > time(element) { place -= 1 }
    insert(element, at: place)
    return place
  }

  fileprivate mutating func removeFirst(
    before limit: Timestamp, keeping most: Int, by time: (Element) -> Timestamp
  ) {
    let old = prefix { time($0) < limit }.count
    removeFirst(Swift.max(old, count - most))
  }
}

extension MutableCollection where Element == TimedDifference, Index == Int {
  /// Exchanges anchors, so that the one which all differences of an instant have in common is the first:
  /// the reference of the transmission.
  package mutating func turnToReferences() {
    var begin = startIndex
    while begin < endIndex {
      var end = begin + 1
      while end < endIndex, self[end].time == self[begin].time { end += 1 }
      if end - begin > 1 {
        let instant = self[begin..<end]
        let reference = [self[begin].first, self[begin].second].first { anchor in
          instant.allSatisfy { $0.first == anchor || $0.second == anchor }
        }
        for index in begin..<end where self[index].second == reference {
          self[index] = TimedDifference(
            time: self[index].time, first: self[index].second, second: self[index].first,
            difference: -self[index].difference)
        }
      }
      begin = end
    }
  }
}

/// The readings of a tag beside its ranges, taken one by one in order of time.
///
/// Of one instant inertial data come first, then odometry, heights and differences, as in
/// ``TimedMeasurement/precedes(_:_:)``.
package struct SensorQueue: Sendable {
  private var readings: SensorReadings
  private var inertial = 0
  private var odometry = 0
  private var height = 0
  private var difference = 0

  /// Creates a queue of `readings`.
  package init(_ readings: SensorReadings) { self.readings = readings }

  /// Adds a measurement that is no range; one before the last that was removed is the next.
  package mutating func add(_ measurement: TimedMeasurement) {
    // What was removed stays in memory until it is most of it.
    if inertial + odometry + height + difference > Self.mostRemoved {
      readings.inertial.removeFirst(inertial)
      readings.odometry.removeFirst(odometry)
      readings.heights.removeFirst(height)
      readings.differences.removeFirst(difference)
      (inertial, odometry, height, difference) = (0, 0, 0, 0)
    }
    readings.add(measurement, after: (inertial, odometry, height, difference))
  }

  /// Measurements that were removed and still need memory.
  private static let mostRemoved = 1024

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
