import Fathom

/// Estimated positions of one body in order of time, for comparison with truth.
///
/// Unlike a ``PositionTrack``, it may have instants without a position, and may have covariances.
public struct EstimatedTrack: Sendable, Equatable {
  /// Times, in non-decreasing order.
  public private(set) var times: [Timestamp]
  /// Positions at these times in the world frame, in metres; NaN for an undetermined coordinate.
  public private(set) var positions: [Vector<3>]
  /// Covariances of the positions in m², NaN for an undetermined coordinate; nil when none were
  /// given.
  public private(set) var covariances: [Matrix<3, 3>]?

  /// Creates a track of columns of equal length, sorted by time; simultaneous entries keep their
  /// order.
  public init(
    times: [Timestamp] = [], positions: [Vector<3>] = [], covariances: [Matrix<3, 3>]? = nil
  ) {
    precondition(times.count == positions.count, "times and positions must have equal length")
    precondition(
      covariances?.count ?? times.count == times.count,
      "times and covariances must have equal length")
    let order = times.indicesByTime { $0 }
    self.times = order.map { times[$0] }
    self.positions = order.map { positions[$0] }
    self.covariances = covariances.map { all in order.map { all[$0] } }
  }

  /// Number of instants, with or without a position.
  public var count: Int { times.count }
}

/// A collector of a file's rows, which forms the tracks of its tags.
struct TrajectoryColumns {
  private var times: [String: [Timestamp]] = [:]
  private var positions: [String: [Vector<3>]] = [:]
  private var covariances: [String: [Matrix<3, 3>]] = [:]

  /// Adds a row; either all rows of a tag have a covariance or none.
  mutating func append(
    _ time: Timestamp, tag: String = "", _ position: Vector<3>,
    covariance: Matrix<3, 3>? = nil
  ) {
    times[tag, default: []].append(time)
    positions[tag, default: []].append(position)
    if let covariance { covariances[tag, default: []].append(covariance) }
  }

  /// Tracks by tag.
  var tracks: [String: EstimatedTrack] {
    var tracks: [String: EstimatedTrack] = [:]
    for (tag, times) in times {
      tracks[tag] = EstimatedTrack(
        times: times, positions: positions[tag] ?? [], covariances: covariances[tag])
    }
    return tracks
  }
}
