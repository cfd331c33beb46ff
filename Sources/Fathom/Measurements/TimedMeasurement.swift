/// A measurement of one tag, of any kind, with its time: what trackers and smoothers process.
///
/// ```swift
/// for measurement in measurements.sorted(by: TimedMeasurement.precedes) {
///   tracker.update(measurement)
/// }
/// ```
public enum TimedMeasurement: Sendable, Equatable {
  /// A distance to an anchor.
  case range(RangeMeasurement)
  /// A difference of the distances to two anchors.
  case difference(TimedDifference)
  /// A direction to an anchor.
  indirect case direction(DirectionMeasurement)
  /// A height of the tag.
  case height(HeightMeasurement)
  /// A motion of the vehicle that carries the tag.
  case odometry(OdometryIncrement)
  /// A reading of an accelerometer and a gyroscope.
  case inertial(InertialMeasurement)
  /// An interruption of the session, after which the tag may be anywhere.
  case interruption(Timestamp)

  /// The time of the measurement: that at which an interval of odometry ends.
  public var time: Timestamp {
    switch self {
    case .range(let range): range.time
    case .difference(let difference): difference.time
    case .direction(let direction): direction.time
    case .height(let height): height.time
    case .odometry(let increment): increment.end
    case .inertial(let reading): reading.time
    case .interruption(let time): time
    }
  }

  /// Whether `first` is processed before `second`: in order of time; of one instant in order of
  /// kind, then of anchor, then of distance.
  ///
  /// What predicts the motion up to an instant (inertial data, odometry) comes before what is measured
  /// there, and a direction after the range of its anchor.
  public static func precedes(_ first: Self, _ second: Self) -> Bool {
    let (one, other) = (first.time, second.time)
    guard one == other else { return one < other }
    let (a, b) = (first.key, second.key)
    return (a.kind, a.anchor, a.metres) < (b.kind, b.anchor, b.metres)
  }

  /// The order of measurements of one instant.
  private var key: (kind: Int, anchor: Int, metres: Double) {
    switch self {
    case .inertial: (0, 0, 0)
    case .odometry: (1, 0, 0)
    case .height(let height): (2, 0, height.height)
    case .difference(let difference): (3, difference.first, Double(difference.second))
    case .range(let range): (4, range.anchor, range.distance)
    case .direction(let direction): (5, direction.anchor, 0)
    case .interruption: (6, 0, 0)
    }
  }

  /// A kind of measurement.
  package enum Kind: Sendable, CaseIterable {
    case range, difference, direction, height, odometry, inertial, interruption
  }

  /// The kind of the measurement.
  package var kind: Kind {
    switch self {
    case .range: .range
    case .difference: .difference
    case .direction: .direction
    case .height: .height
    case .odometry: .odometry
    case .inertial: .inertial
    case .interruption: .interruption
    }
  }

  /// Whether its numbers are possible, and its anchors among `anchors`.
  package func isUsable(among anchors: [Anchor]) -> Bool {
    switch self {
    case .range(let range): anchors.indices.contains(range.anchor) && range.isUsable
    case .difference(let difference): difference.isUsable(among: anchors)
    case .direction(let direction): anchors.indices.contains(direction.anchor)
    case .height(let height): height.isUsable
    case .odometry(let increment): increment.isUsable
    case .inertial(let reading): reading.isUsable
    case .interruption: true
    }
  }
}
