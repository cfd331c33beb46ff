import Fathom

/// The time of a live stream, which goes on with the ranges of any tag.
///
/// Every tag may have a clock of its own: a clock far from that of the stream is aligned with it when the
/// tag appears or its clock steps, and moves the stream on from there.
struct StreamClock {
  /// The newest time, on the clock of the first tag; nil before its first range.
  private(set) var newest: Timestamp?
  /// What is added to the times of a tag, in nanoseconds; nil before its first range.
  private var offsets: [Int64?] = []

  /// Time from that of the stream within which a clock is that of the stream, in seconds.
  private static let near = TrackerConfiguration().clockStep
  /// Longest gap by which a known tag moves the stream on, in seconds; beyond it its clock has stepped.
  private static let longestGap = 3600.0

  /// Moves the stream on to a range of `tag` at `time`.
  mutating func advance(to time: Timestamp, of tag: Int) {
    if offsets.count <= tag {
      offsets += [Int64?](repeating: nil, count: tag + 1 - offsets.count)
    }
    guard let newest else {
      (self.newest, offsets[tag]) = (time, 0)
      return
    }
    if time.seconds(since: newest).magnitude <= Self.near { offsets[tag] = 0 }
    guard offsets[tag] != nil else { return align(tag, at: time) }
    let lead = self.time(time, of: tag).seconds(since: newest)
    if lead > Self.longestGap {
      align(tag, at: time)
    } else if lead > 0 {
      self.newest = self.time(time, of: tag)
    }
  }

  /// Moves the stream on to a measurement that is no range; one far ahead has another clock.
  mutating func advance(toReadingAt time: Timestamp, of tag: Int) {
    guard let newest else { return }
    let lead = self.time(time, of: tag).seconds(since: newest)
    if lead > 0, lead <= Self.near { self.newest = self.time(time, of: tag) }
  }

  /// Makes `time` of `tag` the newest time of the stream, because its clock has stepped.
  mutating func align(_ tag: Int, at time: Timestamp) {
    guard let newest, offsets.indices.contains(tag) else { return }
    offsets[tag] = newest.nanoseconds &- time.nanoseconds
  }

  /// Forgets the clocks of all tags but `kept`, which get new indices in the same order.
  mutating func keepTags(_ kept: [Int]) {
    offsets = kept.map { offsets.indices.contains($0) ? offsets[$0] : nil }
  }

  /// The newest time of the stream on the clock of `tag`; nil before the first range.
  func newest(of tag: Int) -> Timestamp? {
    newest.map { Timestamp(nanoseconds: $0.nanoseconds &- offset(of: tag)) }
  }

  private func time(_ time: Timestamp, of tag: Int) -> Timestamp {
    Timestamp(nanoseconds: time.nanoseconds &+ offset(of: tag))
  }

  private func offset(of tag: Int) -> Int64 {
    (offsets.indices.contains(tag) ? offsets[tag] : nil) ?? 0
  }
}
