import Fathom

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

/// A position as it was written down; NaN where a number is not determined.
struct PositionRow: Sendable {
  /// Its instant.
  var time: Timestamp
  /// Metres: in the world frame; without anchors in the device frame.
  var position: Vector<3>
  /// Covariance of the position, m².
  var covariance: Matrix<3, 3>
  /// Ranges at this instant (or in this epoch) that went in.
  var used: Int
  /// Ranges at this instant (or in this epoch) that did not.
  var rejected: Int
  /// Without anchors the place of the accessory that was located, otherwise 0.
  var accessory: Int32 = 0
  /// How it came about.
  var status: PositionColumns.Status
}

extension PositionRow {
  /// A position on a track.
  init(_ estimate: TrackEstimate, used: Int, rejected: Int) {
    self.init(
      time: estimate.time, position: estimate.position, covariance: estimate.covariance,
      used: used, rejected: rejected, status: PositionColumns.Status(estimate.status))
  }

  /// That there is no position yet.
  static func starting(at time: Timestamp, used: Int, rejected: Int) -> Self {
    Self(
      time: time, position: .undetermined, covariance: .undetermined, used: used,
      rejected: rejected, status: .starting)
  }
}

extension [PositionRow] {
  /// All rows, which are then here no longer.
  mutating func taken() -> [PositionRow] {
    let rows = self
    self = []
    return rows
  }
}

extension PositionColumns.Status {
  /// The status of a position on a track.
  init(_ status: TrackEstimate.Status) {
    switch status {
    case .tracking: self = .tracking
    case .ambiguous: self = .ambiguous
    case .coasting: self = .coasting
    }
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

extension EstimatedTrack {
  /// The tracks of `columns`, by the name of the tag.
  package static func tracks(of columns: PositionColumns) -> [String: EstimatedTrack] {
    var rows: [String: [Int]] = [:]
    for (row, tag) in columns.tag.enumerated() { rows[tag, default: []].append(row) }
    return rows.mapValues { rows in
      EstimatedTrack(
        times: rows.map { columns.time[$0] }, positions: rows.map { columns.position[$0] },
        covariances: rows.map { columns.covariance[$0] })
    }
  }
}
