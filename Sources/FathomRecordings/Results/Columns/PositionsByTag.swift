import Fathom

/// Positions of all tags, grouped by tag and in order of time within each tag.
struct PositionsByTag: Sendable {
  /// The positions of each tag.
  let tags: [[PositionRow]]

  /// Creates the collection from one list per tag.
  init(_ tags: [[PositionRow]]) { self.tags = tags }

  /// The total number of positions.
  var count: Int { tags.reduce(0) { $0 + $1.count } }

  /// The next position of a tag.
  private struct Head {
    var time: Timestamp
    var tag: Int
    var index: Int

    @inline(__always)
    func precedes(_ other: Head) -> Bool {
      time < other.time || (time == other.time && tag < other.tag)
    }
  }

  /// Calls `body` with every position in order of time, and in the order of the tags at equal
  /// instants.
  ///
  /// Merges the lists with a heap of the next position of every tag. Each step costs O(log n) for n
  /// tags.
  @inline(__always)
  func forEachInOrder(_ body: (_ tag: Int, _ row: PositionRow) -> Void) {
    var heads: [Head] = []
    for (tag, rows) in tags.enumerated() {
      if let first = rows.first { heads.append(Head(time: first.time, tag: tag, index: 0)) }
    }
    for place in heads.indices.reversed() { Self.sink(&heads, from: place) }
    while let head = heads.first {
      body(head.tag, tags[head.tag][head.index])
      let following = head.index + 1
      if following < tags[head.tag].count {
        heads[0].time = tags[head.tag][following].time
        heads[0].index = following
      } else {
        let last = heads.removeLast()
        if heads.isEmpty { return }
        heads[0] = last
      }
      Self.sink(&heads, from: 0)
    }
  }

  /// Moves the head at `start` down to its place in the heap.
  private static func sink(_ heads: inout [Head], from start: Int) {
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

extension PositionColumns {
  /// Creates columns with the positions of all tags in order of time, and in the order of the tags
  /// at equal instants.
  init(_ positions: PositionsByTag, names: TargetNames) {
    reserveCapacity(positions.count)
    positions.forEachInOrder { tag, row in
      append(
        row.time, names.name(at: names.place(of: row, tag: tag)), row.position, row.covariance,
        used: row.used, rejected: row.rejected, status: row.status, alternative: row.alternative)
    }
  }
}

/// The names of the objects that a recording locates: its tags or, without anchors, the
/// accessories.
///
/// With several devices, the device's name precedes that of the accessory.
struct TargetNames: Sendable {
  private let tags: [String]
  /// Names of the accessories; nil when tags are located.
  private let accessories: [String]?
  private let perTag: Int

  /// Creates the names for the recording with the given outline.
  init(_ outline: RecordingOutline) {
    tags = outline.tagNames
    accessories = outline.anchors.isEmpty ? outline.anchorNames : nil
    perTag = accessories?.count ?? 1
  }

  /// Number of names: one per tag or, where accessories are located, one per pair of tag and
  /// accessory.
  var count: Int { tags.count * perTag }

  /// Whether the list of all names is short.
  ///
  /// There can be as many pairs as ``RecordingLimits/mostPairs``, most of which do not occur.
  var areFew: Bool { count <= RecordingLimits.mostTags }

  /// All names, grouped by tag.
  var names: [String] { (0..<count).map { name(at: $0) } }

  /// Returns the name at the index `place`.
  func name(at place: Int) -> String {
    guard let accessories else { return tags[place] }
    let accessory = accessories[place % perTag]
    return tags.count > 1 ? "\(tags[place / perTag]):\(accessory)" : accessory
  }

  /// Returns the index of the name of the object that `row`, a row of `tag`, locates.
  @inline(__always)
  func place(of row: PositionRow, tag: Int) -> Int { tag * perTag + Int(row.accessory) }
}
