import Fathom

/// How one device was held over time, in order of time.
struct AttitudeTrack: Sendable, Equatable {
  /// The instants, never falling.
  let times: [Timestamp]
  private let attitudes: [Attitude]

  /// An attitude says nothing about an instant farther away, seconds.
  static let reach = 1.0

  /// The track of the given instants and attitudes, equally many; put in order of time, entries of one
  /// instant in the order given.
  init(times: [Timestamp] = [], attitudes: [Attitude] = []) {
    precondition(times.count == attitudes.count, "as many instants as attitudes")
    let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    self.times = order.map { times[$0] }
    self.attitudes = order.map { attitudes[$0] }
  }

  /// The attitude at `time`: on the shortest way between those before and after where both are within
  /// ``reach``, else the one that is; nil where none is.
  ///
  /// Of several at one instant the last counts. Cost: log count.
  func attitude(at time: Timestamp) -> Attitude? {
    let after = times.partitioningIndex { $0 > time }
    let gapBefore = after > 0 ? time.seconds(since: times[after - 1]) : .infinity
    let gapAfter = after < times.count ? times[after].seconds(since: time) : .infinity
    switch (gapBefore <= Self.reach, gapAfter <= Self.reach) {
    case (true, true) where gapBefore > 0:
      return attitudes[after - 1].turned(
        towards: attitudes[after], by: gapBefore / (gapBefore + gapAfter))
    case (true, _): return attitudes[after - 1]
    case (false, true): return attitudes[after]
    case (false, false): return nil
    }
  }
}

extension [Timestamp] {
  /// The first index whose element is in the second part, of a list whose first part is not; `count`
  /// where none is.
  fileprivate func partitioningIndex(_ isInSecondPart: (Timestamp) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
