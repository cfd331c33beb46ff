import DequeModule

/// A sample of a recording's ranges in bounded memory, from which ``RangeDiagnosis`` finds what
/// contradicts what.
///
/// It keeps some hundred instants spread evenly over the recording, each with the newest ranges of a
/// tag, and a few numbers per link. When too many instants are kept, every second is dropped, and
/// from then on twice as many are skipped.
///
/// ## Cost
/// Some tens of nanoseconds per range, and some hundred bytes per link.
public struct RangeSample: Sendable {
  /// An instant with the newest range of each link.
  struct Instant: Sendable {
    /// The number of the instant among all.
    fileprivate var number: Int
    var time: Timestamp
    var ranges: [RecentRanges.Sample]
    /// How the distances change around each range; empty until the next ranges of the links show it.
    fileprivate(set) var rates: [RecentRanges.Rate?] = []
  }

  /// The ranges so far of one tag.
  private struct Tag: Sendable {
    var activity = TagActivity()
    var recent = RecentRanges()
    /// The instants whose rates are still to be found, and the time at which they can be.
    var open: Deque<(number: Int, until: Timestamp)> = []
    var pending: Timestamp?
    /// About the median interval of a link, seconds; nil before there is one.
    var interval: Double?

    /// Moves the interval by a tenth towards another: where it stays, half are longer.
    mutating func adapt(to other: Double) {
      guard let before = interval else { return interval = other }
      interval = other > before ? 1.1 * before : before / 1.1
    }

    /// Calls `body` with the newest ranges back to `limit`.
    func forEachRecent(since limit: Timestamp, _ body: (RecentRanges.Sample) -> Void) {
      var count = 0
      recent.forEachNewest(since: limit) {
        body($0)
        count += 1
        return count < RangeSample.mostRecent
      }
    }
  }

  private var tags: [Tag] = []
  /// The instants kept.
  private(set) var instants: [Instant] = []
  private var stride = 1
  private var seen = 0
  private(set) var clock = ClockSteps()
  /// The largest number of anchors that a tag ranged with in about one interval of a link, at most 3.
  private(set) var mostTogether = 0
  /// The number of instants with ranges, of all tags.
  private(set) var instantCount = 0
  /// The ranges that repeat one of their link a moment before, and the line of the first.
  private(set) var repetitions: (count: Int, line: Int) = (0, 0)
  /// The longest range, and its line.
  private(set) var longest: (distance: Double, line: Int) = (0, 0)

  /// The number of instants at which every second is dropped.
  private static let most = 256
  /// The largest number of ranges of an instant.
  private static let mostRecent = 64
  /// The fewest ranges of an instant that is kept: two unknowns, and one to contradict them.
  private static let fewest = 3
  /// The fewest instants that show which ranges are usual.
  private static let fewestForMedian = 10
  /// The number of intervals of a link for which its range may count.
  private static let reach = 1.5
  /// The number of intervals of a link around a range in which its ranges show the motion.
  private static let motionReach = 2.5

  /// Creates an empty sample.
  public init() {}

  /// Adds the next range in order of time.
  ///
  /// - Parameters:
  ///   - distance: the distance, metres, without known errors of the anchor; invalid ones are ignored.
  ///   - sigma: its standard deviation, metres; nil or NaN if it is unknown.
  ///   - tag: the index of the tag.
  ///   - anchor: the index of the anchor.
  ///   - time: its time, not before that of the last range.
  ///   - line: its line in the file, for messages.
  public mutating func add(
    _ distance: Double, sigma: Double? = nil, tag: Int, anchor: Int, at time: Timestamp,
    line: Int = 0
  ) {
    guard distance.isFinite, distance >= 0, tag >= 0, anchor >= 0 else { return }
    while tags.count <= tag { tags.append(Tag()) }
    if distance > longest.distance { longest = (distance, line) }
    if tags[tag].activity.isRepetition(distance, anchor: anchor, at: time) {
      repetitions = (repetitions.count + 1, repetitions.count == 0 ? line : repetitions.line)
      return
    }
    if let instant = tags[tag].pending, instant < time { append(tag, at: instant, before: time) }
    tags[tag].pending = time
    let before = tags[tag].activity.add(distance, anchor: anchor, at: time, line: line)
    let interval = before.map { time.seconds(since: $0) } ?? .nan
    if interval > 0 { tags[tag].adapt(to: interval) }
    tags[tag].recent.append(
      RecentRanges.Sample(
        anchor: anchor, time: time, distance: distance, sigma: sigma ?? .nan, interval: interval))
  }

  /// Adds a row in the order of the file, to find where the clock steps back.
  public mutating func addRow(tag: Int, anchor: Int, at time: Timestamp, line: Int) {
    guard tag >= 0, anchor >= 0 else { return }
    clock.add(tag: tag, anchor: anchor, at: time, line: line)
  }

  /// The sample without ranges: only with what ``addRow(tag:anchor:at:line:)`` found.
  public var withoutRanges: RangeSample {
    var result = RangeSample()
    result.clock = clock
    return result
  }

  /// Returns the sample with the instants that are not complete yet.
  func completed() -> RangeSample {
    var result = self
    for tag in result.tags.indices {
      guard let instant = result.tags[tag].pending else { continue }
      result.append(tag, at: instant, before: nil)
    }
    return result
  }

  /// The activity of the links of every tag.
  var activities: [TagActivity] { tags.map(\.activity) }

  /// The median of the ranges of the instants kept; nil below ten instants.
  var usualDistance: Double? {
    guard instants.count >= Self.fewestForMedian else { return nil }
    let distances = instants.flatMap { $0.ranges.map(\.distance) }.sorted()
    return distances[distances.count / 2]
  }

