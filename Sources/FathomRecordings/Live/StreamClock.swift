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

  /// Longest time by which a measurement moves the stream on, in seconds; beyond it the clock has stepped.
  private static let longestLead = TrackerConfiguration().clockStep

  /// Moves the stream on to a range of `tag` at `time`.
  mutating func advance(to time: Timestamp, of tag: Int) {
    if offsets.count <= tag {
      offsets += [Int64?](repeating: nil, count: tag + 1 - offsets.count)
    }
    guard let newest else {
      (self.newest, offsets[tag]) = (time, 0)
      return
    }
    let lead = self.time(time, of: tag).seconds(since: newest)
    if lead > Self.longestLead || offsets[tag] == nil && lead < -Self.longestLead {
      align(tag, at: time)
    } else {
      if offsets[tag] == nil { offsets[tag] = 0 }
      if lead > 0 { self.newest = self.time(time, of: tag) }
    }
  }

  /// Moves the stream on to a measurement that is no range; one far ahead has another clock.
  mutating func advance(toReadingAt time: Timestamp, of tag: Int) {
    guard let newest else { return }
    let lead = self.time(time, of: tag).seconds(since: newest)
    if lead > 0, lead <= Self.longestLead { self.newest = self.time(time, of: tag) }
  }

  /// Makes `time` of `tag` the newest time of the stream, because its clock has stepped.
  mutating func align(_ tag: Int, at time: Timestamp) {
    guard let newest, offsets.indices.contains(tag) else { return }
    offsets[tag] = newest.nanoseconds &- time.nanoseconds
  }

  /// Forgets the clock of `tag`, whose index another tag gets.
  mutating func forget(_ tag: Int) {
    if offsets.indices.contains(tag) { offsets[tag] = nil }
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
