import Fathom

/// The ranges between the tags of a recording, in columns of equal length.
public struct TagRangeColumns: Sendable, Equatable {
  /// Time of each measurement.
  public var time: [Timestamp] = []
  /// Index of the tag that measured.
  public var tag: [Int32] = []
  /// Name of the tag that responded, as an index into the names that the reader was given; that of the tag in
  /// a complete recording.
  public var other: [Int32] = []
  /// Measured distance, in metres.
  public var distance: [Double] = []
  /// Standard deviation of the distance in metres; NaN when unknown.
  public var sigma: [Double] = []
  /// Physical line of each range in the source, from 1.
  public var line: [Int] = []

  /// The number of ranges.
  public var count: Int { time.count }

  /// Creates columns without ranges.
  public init() {}

  /// Appends a range.
  package mutating func append(
    at time: Timestamp, from tag: Int32, to other: Int32, distance: Double, sigma: Double, line: Int
  ) {
    self.time.append(time)
    self.tag.append(tag)
    self.other.append(other)
    self.distance.append(distance)
    self.sigma.append(sigma)
    self.line.append(line)
  }

  /// Appends the ranges of `others`.
  mutating func append(contentsOf others: Self) {
    time += others.time
    tag += others.tag
    other += others.other
    distance += others.distance
    sigma += others.sigma
    line += others.line
  }

  /// Replaces indices into `names` in ``other`` by those of the tags called `tags`.
  mutating func resolve(_ names: [String], tags: [String]) {
    let places = Dictionary(
      tags.enumerated().map { ($0.element, Int32($0.offset)) },
      uniquingKeysWith: { first, _ in first })
    // The names are those of tags, found when the file was read before.
    for index in other.indices { other[index] = places[names[Int(other[index])]] ?? tag[index] }
  }

  /// The ranges in order of time, each with its index in the columns.
  var ordered: [(index: Int, range: TagRange)] {
    time.indicesByTime { $0 }.map { index in
      (
        index,
        TagRange(
          time: time[index], between: Int(tag[index]), and: Int(other[index]),
          distance: distance[index], sigma: sigma[index] > 0 ? sigma[index] : nil)
      )
    }
  }

  /// The tags that ranges tie, in groups: each with at least two tags, in order, and every tag once.
  func groups(tagCount: Int) -> [[Int]] {
    var roots = Array(0..<tagCount)
    func root(_ tag: Int) -> Int {
      var tag = tag
      while roots[tag] != tag { tag = roots[tag] }
      return tag
    }
    for index in tag.indices {
      let (one, two) = (root(Int(tag[index])), root(Int(other[index])))
      roots[max(one, two)] = min(one, two)
    }
    var members: [Int: [Int]] = [:]
    for tag in 0..<tagCount { members[root(tag), default: []].append(tag) }
    return members.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
  }
}

extension UndeclaredAnchors {
  /// Returns the names of anchors that are names of tags, in their order.
  func tagAnchors(among tags: [String]) -> [String] { tags.filter(allNames.contains) }
}
