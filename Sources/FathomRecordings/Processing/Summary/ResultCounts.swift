import Fathom

/// Counts of decisions and position statuses, for the summary.
struct ResultCounts: Sendable {
  private var ofDecisions = WordCounts<DistanceColumns.Decision>()
  private var ofPositions = WordCounts<PositionColumns.Status>()

  /// The number of ranges by decision, for the decisions that occur.
  var decisions: [String: Int] { ofDecisions.named }

  /// The number of positions by status, for the statuses that occur.
  var positions: [String: Int] { ofPositions.named }

  /// Adds the results and positions of one tag.
  mutating func add(_ results: [RangeResult], _ positions: [PositionRow]) {
    for result in results { ofDecisions[result.decision] += 1 }
    for position in positions { ofPositions[position.status] += 1 }
  }

  /// Adds the counts of `other`.
  mutating func add(_ other: Self) {
    ofDecisions.add(other.ofDecisions)
    ofPositions.add(other.ofPositions)
  }
}

/// The numbers of ranges between tags, by how they were used.
struct TagRangeCounts: Sendable {
  var decisions = WordCounts<DistanceColumns.Decision>()
  /// Whether the joint equations were too large.
  var isTooLarge = false

  /// Adds a range for which a joint smoother has `verdict`.
  mutating func add(_ verdict: RangeVerdict) {
    let decision = DistanceColumns.Decision(verdict)
    decisions[decision == .nonLineOfSight ? .discounted : decision] += 1
  }

  /// Adds the counts of `other`.
  mutating func add(_ other: Self) {
    decisions.add(other.decisions)
    isTooLarge = isTooLarge || other.isTooLarge
  }
}

/// The number of occurrences of each word.
struct WordCounts<Word: ResultWord>: Sendable {
  private var counts = [Int](repeating: 0, count: Word.words.count)

  /// The number of occurrences of `word`.
  subscript(word: Word) -> Int {
    get { counts[Int(word.rawValue)] }
    set { counts[Int(word.rawValue)] = newValue }
  }

  /// Adds the counts of `other`.
  mutating func add(_ other: Self) {
    for code in counts.indices { counts[code] += other.counts[code] }
  }

  /// The counts of the words that occur.
  var named: [String: Int] {
    Dictionary(uniqueKeysWithValues: zip(Word.words, counts).filter { $0.1 > 0 })
  }
}
