import Fathom

/// The time of a stream, in which tags may have clocks of their own.
///
/// It advances as the clocks of the tags do, by the one that is ahead. The first time of a tag, and a step
/// of its clock, do not move it: a foreign row of the far future does not let other tags coast.
struct LiveClock: Sendable {
  /// The time of the stream; nil before the first range.
  private(set) var now: Timestamp?
  /// By how much the clock of each tag is ahead of the time of the stream, in nanoseconds; nil for a tag
  /// without a range.
  private var offsets: [Int64?] = []
  /// The tag that last moved the time.
  private var leader = 0

  /// The longest time by which a range moves the time on, in seconds.
  ///
  /// At half of it, tags of a stream that pauses for 5 s coast less; at twice, a foreign tag can let them
  /// coast for 20 s.
  private static let longestStep = TrackerConfiguration().clockStep

  /// The time of the stream by the clock of the tag that last moved it; nil before the first range.
  var shown: Timestamp? {
    now.map { Timestamp(nanoseconds: $0.nanoseconds &+ offset(of: leader)) }
  }

  /// Advances to the `time` of a range of the tag at index `tag`.
  mutating func advance(to time: Timestamp, of tag: Int) {
    guard let now else {
      (self.now, leader) = (time, tag)
      set(0, for: tag)
      return
    }
    guard offsets.indices.contains(tag), let offset = offsets[tag] else {
      // The clock of most tags is that of the others.
      let common = self.offset(of: leader)
      let lead = Self.seconds(time.nanoseconds &- common, since: now)
      let isCommon = lead <= 0 && lead >= -Self.longestStep
      set(isCommon ? common : time.nanoseconds &- now.nanoseconds, for: tag)
      return
    }
    let lead = Self.seconds(time.nanoseconds &- offset, since: now)
    if lead > Self.longestStep {
      set(time.nanoseconds &- now.nanoseconds, for: tag)
    } else if lead > 0 {
      self.now = Timestamp(nanoseconds: time.nanoseconds &- offset)
      leader = tag
    }
  }

  /// Advances to the `time` of a measurement that is no range, unless it is a step of the clock.
  mutating func follow(_ time: Timestamp, of tag: Int) {
    guard let now, offsets.indices.contains(tag), let offset = offsets[tag] else { return }
    let lead = Self.seconds(time.nanoseconds &- offset, since: now)
    if lead > 0, lead <= Self.longestStep { advance(to: time, of: tag) }
  }

  /// Continues with the clock of the tag at index `tag` that stepped back to `time`.
  mutating func restart(_ tag: Int, at time: Timestamp) {
    guard let now else { return }
    set(time.nanoseconds &- now.nanoseconds, for: tag)
  }

  /// Forgets the clock of the tag at index `tag`, which another tag can have.
  mutating func forget(_ tag: Int) {
    guard offsets.indices.contains(tag) else { return }
    // The time that is shown stays that of the others.
    let offset = offset(of: leader)
    if tag == leader,
      let other = offsets.indices.first(where: { $0 != tag && offsets[$0] == offset })
    {
      leader = other
    }
    if tag != leader { offsets[tag] = nil }
  }

  private func offset(of tag: Int) -> Int64 {
    offsets.indices.contains(tag) ? offsets[tag] ?? 0 : 0
  }

  private mutating func set(_ offset: Int64, for tag: Int) {
    if tag >= offsets.count {
      offsets += Array(repeating: nil, count: tag + 1 - offsets.count)
    }
    offsets[tag] = offset
  }

  /// Returns the seconds from `now` to a time in nanoseconds.
  private static func seconds(_ time: Int64, since now: Timestamp) -> Double {
    Timestamp(nanoseconds: time).seconds(since: now)
  }
}
