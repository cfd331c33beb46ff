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
    /// The smallest change of the distance.
    fileprivate var leastStep = Double.infinity
    /// Large changes of the distance, their sum, and those back to a distance shortly before.
    fileprivate var jumps = (count: 0, sum: 0.0, returns: 0)
    fileprivate var distance = Double.nan
    /// The distances before.
    private var earlier = (Double.nan, Double.nan)

    fileprivate init(anchor: Int) { self.anchor = anchor }

    fileprivate mutating func add(
      _ distance: Double, at time: Timestamp, line: Int, tag: (steps: Int, repeats: Int)
    ) -> (isStep: Bool, isRepeat: Bool) {
      defer {
        count += 1
        earlier = (self.distance, earlier.0)
        self.distance = distance
        last = time
      }
      guard count > 0 else {
        first = time
        run = Run(distance, line: line, tag: tag)
        return (false, false)
      }
      if time == last {
        atSameInstant += 1
        if firstAtSameInstant == 0 { firstAtSameInstant = line }
      }
      longestGap = max(longestGap, time.seconds(since: last))
      guard distance == self.distance else {
        run = Run(distance, line: line, tag: tag)
        noteStep((distance - self.distance).magnitude, to: distance)
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

    private mutating func noteStep(_ size: Double, to distance: Double) {
      leastStep = min(leastStep, size)
      guard size >= TagActivity.leastJump else { return }
      jumps.count += 1
      jumps.sum += size
      let back = min(
        (distance - earlier.0).magnitude, (distance - earlier.1).magnitude)
      if back < TagActivity.returnShare * size { jumps.returns += 1 }
    }
  }

  /// The least change of a distance that is a jump, metres: five usual standard deviations of a range.
  fileprivate static let leastJump = 0.5
  /// The share of a jump that a distance may be from one before to have returned to it.
  fileprivate static let returnShare = 1.0 / 3

  /// Successive ranges of a link with the same distance.
  struct Run: Sendable {
    /// The number of repetitions.
    var count = 0
    /// The line of the first range.
    var line = 0
    /// The distance.
    var distance = Double.nan
    /// Steps and repetitions of the other links meanwhile.
    var others = (steps: 0, repeats: 0)
    /// Steps and repetitions of all links when the run began.
    fileprivate var tag = (steps: 0, repeats: 0)

    fileprivate init(
      _ distance: Double = .nan, line: Int = 0, tag: (steps: Int, repeats: Int) = (0, 0)
    ) {
      self.distance = distance
      self.line = line
      self.tag = tag
    }
  }

  /// The links with ranges, in the order of their first ranges.
  private(set) var links: [Link] = []
  private var slots = RangedAnchors()
  private var steps = 0
  private var repeats = 0
  /// The repetitions of all links without a change of any, now and at most, with the line of the first.
  private var still = (count: 0, line: 0)
  private(set) var longestStill = (count: 0, line: 0)

  /// Returns whether a range is the last one of its link, written once more: the same value, sooner than a
  /// radio measures it again.
  mutating func isRepetition(_ distance: Double, anchor: Int, at time: Timestamp) -> Bool {
    let slot = slots.slot(of: anchor)
    guard slot < links.count, links[slot].distance == distance, links[slot].last < time else {
      return false
    }
    return time.seconds(since: links[slot].last) < Self.leastInterval
  }

  /// The least time between two measurements of a link, seconds: no device ranges with one anchor more than
  /// 200 times a second.
  private static let leastInterval = 0.005

  /// Adds a range; returns the time of the last one of its link.
  mutating func add(
    _ distance: Double, anchor: Int, at time: Timestamp, line: Int
  ) -> Timestamp? {
    let slot = slots.slot(of: anchor)
    if slot == links.count { links.append(Link(anchor: anchor)) }
    let before = links[slot].count > 0 ? links[slot].last : nil
    let step = links[slot].add(distance, at: time, line: line, tag: (steps, repeats))
    if step.isStep { steps += 1 }
    if step.isRepeat {
      repeats += 1
      still = (still.count + 1, still.count == 0 ? line : still.line)
      if still.count > longestStill.count { longestStill = still }
    } else if step.isStep {
      still.count = 0
    }
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

/// Ranges that repeat a value, though measurements would change.
struct StuckRanges: Sendable {
  /// The share of the ranges that repeat it.
  var share: Double
  /// The number of repetitions from which on ranges are no measurements; nil if some repetitions are usual.
  var mostRepeats: Int?

  /// The fewest repetitions that are called stuck: a second at 20 Hz.
  fileprivate static let fewest = 20
  /// The logarithm of the odds against chance: a million to one, since a recording has many runs.
  private static let certainty = 13.8
  /// The greatest share of repetitions at other times beside which repetitions are never measurements.
  ///
  /// Where more are usual, they come in runs, and many are chance.
  fileprivate static let mostUsual = 0.1

  /// Judges a run of `count` repetitions among `all` ranges, when one has the given chance; nil if the run
  /// can be chance.
  fileprivate init?(_ count: Int, of all: Int, chance: Double) {
    let evidence = -Double.log(chance)
    guard Double(count) * evidence >= Self.certainty else { return nil }
    share = Double(count + 1) / Double(all)
    mostRepeats = chance <= Self.mostUsual ? Int((Self.certainty / evidence).rounded(.up)) : nil
  }

  /// Returns the chance of a repetition after `repeats` of them in a number of steps.
  fileprivate static func chance(_ repeats: Int, _ steps: Int) -> Double {
    (Double(max(0, repeats)) + 1) / (Double(max(0, steps)) + 2)
  }
}

extension TagActivity {
  /// Returns the ranges of all links that repeat their values at the same time.
  ///
  /// - Parameter sigma: the standard deviation of ranges by their redundancy, metres.
  /// - Returns: Nil if repetitions are usual, or possible beside noise of this size.
  func stillRanges(sigma: Double) -> StuckRanges? {
    let run = longestStill.count
    guard links.count >= 2, run >= max(StuckRanges.fewest, 2 * links.count), sigma > 0 else {
      return nil
    }
    // Two measurements of the same distance differ by less than the resolution of the values.
    let resolution = links.map(\.leastStep).min() ?? .infinity
    let noise = resolution / (2 * Double.pi.squareRoot() * sigma)
    let usual = StuckRanges.chance(repeats - run, steps - run)
    guard usual <= StuckRanges.mostUsual else { return nil }
    return StuckRanges(run, of: links.reduce(0) { $0 + $1.count }, chance: max(noise, usual))
  }

  /// Returns the mean size of the jumps of the tag to and fro, metres; nil if it does not jump by more than
  /// ranges with the standard deviation `sigma` scatter.
  ///
  /// Where most links jump in a third of their steps, and nearly always back to where they were shortly
  /// before, two tags take turns.
  func jumpToAndFro(sigma: Double) -> Double? {
    let usual = links.filter { $0.count >= Self.fewestSteps }
    let jumping = usual.filter {
      Double($0.jumps.count) >= Self.leastJumping * Double($0.count)
        && Double($0.jumps.returns) >= Self.leastReturning * Double($0.jumps.count)
    }
    guard jumping.count >= 2, 2 * jumping.count >= usual.count else { return nil }
    let count = jumping.reduce(0) { $0 + $1.jumps.count }
    let jump = jumping.reduce(0) { $0 + $1.jumps.sum } / Double(count)
    return jump >= Self.leastSize * sigma ? jump : nil
  }

  /// The least mean size of the jumps, in standard deviations of ranges.
  private static let leastSize = 5.0
  /// The fewest ranges of a link that show its jumps.
  private static let fewestSteps = 30
  /// The least share of the steps of a link that are jumps; late ranges are fewer.
  private static let leastJumping = 0.3
  /// The least share of the jumps that lead back; among independent errors fewer than half do.
  private static let leastReturning = 0.7
}

extension TagActivity.Link {
  /// The ranges that are stuck at one value; nil if repetitions are usual for the link, or for the others at
  /// that time.
  var stuck: StuckRanges? {
    let run = longestRun
    guard run.count >= StuckRanges.fewest, run.others.steps >= StuckRanges.fewest else {
      return nil
    }
    let own = StuckRanges.chance(repeats - run.count, count - 1 - run.count)
    let others = StuckRanges.chance(run.others.repeats, run.others.steps)
    return StuckRanges(run.count, of: count, chance: max(own, others))
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
