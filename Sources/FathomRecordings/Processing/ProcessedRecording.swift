import Fathom

/// The results of one recording as columns, and what is to be said about it.
public struct ProcessedRecording: Sendable {
  /// The recording's name; results are named after it.
  public var name: String
  /// One row per usable range, in order of time.
  public var distances: DistanceColumns
  /// Positions in order of time.
  public var positions: PositionColumns
  /// Zones on the floor plan entered and left, in order of time.
  public var zones = ZoneColumns()
  /// What was set aside, in the order of the file.
  public var rejected: [RejectedRow]
  /// Counts, rates, consistency, warnings.
  public var summary: RecordingSummary
}

/// Smoothed distances and what was decided about each range; NaN where a number is not determined.
public struct DistanceColumns: Sendable {
  /// When each range was measured.
  public var time: [Timestamp] = []
  /// Names of the tags.
  public var tag: [String] = []
  /// Names of the anchors or accessories.
  public var anchor: [String] = []
  /// Measured distance, metres.
  public var distance: [Double] = []
  /// Smoothed distance, metres.
  public var smoothed: [Double] = []
  /// Standard deviation of the smoothed distance, metres.
  public var sigma: [Double] = []
  /// Verdict of the ``MeasurementQualityEstimator``.
  public var quality: [MeasurementQuality] = []
  /// The innermost zone that the smoothed distance is in.
  public var zone: [Zone] = []
  /// Azimuth, radians: as recorded, otherwise from the direction, positive to the right.
  public var azimuth: [Double] = []
  /// Elevation, radians: as recorded, otherwise from the direction.
  public var elevation: [Double] = []
  /// What the position method made of the range.
  public var decision: [Decision] = []

  /// The zones of the preset of ``ProximityZones``.
  public enum Zone: String, Sendable, Hashable, CaseIterable {
    /// Within the smaller radius.
    case inner
    /// Within the larger radius only.
    case outer
    /// In neither.
    case outside
  }

  /// What was made of a range.
  public enum Decision: String, Sendable, Hashable, CaseIterable {
    /// It went into a position, or, without anchors, into the smoothed distance.
    case used
    /// It went in with less than half its weight.
    case discounted
    /// It went in with less than half its weight, being so much too long that it came on a detour.
    case nonLineOfSight = "nlos"
    /// It came before the position was determined, and helped to determine it.
    case starting
    /// It repeats a range of the same link and instant.
    case duplicate
    /// It did not go into any position.
    case unused
  }
}

/// Positions with covariances; NaN where a number is not determined.
public struct PositionColumns: Sendable {
  /// The instant of each position.
  public var time: [Timestamp] = []
  /// Name of what was located: the tag; in a recording without anchors the accessory.
  public var tag: [String] = []
  /// Position, metres: in the world frame; without anchors in the device frame.
  public var position: [Vector<3>] = []
  /// Covariance of the position, m².
  public var covariance: [Matrix<3, 3>] = []
  /// Ranges at this instant (or in this epoch) that went in.
  public var used: [Int] = []
  /// Ranges at this instant (or in this epoch) that did not.
  public var rejected: [Int] = []
  /// How the position came about.
  public var status: [Status] = []

  /// How a position came about.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// Solved from the ranges of one epoch.
    case fix
    /// Solved from the ranges of one epoch, which contradict each other.
    case inconsistent
    /// Two positions explain the ranges; coordinates in which they differ are left empty by `fix`.
    case ambiguous
    /// Followed by the filter.
    case tracking
    /// Carried on by the filter without ranges.
    case coasting
    /// The filter has not started: no position.
    case starting
    /// Relative to the device that measured, from distance and direction.
    case relative
  }

  /// No positions.
  package init() {}

  /// The number of positions.
  public var count: Int { time.count }

  /// Adds a position.
  package mutating func append(
    _ time: Timestamp, _ tag: String, _ position: Vector<3>, _ covariance: Matrix<3, 3>,
    used: Int, rejected: Int, status: Status
  ) {
    self.time.append(time)
    self.tag.append(tag)
    self.position.append(position)
    self.covariance.append(covariance)
    self.used.append(used)
    self.rejected.append(rejected)
    self.status.append(status)
  }

  /// The position at `index`, but for its name.
  func row(at index: Int) -> PositionRow {
    PositionRow(
      time: time[index], position: position[index], covariance: covariance[index],
      used: used[index], rejected: rejected[index], status: status[index])
  }

  mutating func reserveCapacity(_ count: Int) {
    time.reserveCapacity(count)
    tag.reserveCapacity(count)
    position.reserveCapacity(count)
    covariance.reserveCapacity(count)
    used.reserveCapacity(count)
    rejected.reserveCapacity(count)
    status.reserveCapacity(count)
  }
}

extension Vector {
  /// The vector whose elements are all undetermined.
  static var undetermined: Self { Self(repeating: .nan) }
}

extension Matrix {
  /// The matrix whose elements are all undetermined.
  static var undetermined: Self { Self(repeating: .nan) }
}
