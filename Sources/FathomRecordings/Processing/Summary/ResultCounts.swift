/// Counts of decisions and position statuses, for the summary.
struct ResultCounts: Sendable {
  private var ofDecisions = Counts<DistanceColumns.Decision>()
  private var ofPositions = Counts<PositionColumns.Status>()

  /// The number of ranges by decision, for the decisions that occur.
  var decisions: [String: Int] { ofDecisions.named }

  /// The number of positions by status, for the statuses that occur.
  var positions: [String: Int] { ofPositions.named }

  /// Adds the results and positions of one tag.
  mutating func add(_ results: [RangeResult], _ positions: [PositionRow]) {
    ofDecisions.add(results.lazy.map(\.decision))
    ofPositions.add(positions.lazy.map(\.status))
  }

  /// Adds the counts of `other`.
  mutating func add(_ other: Self) {
    ofDecisions.add(other.ofDecisions)
    ofPositions.add(other.ofPositions)
  }
}

/// The number of occurrences of each case.
private struct Counts<Case: RawRepresentable<String> & Hashable & Sendable>: Sendable {
  private var counts: [Case: Int] = [:]

  /// Counts `elements`, in which long runs of equal elements are expected.
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

  /// Adds the counts of `other`.
  mutating func add(_ other: Self) { counts.merge(other.counts, uniquingKeysWith: +) }

  /// The counts of the cases that occur, by raw value.
  var named: [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.map { ($0.rawValue, $1) })
  }
}
