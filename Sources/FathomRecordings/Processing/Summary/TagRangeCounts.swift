import Fathom

/// The numbers of ranges between tags, by how they were used.
struct TagRangeCounts: Sendable, Equatable {
  var used = 0
  var discounted = 0
  var starting = 0
  var duplicate = 0
  var unused = 0
  /// Whether the joint equations were too large.
  var isTooLarge = false

  mutating func add(_ outcome: TrackUpdate.Outcome) {
    switch outcome {
    case .used: used += 1
    case .discounted: discounted += 1
    case .starting, .started: starting += 1
    case .duplicate: duplicate += 1
    case .late, .invalid: unused += 1
    }
  }

  mutating func add(_ verdict: RangeVerdict) {
    switch verdict {
    case .used: used += 1
    case .discounted, .nonLineOfSight: discounted += 1
    case .duplicate: duplicate += 1
    case .invalid: unused += 1
    }
  }

  mutating func add(_ other: Self) {
    used += other.used
    discounted += other.discounted
    starting += other.starting
    duplicate += other.duplicate
    unused += other.unused
    isTooLarge = isTooLarge || other.isTooLarge
  }

  /// The numbers by decision, of those that occur.
  var named: [String: Int] {
    let all = [
      "used": used, "discounted": discounted, "starting": starting, "duplicate": duplicate,
      "unused": unused,
    ]
    return all.filter { $0.value > 0 }
  }
}
