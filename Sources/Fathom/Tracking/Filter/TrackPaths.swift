/// The paths of all hypotheses of a tracker over a recording.
///
/// Where two hypotheses compete for long, what comes later decides. The path of a hypothesis is that of its
/// branch, back to its beginning, so the path of the one that leads at the end is that of the whole.
struct TrackPaths {
  /// Position and velocity of a track after a measurement.
  struct Point: Sendable {
    var position: Vector<3>
    var velocity: Vector<3>
  }

  /// The points of a hypothesis, by the number of the measurement, from where it branched from another one.
  private struct Branch {
    var origin: Int
    var points: [(number: Int, point: Point)] = []
  }

  private var branches: [Int: Branch] = [:]
  /// Whether there ever was more than one hypothesis.
  private(set) var hasBranches = false
  /// The branch of the leading hypothesis, which most points are of.
  private var leading = (identity: -1, branch: Branch(origin: -1))

  /// Adds the points of all hypotheses after measurement `number`, which increases.
  ///
  /// The tracker is tracking; `estimate` is that of its leading hypothesis, and `time` is not
  /// before its last measurement. `sign` is -1 for a tracker on a reversed time axis.
  mutating func add(
    _ tracker: inout Tracker, _ estimate: TrackEstimate, number: Int, at time: Timestamp,
    sign: Double = 1
  ) {
    if !tracker.hypotheses.isEmpty { hasBranches = true }
    for index in tracker.hypotheses.others.indices {
      let other = tracker.hypotheses.others[index]
      let found = tracker.hypotheses.others[index].filter.estimate(at: time)
      branches[other.identity, default: Branch(origin: other.origin)].points.append(
        (number, Point(position: found.position, velocity: sign * found.velocity)))
    }
    let identity = tracker.hypotheses.identity
    if leading.identity != identity {
      if leading.identity >= 0 { branches[leading.identity] = leading.branch }
      leading = (
        identity,
        branches.removeValue(forKey: identity) ?? Branch(origin: tracker.hypotheses.origin)
      )
    }
    leading.branch.points.append(
      (number, Point(position: estimate.position, velocity: sign * estimate.velocity)))
  }

  private func branch(_ identity: Int) -> Branch? {
    identity == leading.identity ? leading.branch : branches[identity]
  }

  /// Returns the path of a hypothesis, with a point or nil for each of `count` measurements.
  func path(of identity: Int, count: Int) -> [Point?] {
    var path = [Point?](repeating: nil, count: count)
    var next = identity
    while let branch = branch(next) {
      // What the track has of its own comes before what it shares with its origin.
      for (number, point) in branch.points where path[number] == nil { path[number] = point }
      next = branch.origin
    }
    return path
  }

  /// Returns the number of the first measurement at which two hypotheses were different ones; nil if one of
  /// them never was.
  func divergence(of one: Int, and other: Int) -> Int? {
    func lineage(_ identity: Int) -> [Int] {
      var (result, next) = ([Int](), identity)
      while let branch = branch(next) {
        result.append(next)
        next = branch.origin
      }
      return result
    }
    let (first, second) = (lineage(one), lineage(other))
    let shared = Set(first).intersection(second)
    let own = (first + second).filter { !shared.contains($0) }
    return own.compactMap { branch($0)?.points.first?.number }.min()
  }
}
