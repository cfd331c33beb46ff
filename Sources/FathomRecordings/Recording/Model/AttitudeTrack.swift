import Fathom

/// The attitude of one device over time.
struct AttitudeTrack: Sendable, Equatable {
  /// Times, in non-decreasing order.
  let times: [Timestamp]
  private let attitudes: [Attitude]

  /// Maximum time between an attitude and an instant at which it is used, in seconds.
  static let reach = 1.0

  /// Creates a track of equally many times and attitudes, sorted by time; simultaneous entries keep
  /// their order.
  init(times: [Timestamp] = [], attitudes: [Attitude] = []) {
    precondition(times.count == attitudes.count, "times and attitudes must have equal length")
    let order = times.indicesByTime { $0 }
    self.times = order.map { times[$0] }
    self.attitudes = order.map { attitudes[$0] }
  }

  /// Returns the attitude at `time`, interpolated along the shortest rotation between the attitudes
  /// before and after when both are within ``reach``.
  ///
  /// When only one is within reach, it is returned; nil when neither is.
  ///
  /// The last of several simultaneous attitudes counts. Cost: O(log count).
  func attitude(at time: Timestamp) -> Attitude? {
    let after = times.firstPlace { $0 > time }
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
