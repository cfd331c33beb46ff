/// Ranges of many epochs to the same anchors, one column per anchor.
///
/// The layout that the batch solvers read: the ranges of one anchor lie side by side, so that the
/// same step of several epochs is one vector operation. What is no distance in the sense of
/// ``MeasuredDistance`` is set aside once, here, and never looked at again.
public struct EpochColumns: Sendable {
  /// Number of epochs.
  public let count: Int
  /// Number of anchors, the columns.
  public let anchorCount: Int
  /// Column after column, `stride` apart, metres; NaN where there is no range, and after the last.
  private(set) var ranges: [Double]

  /// How many epochs the batch solvers work on at once.
  static let lanes = 4
  /// The distance between columns: the number of epochs, rounded up to whole groups of lanes.
  var stride: Int { (count + Self.lanes - 1) / Self.lanes * Self.lanes }

  /// Epochs without ranges, to be filled in by ``subscript(_:_:)``.
  ///
  /// - Parameters:
  ///   - count: the number of epochs, not negative.
  ///   - anchorCount: the number of anchors, not negative.
  public init(count: Int, anchorCount: Int) {
    precondition(count >= 0 && anchorCount >= 0, "there cannot be less than none")
    self.count = count
    self.anchorCount = anchorCount
    ranges = []
    ranges = [Double](repeating: .nan, count: stride * anchorCount)
  }

  /// The epochs of columns.
  ///
  /// - Parameters:
  ///   - columns: per anchor its ranges, metres, all of one length; what is no distance is absent.
  ///   - zeroIsDistance: whether exactly zero is a measured distance.
  public init(columns: [[Double]], zeroIsDistance: Bool = false) {
    self.init(count: columns.first?.count ?? 0, anchorCount: columns.count)
    for (anchor, column) in columns.enumerated() {
      precondition(column.count == count, "columns differ in length")
      fill(anchor, 0..<count, from: column, first: 0, step: 1, zeroIsDistance)
    }
  }

  /// The epochs of a table with one epoch per row.
  ///
  /// - Parameters:
  ///   - rows: the ranges of the first epoch, then of the next, metres; what is no distance is
  ///     absent.
  ///   - anchorCount: the number of ranges per row, positive; it divides the number of ranges.
  ///   - zeroIsDistance: whether exactly zero is a measured distance.
  public init(rows: [Double], anchorCount: Int, zeroIsDistance: Bool = false) {
    precondition(
      anchorCount > 0 && rows.count.isMultiple(of: anchorCount), "rows are not of one length")
    self.init(count: rows.count / anchorCount, anchorCount: anchorCount)
    // Some rows at a time, which stay in the cache while their columns are picked.
    for start in Swift.stride(from: 0, to: count, by: 64) {
      let block = start..<min(count, start + 64)
      for anchor in 0..<anchorCount {
        fill(
          anchor, block, from: rows, first: start * anchorCount + anchor, step: anchorCount,
          zeroIsDistance)
      }
    }
  }

  /// The range of an epoch to an anchor, metres; nil where there is none.
  ///
  /// Setting a number that is no distance, zero included, makes the range absent.
  public subscript(epoch: Int, anchor: Int) -> Double? {
    get {
      let range = ranges[place(epoch, anchor)]
      return range.isNaN ? nil : range
    }
    set {
      ranges[place(epoch, anchor)] = newValue.flatMap { MeasuredDistance.validated($0) } ?? .nan
    }
  }

  private func place(_ epoch: Int, _ anchor: Int) -> Int {
    precondition(
      epoch >= 0 && epoch < count && anchor >= 0 && anchor < anchorCount, "no such range")
    return epoch + stride * anchor
  }

  /// Copies every `step`-th number of `source` from `first` to some epochs of a column.
  private mutating func fill(
    _ anchor: Int, _ block: Range<Int>, from source: [Double], first: Int, step: Int,
    _ zeroIsDistance: Bool
  ) {
    let start = stride * anchor
    let smallestSentinel = MeasuredDistance.smallestSentinel
    ranges.withUnsafeMutableBufferPointer { ranges in
      source.withUnsafeBufferPointer { source in
        var from = first
        for epoch in block {
          let range = source[from]
          // One comparison for what is usual; the rule itself decides about the rest.
          if range > 0, range < smallestSentinel {
            ranges[start + epoch] = range
          } else {
            ranges[start + epoch] =
              MeasuredDistance.validated(range, zeroIsDistance: zeroIsDistance) ?? .nan
          }
          from += step
        }
      }
    }
  }
}
