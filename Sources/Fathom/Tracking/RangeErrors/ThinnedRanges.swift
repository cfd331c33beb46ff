/// The ranges of a tag that are worth a look where motion over seconds is in question.
///
/// Ranges of a link that follow each other within a tenth of a second say little new: only the
/// first of them is kept.
package struct ThinnedRanges: Sendable, Equatable {
  /// The ranges kept, in order of time.
  package private(set) var ranges: [RangeMeasurement] = []
  private var last: [Timestamp?]
  private let limit: Int

  /// Ranges of a link more often than this say little new, per second.
  private static let greatestRate = 10.0

  /// Nothing before the first range.
  ///
  /// - Parameters:
  ///   - anchorCount: ranges to anchors 0 to `anchorCount` - 1 are kept.
  ///   - limit: the most ranges kept.
  package init(anchorCount: Int, limit: Int = .max) {
    last = Array(repeating: nil, count: anchorCount)
    self.limit = limit
  }

  /// Whether further ranges make no difference.
  package var isFull: Bool { ranges.count >= limit }

  /// Takes in the range that follows in time.
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

extension RangeMeasurement {
  /// Whether distance and sigma are what they can be; a sigma beyond any radio would drown all
  /// others.
  var isUsable: Bool {
    MeasuredDistance.validated(distance) != nil && sigma.map((1e-6...1e9).contains) ?? true
  }
}
