/// A subset of the ranges of a tag that is sufficient for motion over seconds.
///
/// Ranges of a link within a tenth of a second contain little new information: only the first of
/// them is kept.
package struct ThinnedRanges: Sendable, Equatable {
  /// The ranges kept, in order of time.
  package private(set) var ranges: [RangeMeasurement] = []
  private var last: [Timestamp?]
  private let limit: Int

  /// Highest rate kept per link, in ranges per second.
  private static let greatestRate = 10.0

  /// Creates an empty subset of at most `limit` ranges to anchors 0 to `anchorCount` - 1.
  package init(anchorCount: Int, limit: Int = .max) {
    last = Array(repeating: nil, count: anchorCount)
    self.limit = limit
  }

  /// Whether the limit is reached.
  package var isFull: Bool { ranges.count >= limit }

  /// Adds the next range in order of time.
  package mutating func add(_ range: RangeMeasurement) {
    guard !isFull, last.indices.contains(range.anchor), range.isUsable else { return }
    if let before = last[range.anchor],
      range.time.seconds(since: before) < 0.999 / Self.greatestRate
    {
      return
    }
    last[range.anchor] = range.time
    ranges.append(range)
  }
}
