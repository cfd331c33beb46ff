import Fathom

/// Counts of the ranges of a link that agree with the track and of those that do not.
///
/// A range agrees if the position method gave it at least half of its weight: its residual is then
/// within the errors that the method expects of it. Ranges of an anchor that the diagnosis excludes
/// do not agree. A range says nothing if it started the track, repeats another one, or has no
/// position at its time.
struct LinkConsistency: Sendable, Equatable {
  private(set) var consistent = 0
  private(set) var inconsistent = 0

  /// The share of ranges that agree; nil without any that counts.
  var share: Double? {
    let count = consistent + inconsistent
    return count > 0 ? Double(consistent) / Double(count) : nil
  }

  /// Adds a range; `isExcluded` tells whether the diagnosis excludes it whatever the ranges before.
  @inline(__always)
  mutating func add(_ decision: DistanceColumns.Decision, isExcluded: @autoclosure () -> Bool) {
    switch Self.agrees(decision, isExcluded: isExcluded()) {
    case true?: consistent += 1
    case false?: inconsistent += 1
    case nil: break
    }
  }

  /// Adds the counts of `other`.
  mutating func add(_ other: Self) {
    consistent += other.consistent
    inconsistent += other.inconsistent
  }

  /// Returns whether a range agrees with the track; nil if it says nothing.
  @inline(__always)
  static func agrees(
    _ decision: DistanceColumns.Decision, isExcluded: @autoclosure () -> Bool
  ) -> Bool? {
    switch decision {
    case .used: true
    case .discounted, .nonLineOfSight: false
    case .unused: isExcluded() ? false : nil
    case .starting, .duplicate: nil
    }
  }
}

/// Whether each of the last 64 ranges of a link agreed with the track, for a live stream.
///
/// A link of 10 Hz has 64 ranges in about 6 s, the window of its other statistics.
struct RecentConsistency: Sendable, Equatable {
  /// A bit per range, the last one lowest.
  private var bits: UInt64 = 0
  private var count = 0

  /// The share of ranges that agree; nil before the first one.
  var share: Double? { count > 0 ? Double(bits.nonzeroBitCount) / Double(count) : nil }

  /// Adds a range; nil for one that says nothing.
  mutating func add(_ agrees: Bool?) {
    guard let agrees else { return }
    bits = bits << 1 | (agrees ? 1 : 0)
    count = min(count + 1, UInt64.bitWidth)
  }
}

/// The consistency of all links of a recording.
struct LinkConsistencies: Sendable {
  /// By the indices of tag and anchor.
  private var links: [UInt64: LinkConsistency] = [:]
  /// Counts of one tag in one slice, by anchor, and the anchors that have some.
  private var counts: [LinkConsistency] = []
  private var touched: [Int] = []

  private static func key(_ tag: Int, _ anchor: Int) -> UInt64 {
    UInt64(UInt32(truncatingIfNeeded: tag)) << 32 | UInt64(UInt32(truncatingIfNeeded: anchor))
  }

  /// Returns the counts of a link.
  func link(tag: Int, anchor: Int) -> LinkConsistency? { links[Self.key(tag, anchor)] }

  /// Adds the ranges of a slice, in order of time, with the final results of the ranges of each
  /// tag.
  mutating func add(
    _ slice: RecordingSlice, _ results: [[RangeResult]], _ excluded: ExcludedRanges
  ) {
    let ranges = slice.ranges
    for (tag, results) in results.enumerated() where !results.isEmpty {
      var next = 0
      for place in slice.places[tag] {
        guard case .range(let index) = slice.entries[Int(place)], next < results.count else {
          continue
        }
        let anchor = Int(ranges.anchor[index])
        while counts.count <= anchor { counts.append(LinkConsistency()) }
        if counts[anchor] == LinkConsistency() { touched.append(anchor) }
        counts[anchor].add(
          results[next].decision,
          isExcluded: excluded.contains(ranges.distance[index], to: anchor))
        next += 1
      }
      // The dictionary is used once per link of a slice, not for each range.
      for anchor in touched where counts[anchor] != LinkConsistency() {
        links[Self.key(tag, anchor), default: LinkConsistency()].add(counts[anchor])
        counts[anchor] = LinkConsistency()
      }
      touched.removeAll(keepingCapacity: true)
    }
  }
}

extension RecordingSummary.Link {
  /// Adds the share of ranges that agree with the track, which limits the score.
  mutating func add(_ consistency: LinkConsistency?) {
    consistent = consistency?.share
    score = LinkQuality.score(score, consistent: consistent)
  }
}
