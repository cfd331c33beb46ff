/// When and how often the links of one tag were ranged.
struct TagActivity: Sendable {
  /// What is known of one link.
  struct Link: Sendable {
    let anchor: Int
    var count = 0
    var first = Timestamp(nanoseconds: 0)
    var last = Timestamp(nanoseconds: 0)
    /// The longest time between two ranges, seconds.
    var longestGap = 0.0
    /// Ranges at an instant that already had one.
    var atSameInstant = 0
    var firstAtSameInstant = 0
    /// The run of equal distances that is going on.
    fileprivate var run = Run()
    /// The longest run of equal distances.
    fileprivate(set) var longestRun = Run()
    /// Steps between successive ranges that keep the distance.
    fileprivate var repeats = 0
    private var distance = Double.nan

    fileprivate init(anchor: Int) { self.anchor = anchor }

    fileprivate mutating func add(
      _ distance: Double, at time: Timestamp, line: Int, tag: (steps: Int, repeats: Int)
    ) -> (isStep: Bool, isRepeat: Bool) {
      defer {
        count += 1
        self.distance = distance
        last = time
      }
      guard count > 0 else {
        first = time
        run = Run(line: line, tag: tag)
        return (false, false)
      }
      if time == last {
        atSameInstant += 1
        if firstAtSameInstant == 0 { firstAtSameInstant = line }
      }
      longestGap = max(longestGap, time.seconds(since: last))
      guard distance == self.distance else {
        run = Run(line: line, tag: tag)
        return (true, false)
      }
      repeats += 1
      run.count += 1
      if run.count > longestRun.count {
        longestRun = run
        // The run has made its own steps: one to its value and all repetitions but this one.
        longestRun.others = (
          tag.steps - run.tag.steps - run.count, tag.repeats - run.tag.repeats - (run.count - 1)
        )
      }
      return (true, true)
    }
  }

  /// Successive ranges of a link with the same distance.
  struct Run: Sendable {
    /// The number of repetitions.
    var count = 0
    /// The line of the first range.
    var line = 0
    /// Steps and repetitions of the other links meanwhile.
    var others = (steps: 0, repeats: 0)
    /// Steps and repetitions of all links when the run began.
    fileprivate var tag = (steps: 0, repeats: 0)

    fileprivate init(line: Int = 0, tag: (steps: Int, repeats: Int) = (0, 0)) {
      self.line = line
      self.tag = tag
    }
  }

  /// The links with ranges, in the order of their first ranges.
  private(set) var links: [Link] = []
  private var slots = RangedAnchors()
  private var steps = 0
  private var repeats = 0

  /// Adds a range; returns the time of the last one of its link.
  mutating func add(
    _ distance: Double, anchor: Int, at time: Timestamp, line: Int
  ) -> Timestamp? {
    let slot = slots.slot(of: anchor)
    if slot == links.count { links.append(Link(anchor: anchor)) }
    let before = links[slot].count > 0 ? links[slot].last : nil
    let step = links[slot].add(distance, at: time, line: line, tag: (steps, repeats))
    if step.isStep { steps += 1 }
    if step.isRepeat { repeats += 1 }
    return before
  }
}

/// Numbers for the anchors with ranges, in the order of their first ranges.
struct RangedAnchors: Sendable {
  /// One more than the number of each anchor; 0 for those without.
  private var slots: [Int32] = []
  private var count = 0

  mutating func slot(of anchor: Int) -> Int {
    while slots.count <= anchor { slots.append(0) }
    if slots[anchor] == 0 {
      count += 1
      slots[anchor] = Int32(count)
    }
    return Int(slots[anchor]) - 1
  }
}

extension TagActivity.Link {
  /// The fewest repetitions that are called stuck: a second at 20 Hz.
  private static let fewestRepeats = 20
  /// The logarithm of the odds against chance: a million to one, since a recording has many runs.
  private static let certainty = 13.8

  /// The share of the ranges that are stuck at one value; nil if repetitions are usual for the link,
  /// or for the others at that time.
  var stuckShare: Double? {
    let run = longestRun
    guard run.count >= Self.fewestRepeats, run.others.steps >= Self.fewestRepeats else {
      return nil
    }
    func odds(_ repeats: Int, _ steps: Int) -> Double {
      (Double(max(0, repeats)) + 1) / (Double(max(0, steps)) + 2)
    }
    let own = odds(repeats - run.count, count - 1 - run.count)
    let chance = max(own, odds(run.others.repeats, run.others.steps))
    guard -Double(run.count) * .log(chance) >= Self.certainty else { return nil }
    return Double(run.count + 1) / Double(count)
  }

  /// Returns the share of the time of its tag for which the link is silent at the end; nil if it was
  /// not steady for a fifth of the time before, or ends with the tag.
  func silentShare(from start: Timestamp, to end: Timestamp) -> Double? {
    let whole = end.seconds(since: start)
    let silence = end.seconds(since: last)
    guard count >= 30, last.seconds(since: first) >= 0.2 * whole, whole > 0 else { return nil }
    // Twenty times as long as ever before, and a fifth of the recording: a link that is out of reach
    // now and then is not steady.
    guard silence >= 0.2 * whole, silence >= 20 * longestGap else { return nil }
    return silence / whole
  }
}

/// Steps of the clock back in time, found in the order of the file.
struct ClockSteps: Sendable {
  /// The number of steps back: the most of any link.
  private(set) var count = 0
  /// The line after the first step back.
  private(set) var firstLine = 0
  /// The size of the first step, seconds.
  private(set) var firstSeconds = 0.0
  private var tags: [(slots: RangedAnchors, links: [(latest: Timestamp, steps: Int)])] = []

  /// The least step, seconds: rows that are late in a buffer are late by less.
  private static let least = 1.0

  mutating func add(tag: Int, anchor: Int, at time: Timestamp, line: Int) {
    while tags.count <= tag { tags.append((RangedAnchors(), [])) }
    let slot = tags[tag].slots.slot(of: anchor)
    // A file that is sorted by links goes back in time with each, which is no step.
    guard slot < tags[tag].links.count else {
      tags[tag].links.append((time, 0))
      return
    }
    let step = tags[tag].links[slot].latest.seconds(since: time)
    if step >= Self.least {
      if count == 0 { (firstLine, firstSeconds) = (line, step) }
      tags[tag].links[slot].steps += 1
      count = max(count, tags[tag].links[slot].steps)
    }
    tags[tag].links[slot].latest = time
  }
}
