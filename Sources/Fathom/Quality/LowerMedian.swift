extension [Double] {
  /// The median of the first `count` elements, at least one and none of them NaN, of two middle ones
  /// the lower.
  ///
  /// Selection by partition as Hoare's, about the median of three elements. Which side an element
  /// goes to decides where the next one is put, and nothing else: of values at random a branch would
  /// be guessed wrongly every other time. Puts the elements into another order, at a cost proportional
  /// to `count` on average.
  mutating func lowerMedian(ofFirst count: Int) -> Double {
    precondition(count >= 1 && count <= self.count, "a median of nothing")
    return withUnsafeMutableBufferPointer { $0.element(ofRank: (count - 1) / 2, ofFirst: count) }
  }
}

extension UnsafeMutableBufferPointer<Double> {
  /// The element of the first `count` that `rank` of them come before in order; both are there.
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

  /// Puts the elements of `range` that `isFirst` holds for before the others, and returns where the
  /// others begin.
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
