import Fathom

/// Walks through several lists of instants, each in order, in one order of time; of one instant the
/// earlier list comes first, and all its elements.
///
/// A heap of the next element of every list: each step costs the logarithm of their number.
struct OrderOfTime {
  private struct Head {
    var time: Int64
    var list: Int
    var index: Int

    @inline(__always)
    func precedes(_ other: Head) -> Bool {
      time < other.time || (time == other.time && list < other.list)
    }
  }

  private let lists: [[Timestamp]]
  private var heads: [Head] = []

  /// The walk through `lists`.
  init(_ lists: [[Timestamp]]) {
    self.lists = lists
    for (list, times) in lists.enumerated() {
      if let first = times.first {
        heads.append(Head(time: first.nanoseconds, list: list, index: 0))
      }
    }
    for place in heads.indices.reversed() { sink(from: place) }
  }

  /// The next element: its list, and its index there; nil at the end.
  @inline(__always)
  mutating func next() -> (list: Int, index: Int)? {
    guard let head = heads.first else { return nil }
    let following = head.index + 1
    if following < lists[head.list].count {
      heads[0] = Head(
        time: lists[head.list][following].nanoseconds, list: head.list, index: following)
    } else {
      let last = heads.removeLast()
      if heads.isEmpty { return (head.list, head.index) }
      heads[0] = last
    }
    sink(from: 0)
    return (head.list, head.index)
  }

  /// Lets the head at `start` sink to its place.
  private mutating func sink(from start: Int) {
    let count = heads.count
    guard 2 * start + 1 < count else { return }
    heads.withUnsafeMutableBufferPointer { heads in
      let head = heads[start]
      var place = start
      while true {
        var child = 2 * place + 1
        guard child < count else { break }
        if child + 1 < count, heads[child + 1].precedes(heads[child]) { child += 1 }
        guard heads[child].precedes(head) else { break }
        heads[place] = heads[child]
        place = child
      }
      heads[place] = head
    }
  }
}
