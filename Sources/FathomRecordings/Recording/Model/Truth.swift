import Fathom

/// Positions of one body in order of time.
public struct PositionTrack: Sendable, Equatable {
  /// Times, in non-decreasing order.
  public private(set) var times: [Timestamp] = []
  /// Positions at these times in the world frame, in metres.
  public private(set) var positions: [Vector<3>] = []

  /// Creates a track of equally many times and positions, sorted by time; simultaneous entries keep
  /// their order.
  public init(times: [Timestamp] = [], positions: [Vector<3>] = []) {
    precondition(times.count == positions.count, "times and positions must have equal length")
    let order = times.indicesByTime { $0 }
    self.times = order.map { times[$0] }
    self.positions = order.map { positions[$0] }
  }

  /// Number of positions.
  public var count: Int { times.count }

  /// Returns the position at `time`, interpolated linearly between the two positions around it.
  ///
  /// ## Edge cases
  /// Returns nil before the first and after the last time, and when the two positions around `time`
  /// are more than `longestGap` apart: the path between them is unknown. A position exactly at
  /// `time` is returned only when the next one follows within `longestGap`. For the last position,
  /// the one before must be within `longestGap`. A single position is returned at its own time. The
  /// last of several simultaneous positions counts. Cost: O(log count).
  ///
  /// - Parameters:
  ///   - time: time of the position.
  ///   - longestGap: maximum interval to interpolate over, in seconds.
  /// - Returns: Position, in metres.
  public func position(at time: Timestamp, longestGap: Double) -> Vector<3>? {
    guard let first = times.first, let last = times.last, time >= first, time <= last else {
      return nil
    }
    let after = min(max(times.firstPlace { $0 > time }, 1), count - 1)
    guard after > 0 else { return positions[0] }
    let span = times[after].seconds(since: times[after - 1])
    guard span <= longestGap else { return nil }
    guard span > 0 else { return positions[after] }
    let weight = time.seconds(since: times[after - 1]) / span
    return positions[after - 1] + weight * (positions[after] - positions[after - 1])
  }
}

/// The true positions of the tags of a recording.
public struct Truth: Sendable, Equatable {
  /// Track of each tag by name; the name is empty when the file has no column `tag`.
  public var tracks: [String: PositionTrack]
  /// Whether the file has no heights: the z of all tracks is the known height of the tags, or 0.
  public var isPlanar = false
  /// Rejected rows, in the order of the file.
  public var rejected: RejectedRows
  /// Notes for the user on what the reader assumed.
  package var notes: [String] = []

  /// Creates truth with the given tracks.
  public init(tracks: [String: PositionTrack] = [:], rejected: RejectedRows = []) {
    self.tracks = tracks
    self.rejected = rejected
  }

  /// Returns the track of the tag called `tag`, or else the track without a tag name.
  public func track(of tag: String) -> PositionTrack? { tracks[tag] ?? tracks[""] }
}
