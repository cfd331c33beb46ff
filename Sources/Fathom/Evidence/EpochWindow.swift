/// The time for which a range belongs to an epoch, derived from the recording.
///
/// For anchors polled in turn, it is 1.25 times the median interval of a link: one polling round
/// with a little jitter forms one epoch. For anchors measured in one scan, so that most instants
/// have ranges of several anchors, it is zero: each instant is an epoch. Scans of groups of anchors
/// in turn are polling as well: links then are regular, and pause while the other groups have their
/// turn. The instants of a fixed grid fall between scans; a scan then counts until the next one,
/// like a polling round.
///
/// Intervals beyond the first 262,144 are sampled, so that the memory does not grow with the
/// recording.
package struct EpochWindow: Sendable {
  private struct Link: Hashable, Sendable {
    var tag: Int32
    var anchor: Int32
  }

  private var last: [Link: Timestamp] = [:]
  private var intervals = SampledValues()
  private var present: [Timestamp?]
  private var together: [Int]
  /// Number of scans by their number of anchors.
  private var sizes: [Int: Int] = [:]
  private var scans = SampledValues()

  /// Creates the estimate for a recording with a number of tags.
  package init(tags: Int) {
    present = Array(repeating: nil, count: tags)
    together = Array(repeating: 0, count: tags)
  }

  /// Adds a range; ranges must arrive in order of time.
  package mutating func add(tag: Int32, anchor: Int32, at time: Timestamp) {
    // A second simultaneous range of the link does not add an anchor.
    if let before = last.updateValue(time, forKey: Link(tag: tag, anchor: anchor)) {
      if time == before { return }
      intervals.append(time.seconds(since: before))
    }
    let tag = Int(tag)
    if present[tag] == time {
      together[tag] += 1
    } else {
      if together[tag] > 0 { sizes[together[tag], default: 0] += 1 }
      if let before = present[tag] { scans.append(time.seconds(since: before)) }
      present[tag] = time
      together[tag] = 1
    }
  }

  /// Returns the window in seconds; call after the last range.
  ///
  /// Tags count as scanned when at least half of their instants have ranges to at least three
  /// anchors. If tags have fewer links on average, that number replaces three.
  package func seconds(isOnGrid: Bool) -> Double {
    var sizes = sizes
    for count in together where count > 0 { sizes[count, default: 0] += 1 }
    let intervals = intervals.values.sorted()
    guard !sizes.isEmpty, !intervals.isEmpty else { return 0 }
    let links = Double(last.count) / Double(max(1, present.count))
    let window = 1.25 * intervals[intervals.count / 2]
    // Groups in turn: the median link misses at least every second scan, three of four are on time.
    let scans = scans.values.sorted()
    let pauses = !scans.isEmpty && intervals[intervals.count / 2] >= 1.8 * scans[scans.count / 2]
    let isInTurn = pauses && intervals[intervals.count * 3 / 4] <= window
    if !isOnGrid, !isInTurn, Double(Self.median(of: sizes)) >= min(3, links) { return 0 }
    return window
  }

  /// Returns the upper median of values with these counts.
  private static func median(of counts: [Int: Int]) -> Int {
    var rest = counts.values.reduce(0, +) / 2
    for (value, count) in counts.sorted(by: { $0.key < $1.key }) {
      if rest < count { return value }
      rest -= count
    }
    return 0
  }
}

/// A random sample of values, in bounded memory: all of them while they are few.
///
/// The same values in the same order give the same sample [Vitter 1985, Algorithm R].
private struct SampledValues: Sendable {
  private(set) var values: [Double] = []
  private var count: UInt64 = 0
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Number of values that are kept.
  private static let most = 1 << 18

  mutating func append(_ value: Double) {
    count += 1
    if values.count < Self.most {
      values.append(value)
      return
    }
    // A linear congruential generator [Knuth 1997, 3.3.4], of which the high bits are random.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let place = Int((state >> 16) % count)
    if place < Self.most { values[place] = value }
  }
}
