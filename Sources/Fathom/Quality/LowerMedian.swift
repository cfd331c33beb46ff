extension [Double] {
  /// Returns the median of the first `count` elements, the lower one of two middle elements.
  ///
  /// Requires at least one element and no NaN. Hoare's selection by partition, with the median of
  /// three elements as the pivot. Partitioning is branch-free: the comparison only determines where
  /// the next element is stored. On random values a branch would be mispredicted half of the time.
  /// Reorders the elements. The average cost is linear in `count`.
  mutating func lowerMedian(ofFirst count: Int) -> Double {
    precondition(
      count >= 1 && count <= self.count, "count must be from 1 to the number of elements")
    return withUnsafeMutableBufferPointer { $0.element(ofRank: (count - 1) / 2, ofFirst: count) }
  }
}

extension UnsafeMutableBufferPointer<Double> {
  /// Returns the element of the given rank, counted from 0, among the first `count` in sorted
  /// order.
  ///
  /// `rank` must be less than `count`.
  fileprivate func element(ofRank rank: Int, ofFirst count: Int) -> Double {
    var low = 0
    var end = count
    while end - low > 1 {
      let (first, middle, last) = (self[low], self[low + (end - low) / 2], self[end - 1])
      let pivot = Swift.max(
        Swift.min(first, middle), Swift.min(Swift.max(first, middle), last))
      let less = partition(low..<end) { $0 < pivot }
      if rank < less {
        end = less
        continue
      }
      let equal = partition(less..<end) { $0 <= pivot }
      if rank < equal { return pivot }
      low = equal
    }
    return self[low]
  }

  /// Moves the elements of `range` that satisfy `isFirst` before the others, and returns the index
  /// of the first of the others.
  @inline(__always)
  private func partition(_ range: Range<Int>, _ isFirst: (Double) -> Bool) -> Int {
    var boundary = range.lowerBound
    for index in range {
      let element = self[index]
      self[index] = self[boundary]
      self[boundary] = element
      boundary += isFirst(element) ? 1 : 0
    }
    return boundary
  }
}
