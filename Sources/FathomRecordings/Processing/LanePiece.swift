/// Some lanes of a recording, on one thread at a time.
///
/// They stay where they are from the first stretch to the last: a lane that is in two places is copied
/// when it changes, with all that its links remember.
struct LanePiece: Sendable {
  private let tags: Range<Int>
  private(set) var lanes: [any TagLane]

  /// What came of the ranges of some tags in a stretch.
  struct Results: Sendable {
    /// The first of the tags.
    var first: Int
    /// Tag by tag.
    var ranges: [[ProcessedRange]] = []
    var positions: [[PositionRow]] = []
    var counts = ResultCounts()
    /// The zones that links have entered and left.
    var events: [LinkZoneEvent] = []
  }

  /// The lanes of all tags in as many pieces as keep `width` threads busy.
  static func pieces(of lanes: [any TagLane], width: Int) -> [Locked<LanePiece>] {
    let count = width == 1 ? 1 : min(lanes.count, 4 * width)
    return (0..<count).map { piece in
      let tags = lanes.count * piece / count..<lanes.count * (piece + 1) / count
      return Locked(LanePiece(tags: tags, lanes: Array(lanes[tags])))
    }
  }

  /// Takes in the entries of `stretch` that are about these tags.
  mutating func process(_ stretch: TimedStretch) -> Results {
    var results = Results(first: tags.lowerBound)
    for (index, tag) in tags.enumerated() {
      let ranges = lanes[index].process(stretch, at: stretch.places[tag])
      let positions = lanes[index].takePositions()
      results.counts.add(ranges, positions)
      results.ranges.append(ranges)
      results.positions.append(positions)
      results.events += lanes[index].takeZoneEvents()
    }
    return results
  }
}
