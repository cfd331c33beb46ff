import Fathom

/// Positions with covariances; NaN marks an undetermined number.
public struct PositionColumns: Sendable {
  /// The instant of each position.
  public var time: [Timestamp] = []
  /// Name of the located object: the tag or, in a recording without anchors, the accessory.
  public var tag: [String] = []
  /// Position, metres: in the world frame or, without anchors, in the device frame.
  public var position: [Vector<3>] = []
  /// Covariance of the position, m².
  public var covariance: [Matrix<3, 3>] = []
  /// Number of ranges of this instant or epoch that contributed.
  public var used: [Int] = []
  /// Number of ranges of this instant or epoch that did not contribute.
  public var rejected: [Int] = []
  /// How each position was obtained.
  public var status: [Status] = []
  /// The other position of each ambiguous one that has one, in metres, by index.
  ///
  /// It is the mirror image, or for the method `fix` the likeliest of the others.
  public private(set) var alternatives: [Int: Vector<3>] = [:]

  /// How a position was obtained.
  public enum Status: UInt8, ResultWord {
    /// Solved from the ranges of one epoch.
    case fix
    /// Solved from the ranges of one epoch, which contradict each other; or, by any method, while a
    /// diagnosis is certain that a name, the place of an anchor, a height or a unit is wrong.
    case inconsistent
    /// Another position explains the ranges as well. The method `fix` gives the one nearest to its
    /// last unambiguous position, with a covariance that reaches the others.
    case ambiguous
    /// Estimated by the filter.
    case tracking
    /// Predicted by the filter without ranges.
    case coasting
    /// The filter has not started; there is no position.
    case starting
    /// Computed from distance and direction, relative to the measuring device.
    case relative

    /// The words of all cases, in the order of their codes.
    public static let words = [
      "fix", "inconsistent", "ambiguous", "tracking", "coasting", "starting", "relative",
    ]

    /// Whether a position is stated without doubt: within five of its standard deviations, or a warning
    /// says why not.
    var isCertain: Bool { self == .fix || self == .tracking }
  }

  /// Creates empty columns.
  package init() {}

  /// The number of positions.
  public var count: Int { time.count }

  /// Appends a position.
  package mutating func append(
    _ time: Timestamp, _ tag: String, _ position: Vector<3>, _ covariance: Matrix<3, 3>,
    used: Int, rejected: Int, status: Status, alternative: Vector<3>? = nil
  ) {
    if let alternative { alternatives[self.time.count] = alternative }
    self.time.append(time)
    self.tag.append(tag)
    self.position.append(position)
    self.covariance.append(covariance)
    self.used.append(used)
    self.rejected.append(rejected)
    self.status.append(status)
  }

  /// Returns the position at `index` without its name.
  func row(at index: Int) -> PositionRow {
    PositionRow(
      time: time[index], position: position[index], covariance: covariance[index],
      used: used[index], rejected: rejected[index], alternative: alternatives[index],
      status: status[index])
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

/// One output position; NaN marks an undetermined number.
package struct PositionRow: Sendable {
  /// The instant of the position.
  var time: Timestamp
  /// Position, metres: in the world frame or, without anchors, in the device frame.
  var position: Vector<3>
  /// Covariance of the position, m².
  var covariance: Matrix<3, 3>
  /// Number of ranges of this instant or epoch that contributed.
  var used: Int
  /// Number of ranges of this instant or epoch that did not contribute.
  var rejected: Int
  /// Without anchors, the index of the located accessory; otherwise 0.
  var accessory: Int32 = 0
  /// The other position of an ambiguous one, metres.
  var alternative: Vector<3>?
  /// How the position was obtained.
  var status: PositionColumns.Status

  /// Creates a row with the given values.
  package init(
    time: Timestamp, position: Vector<3>, covariance: Matrix<3, 3>, used: Int, rejected: Int,
    accessory: Int32 = 0, alternative: Vector<3>? = nil, status: PositionColumns.Status
  ) {
    (self.time, self.position, self.covariance) = (time, position, covariance)
    (self.used, self.rejected) = (used, rejected)
    (self.accessory, self.alternative, self.status) = (accessory, alternative, status)
  }
}

extension PositionRow {
  /// Creates a row from an estimate of a track.
  init(_ estimate: TrackEstimate, used: Int, rejected: Int) {
    self.init(
      time: estimate.time, position: estimate.position, covariance: estimate.covariance,
      used: used, rejected: rejected, alternative: estimate.alternative,
      status: PositionColumns.Status(estimate.status))
  }

  /// Returns a row that states that the tag has no position yet.
  static func starting(at time: Timestamp, used: Int, rejected: Int) -> Self {
    Self(
      time: time, position: .undetermined, covariance: .undetermined, used: used,
      rejected: rejected, status: .starting)
  }
}

extension [PositionRow] {
  /// Returns all rows and leaves the array empty.
  mutating func removed() -> [PositionRow] {
    let rows = self
    self = []
    return rows
  }
}

extension PositionColumns.Status {
  /// Returns the status that corresponds to the status of a track estimate.
  init(_ status: TrackEstimate.Status) {
    switch status {
    case .tracking: self = .tracking
    case .ambiguous: self = .ambiguous
    case .coasting: self = .coasting
    }
  }
}

extension Vector {
  /// A vector whose elements are all undetermined.
  static var undetermined: Self { Self(repeating: .nan) }
}

extension Matrix {
  /// A matrix whose elements are all undetermined.
  static var undetermined: Self { Self(repeating: .nan) }
}

extension EstimatedTrack {
  /// Returns the tracks in `columns`, by tag name.
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