  /// Appends the instant `time`, before the next one of the tag; nil after the last.
  private mutating func append(_ tag: Int, at time: Timestamp, before next: Timestamp?) {
    keepIfDue(tag, at: time)
    while let first = tags[tag].open.first, next.map({ first.until < $0 }) ?? true {
      tags[tag].open.removeFirst()
      addRates(to: first.number, tag)
    }
    let interval = tags[tag].interval ?? 0
    let oldest =
      tags[tag].open.first?.until ?? time.advanced(bySeconds: Self.motionReach * interval)
    tags[tag].recent.removeAll(
      before: oldest.advanced(bySeconds: -(2 * Self.motionReach + Self.reach) * interval))
  }

  /// Finds how the distances of an instant change, unless it was dropped.
  private mutating func addRates(to number: Int, _ tag: Int) {
    let place = instants.firstPlace { $0.number >= number }
    guard place < instants.count, instants[place].number == number else { return }
    let reach = Self.motionReach * (tags[tag].interval ?? 0)
    instants[place].rates = instants[place].ranges.map {
      tags[tag].recent.rate(of: $0.anchor, at: $0.time, within: reach)
    }
  }

  private mutating func keepIfDue(_ tag: Int, at time: Timestamp) {
    let limit = time.advanced(bySeconds: -Self.reach * (tags[tag].interval ?? 0))
    // Counts without allocation: most instants are skipped.
    var count = 0
    var (anchors, one, two) = (0, -1, -1)
    tags[tag].forEachRecent(since: limit) { range in
      count += 1
      guard anchors < 3, range.anchor != one, range.anchor != two else { return }
      (anchors, one, two) = (anchors + 1, two, range.anchor)
    }
    mostTogether = max(mostTogether, anchors)
    instantCount += 1
    guard count >= Self.fewest else { return }
    defer { seen += 1 }
    guard seen % stride == 0 else { return }
    var ranges: [RecentRanges.Sample] = []
    tags[tag].forEachRecent(since: limit) { range in
      if !ranges.contains(where: { $0.anchor == range.anchor }) { ranges.append(range) }
    }
    ranges.sort { $0.anchor < $1.anchor }
    instants.append(Instant(number: seen, time: time, ranges: ranges))
    let interval = tags[tag].interval ?? 0
    tags[tag].open.append((seen, time.advanced(bySeconds: Self.motionReach * interval)))
    guard instants.count >= Self.most else { return }
    instants = instants.indices.filter { $0.isMultiple(of: 2) }.map { instants[$0] }
    stride *= 2
  }

  /// Returns the sample without the values at which single links are stuck.
  func withoutStuckRanges() -> RangeSample {
    var stuck: [Int: Set<Double>] = [:]
    for link in activities.flatMap(\.links) where link.stuck != nil {
      stuck[link.anchor, default: []].insert(link.longestRun.distance)
    }
    if stuck.isEmpty { return self }
    var result = self
    for place in instants.indices {
      let kept = instants[place].ranges.indices.filter {
        let range = instants[place].ranges[$0]
        return stuck[range.anchor]?.contains(range.distance) != true
      }
      result.instants[place].ranges = kept.map { instants[place].ranges[$0] }
      if !instants[place].rates.isEmpty {
        result.instants[place].rates = kept.map { instants[place].rates[$0] }
      }
    }
    return result
  }

  /// Returns the sample of the first or of the second half of the time, and the time between them.
  func halves() -> (first: RangeSample, second: RangeSample, middle: Timestamp)? {
    guard let start = instants.first?.time, let end = instants.last?.time else { return nil }
    let middle = start.advanced(bySeconds: end.seconds(since: start) / 2)
    var (first, second) = (self, self)
    first.instants.removeAll { $0.time >= middle }
    second.instants.removeAll { $0.time < middle }
    return (first, second, middle)
  }

  /// Returns the epochs, at most 96 spread evenly, and the median standard deviation of their ranges,
  /// where `usual` stands for unknown ones.
  ///
  /// A range counts for 1.25 intervals of a link, moved to the middle of its epoch, or for its instant
  /// if anchors are measured together.
  func epochs(usual: Double) -> (epochs: [RangeEpoch], sigma: Double) {
    var intervals: [Double] = []
    var together: [Int] = []
    for instant in instants {
      for range in instant.ranges where range.interval > 0 { intervals.append(range.interval) }
      together.append(instant.ranges.count { $0.time == instant.time })
    }
    intervals.sort()
    together.sort()
    let isScanned = !together.isEmpty && together[together.count / 2] >= Self.fewest
    let window = isScanned || intervals.isEmpty ? 0 : 1.25 * intervals[intervals.count / 2]
    var epochs: [RangeEpoch] = []
    var sigmas: [Double] = []
    for instant in instants {
      let fresh = instant.ranges.indices.filter {
        instant.time.seconds(since: instant.ranges[$0].time) <= window
      }
      let ranges = fresh.map { instant.ranges[$0] }
      var epoch = RangeEpoch(
        anchors: ranges.map(\.anchor), distances: ranges.map(\.distance))
      epoch.motion = ranges.motion(fresh.map { instant.rates.isEmpty ? nil : instant.rates[$0] })
      epoch = epoch.simultaneous
      guard epoch.anchors.count >= Self.fewest else { continue }
      epochs.append(epoch)
      sigmas += ranges.map { $0.sigma > 0 ? $0.sigma : usual }
    }
    sigmas.sort()
    let sigma = sigmas.isEmpty ? usual : sigmas[sigmas.count / 2]
    guard epochs.count > Self.mostEpochs else { return (epochs, sigma) }
    let chosen = (0..<Self.mostEpochs).map { epochs[$0 * epochs.count / Self.mostEpochs] }
    return (chosen, sigma)
  }

  private static let mostEpochs = 96
}
