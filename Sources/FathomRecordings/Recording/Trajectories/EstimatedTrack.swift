import Fathom

/// The positions of one body as somebody estimated them, in order of time: what is judged.
///
/// Unlike a ``PositionTrack`` it may have instants without a position, and says how sure it is.
public struct EstimatedTrack: Sendable, Equatable {
  /// The instants, never falling.
  public private(set) var times: [Timestamp]
  /// The positions at these instants, world frame, metres; NaN where a coordinate is not determined.
  public private(set) var positions: [Vector<3>]
  /// Their covariances, m², NaN where not determined; nil where none were given at all.
  public private(set) var covariances: [Matrix<3, 3>]?

  /// The track of the given columns, equally long; put in order of time, entries of one instant in the
  /// order given.
  public init(
    times: [Timestamp] = [], positions: [Vector<3>] = [], covariances: [Matrix<3, 3>]? = nil
  ) {
    precondition(times.count == positions.count, "as many instants as positions")
    precondition(covariances?.count ?? times.count == times.count, "as many covariances")
    self.times = times
    self.positions = positions
    self.covariances = covariances
    if zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) { return }
    let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    self.times = order.map { times[$0] }
    self.positions = order.map { positions[$0] }
    self.covariances = covariances.map { all in order.map { all[$0] } }
  }

  /// The number of instants, with or without a position.
  public var count: Int { times.count }
}

/// Puts the rows of a file together to tracks.
struct TrajectoryColumns {
  private var times: [String: [Timestamp]] = [:]
  private var positions: [String: [Vector<3>]] = [:]
  private var covariances: [String: [Matrix<3, 3>]] = [:]

  /// Adds a row; rows have a covariance all or none.
  mutating func append(
    _ time: Timestamp, tag: String = "", _ position: Vector<3>,
    covariance: Matrix<3, 3>? = nil
  ) {
    times[tag, default: []].append(time)
    positions[tag, default: []].append(position)
    if let covariance { covariances[tag, default: []].append(covariance) }
  }

  /// The tracks by tag.
  var tracks: [String: EstimatedTrack] {
    var tracks: [String: EstimatedTrack] = [:]
    for (tag, times) in times {
      tracks[tag] = EstimatedTrack(
        times: times, positions: positions[tag] ?? [], covariances: covariances[tag])
    }
    return tracks
  }
}
