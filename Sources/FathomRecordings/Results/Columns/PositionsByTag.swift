import Fathom

/// Positions of all tags, tag by tag, each in order of time.
struct PositionsByTag: Sendable {
  /// Tag by tag.
  let tags: [[PositionRow]]

  /// The lists of all tags.
  init(_ tags: [[PositionRow]]) { self.tags = tags }

  /// How many positions there are.
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

  /// Calls `body` with every position in one order of time; those of one instant are in the order of the
  /// tags.
  ///
  /// A heap of the next position of every tag: each step costs the logarithm of their number.
  ///
  /// - Parameter body: called with the place of the tag, and the position.
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

  /// Lets the head at `start` sink to its place.
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
  /// The positions of all tags in one order of time; those of one instant are in the order of the tags.
  init(_ positions: PositionsByTag, names: TargetNames) {
    reserveCapacity(positions.count)
    positions.forEachInOrder { tag, row in
      append(
        row.time, names.names[names.place(of: row, tag: tag)], row.position, row.covariance,
        used: row.used, rejected: row.rejected, status: row.status)
    }
  }
}

/// The names of what a recording locates: its tags, or, without anchors, the accessories, with the
/// device's name before it where there are several devices.
struct TargetNames: Sendable {
  /// Tag by tag, and for each accessory by accessory where those are located.
  let names: [String]
  private let perTag: Int

  /// The names of the recording with the outline given.
  init(_ outline: RecordingOutline) {
    if outline.anchors.isEmpty {
      names = outline.tagNames.flatMap { tag in
        outline.anchorNames.map { outline.tagNames.count > 1 ? "\(tag):\($0)" : $0 }
      }
      perTag = outline.anchorNames.count
    } else {
      names = outline.tagNames
      perTag = 1
    }
  }

  /// The place in ``names`` of what `row`, one of those of `tag`, is about.
  @inline(__always)
  func place(of row: PositionRow, tag: Int) -> Int { tag * perTag + Int(row.accessory) }
}
