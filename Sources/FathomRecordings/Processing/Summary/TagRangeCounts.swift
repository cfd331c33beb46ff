import Fathom

/// The numbers of ranges between tags, by how they were used.
struct TagRangeCounts: Sendable, Equatable {
  private var counts: [DistanceColumns.Decision: Int] = [:]
  /// Whether the joint equations were too large.
  var isTooLarge = false

  /// The number of ranges that were used so.
  subscript(decision: DistanceColumns.Decision) -> Int { counts[decision] ?? 0 }

  /// Adds `count` ranges that were used alike.
  mutating func add(decision: DistanceColumns.Decision, count: Int = 1) {
    if count > 0 { counts[decision, default: 0] += count }
  }

  mutating func add(_ outcome: TrackUpdate.Outcome) {
    switch outcome {
    case .used: add(decision: .used)
    case .discounted: add(decision: .discounted)
    case .starting, .started: add(decision: .starting)
    case .duplicate: add(decision: .duplicate)
    case .late, .invalid: add(decision: .unused)
    }
  }

  mutating func add(_ verdict: RangeVerdict) {
    switch verdict {
    case .used: add(decision: .used)
    case .discounted, .nonLineOfSight: add(decision: .discounted)
    case .duplicate: add(decision: .duplicate)
    case .invalid: add(decision: .unused)
    }
  }

  mutating func add(_ other: Self) {
    counts.merge(other.counts, uniquingKeysWith: +)
    isTooLarge = isTooLarge || other.isTooLarge
  }

  /// The numbers by the word of the decision, of those that occur.
  var named: [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.map { ($0.rawValue, $1) })
  }
}
