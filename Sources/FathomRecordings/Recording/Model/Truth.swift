import Fathom

/// The positions of one body over time, in order of time.
public struct PositionTrack: Sendable, Equatable {
  /// The instants, never falling.
  public private(set) var times: [Timestamp] = []
  /// The positions at these instants, world frame, metres.
  public private(set) var positions: [Vector<3>] = []

  /// The track of the given instants and positions, equally many; put in order of time, entries of one
  /// instant in the order given.
  public init(times: [Timestamp] = [], positions: [Vector<3>] = []) {
    precondition(times.count == positions.count, "as many instants as positions")
    let isSorted = zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
    let order =
      isSorted
      ? Array(times.indices)
      : times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    self.times = order.map { times[$0] }
    self.positions = order.map { positions[$0] }
  }

  /// The number of positions.
  public var count: Int { times.count }

  /// The position at `time`, linearly between the two positions around it.
  ///
  /// ## Edge cases
  /// Nil before the first and after the last instant, and where the two positions around `time` lie
  /// more than `longestGap` apart: nobody knows the way between them. A position given for `time` itself
  /// is the answer only where the next one follows within `longestGap` (or is the last and close to
  /// the one before). Of several positions at one instant the last counts. Cost: log count.
  ///
  /// - Parameters:
  ///   - time: the instant.
  ///   - longestGap: the longest span to interpolate over, seconds.
  /// - Returns: the position, metres.
  public func position(at time: Timestamp, longestGap: Double) -> Vector<3>? {
    guard let first = times.first, let last = times.last, time >= first, time <= last else {
      return nil
    }
    let after = min(max(firstIndex(after: time), 1), count - 1)
    guard after > 0 else { return positions[0] }
    let span = times[after].seconds(since: times[after - 1])
    guard span <= longestGap else { return nil }
    guard span > 0 else { return positions[after] }
    let weight = time.seconds(since: times[after - 1]) / span
    return positions[after - 1] + weight * (positions[after] - positions[after - 1])
  }

  /// Index of the first entry later than `time`; `count` where there is none.
  private func firstIndex(after time: Timestamp) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Where the tags of a recording really were.
public struct Truth: Sendable, Equatable {
  /// The track of each tag by its name; the name is empty where the file has no column `tag`.
  public var tracks: [String: PositionTrack]
  /// Rows of the file that could not be used, in the order of the file.
  public var rejected: [RejectedRow]

  /// The truth of the given tracks.
  public init(tracks: [String: PositionTrack] = [:], rejected: [RejectedRow] = []) {
    self.tracks = tracks
    self.rejected = rejected
  }

  /// The track of the tag called `tag`: its own, or the one that names no tag.
  public func track(of tag: String) -> PositionTrack? { tracks[tag] ?? tracks[""] }
}
