/// Ranges of many epochs to the same anchors, one column per anchor.
///
/// This is the layout of the batch solvers: the ranges of one anchor are contiguous, so that one
/// vector operation handles several epochs. Values that are not valid in the sense of
/// ``MeasuredDistance`` are rejected once, here.
public struct EpochColumns: Sendable {
  /// Number of epochs.
  public let count: Int
  /// Number of anchors, which is the number of columns.
  public let anchorCount: Int
  /// The columns, `stride` apart, metres; NaN for absent ranges and for padding.
  private(set) var ranges: [Double]

  /// Number of epochs that the batch solvers process at once.
  static let lanes = 4
  /// The distance between columns: the number of epochs, rounded up to whole groups of lanes.
  var stride: Int { (count + Self.lanes - 1) / Self.lanes * Self.lanes }

  /// Creates epochs without ranges, to be set through ``subscript(_:_:)``.
  ///
  /// - Parameters:
  ///   - count: the number of epochs, not negative.
  ///   - anchorCount: the number of anchors, not negative.
  public init(count: Int, anchorCount: Int) {
    precondition(count >= 0 && anchorCount >= 0, "count and anchorCount must not be negative")
    self.count = count
    self.anchorCount = anchorCount
    ranges = []
    ranges = [Double](repeating: .nan, count: stride * anchorCount)
  }

  /// Creates epochs from columns.
  ///
  /// - Parameters:
  ///   - columns: the ranges of each anchor, metres, all of one length; invalid values count as
  ///     absent.
  ///   - zeroIsDistance: whether a range of exactly zero is valid.
  public init(columns: [[Double]], zeroIsDistance: Bool = false) {
    self.init(count: columns.first?.count ?? 0, anchorCount: columns.count)
    for (anchor, column) in columns.enumerated() {
      precondition(column.count == count, "columns must have the same length")
      fill(anchor, 0..<count, from: column, first: 0, step: 1, zeroIsDistance)
    }
  }

  /// Creates epochs from a table with one epoch per row.
  ///
  /// - Parameters:
  ///   - rows: the ranges of the first epoch, then of the next, metres; invalid values count as
  ///     absent.
  ///   - anchorCount: the number of ranges per row, positive; it divides the number of ranges.
  ///   - zeroIsDistance: whether a range of exactly zero is valid.
  public init(rows: [Double], anchorCount: Int, zeroIsDistance: Bool = false) {
    precondition(
      anchorCount > 0 && rows.count.isMultiple(of: anchorCount),
      "anchorCount must be positive and divide the number of ranges")
    self.init(count: rows.count / anchorCount, anchorCount: anchorCount)
    // Processes a block of rows at a time, which stays in the cache while its columns are copied.
    for start in Swift.stride(from: 0, to: count, by: 64) {
      let block = start..<min(count, start + 64)
      for anchor in 0..<anchorCount {
        fill(
          anchor, block, from: rows, first: start * anchorCount + anchor, step: anchorCount,
          zeroIsDistance)
      }
    }
  }

  /// The range of an epoch to an anchor, metres; nil if absent.
  ///
  /// Setting an invalid value, zero included, makes the range absent.
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
      epoch >= 0 && epoch < count && anchor >= 0 && anchor < anchorCount,
      "epoch or anchor index out of range")
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
          // One comparison for the common case; the full rule decides about the rest.
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
