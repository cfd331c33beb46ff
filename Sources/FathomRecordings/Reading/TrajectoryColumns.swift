import Fathom

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
