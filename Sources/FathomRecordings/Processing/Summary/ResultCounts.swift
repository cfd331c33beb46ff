/// How often what came of ranges and positions, for the summary.
struct ResultCounts: Sendable {
  private var ofDecisions = Counts<DistanceColumns.Decision>()
  private var ofPositions = Counts<PositionColumns.Status>()

  /// How often each decision was made of a range, of those that occur.
  var decisions: [String: Int] { ofDecisions.named }

  /// How many positions there are of each status, of those that occur.
  var positions: [String: Int] { ofPositions.named }

  /// Counts what came of the ranges of one tag.
  mutating func add(_ results: [RangeResult], _ positions: [PositionRow]) {
    ofDecisions.add(results.lazy.map(\.decision))
    ofPositions.add(positions.lazy.map(\.status))
  }

  /// Takes over what was counted elsewhere.
  mutating func add(_ other: Self) {
    ofDecisions.add(other.ofDecisions)
    ofPositions.add(other.ofPositions)
  }
}

/// How often each case of a few occurs.
private struct Counts<Case: RawRepresentable<String> & Hashable & Sendable>: Sendable {
  private var counts: [Case: Int] = [:]

  /// Counts `elements`, of which mostly many in a row are the same.
  mutating func add(_ elements: some Collection<Case>) {
    guard var current = elements.first else { return }
    var run = 0
    for element in elements {
      if element == current {
        run += 1
      } else {
        counts[current, default: 0] += run
        (current, run) = (element, 1)
      }
    }
    counts[current, default: 0] += run
  }

  /// Takes over what was counted elsewhere.
  mutating func add(_ other: Self) { counts.merge(other.counts, uniquingKeysWith: +) }

  /// The counts of those that occur.
  var named: [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.map { ($0.rawValue, $1) })
  }
}
