/// Returns all subsets of `size` indices below `count`, or `limit` of them spread evenly over all.
///
/// The result is deterministic. It is empty if no such subset exists.
func minimalSubsets(of size: Int, among count: Int, limit: Int) -> [[Int]] {
  var sets: [[Int]] = []
  forEachMinimalSubset(of: size, among: count, limit: limit) { sets.append($0) }
  return sets
}

/// Passes the same subsets to `body`, one after the other.
@inline(__always)
func forEachMinimalSubset(
  of size: Int, among count: Int, limit: Int, _ body: (_ members: [Int]) -> Void
) {
  guard size > 0, count >= size else { return }
  var total = 1.0
  for step in 0..<size { total *= Double(count - step) / Double(step + 1) }
  guard total > Double(limit) + 0.5 else {
    var members = Array(0..<size)
    while true {
      body(members)
      // The next subset in lexicographic order.
      guard let place = members.indices.last(where: { members[$0] < count - size + $0 }) else {
        return
      }
      members[place] += 1
      for later in place + 1..<max(size, place + 1) { members[later] = members[later - 1] + 1 }
    }
  }
  // Multiples of the golden ratio, modulo 1, fill the unit interval evenly and deterministically.
  var members: [Int] = []
  var state = 0.0
  for _ in 0..<limit {
    members.removeAll(keepingCapacity: true)
    while members.count < size {
      state += 0.618_033_988_749_894_9
      state -= state.rounded(.down)
      let candidate = min(count - 1, Int(state * Double(count)))
      if !members.contains(candidate) { members.append(candidate) }
    }
    body(members)
  }
}
