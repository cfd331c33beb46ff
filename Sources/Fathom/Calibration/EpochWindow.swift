/// The time for which a range belongs to an epoch, derived from the recording.
///
/// For anchors polled in turn, it is 1.25 times the median interval of a link: one polling round
/// with a little jitter forms one epoch. For anchors measured in one scan, so that most instants
/// have ranges of several anchors, it is zero: each instant is an epoch. Scans of groups of anchors
/// in turn are polling as well: links then are regular, and pause while the other groups have their
/// turn. The instants of a fixed grid fall between scans; a scan then counts until the next one,
/// like a polling round.
package struct EpochWindow: Sendable {
  /// The time of the last range of each link.
  private var last: [Timestamp?]
  private var intervals: [Double] = []
  /// The last instant of each tag, and the number of its anchors.
  private var present: [Timestamp?]
  private var together: [Int]
  private var sizes: [Int] = []
  private var scans: [Double] = []
  private let anchors: Int

  /// Creates the window of a recording without ranges.
  package init(tags: Int, anchors: Int) {
    self.anchors = anchors
    last = Array(repeating: nil, count: tags * anchors)
    present = Array(repeating: nil, count: tags)
    together = Array(repeating: 0, count: tags)
  }

  /// Adds the next range in order of time.
  package mutating func add(tag: Int, anchor: Int, at time: Timestamp) {
    let link = tag * anchors + anchor
    if let before = last[link] {
      // A second simultaneous range of the link does not add an anchor.
      if time == before { return }
      intervals.append(time.seconds(since: before))
    }
    last[link] = time
    if present[tag] == time {
      together[tag] += 1
    } else {
      if together[tag] > 0 { sizes.append(together[tag]) }
      if let before = present[tag] { scans.append(time.seconds(since: before)) }
      present[tag] = time
      together[tag] = 1
    }
  }

  /// Returns the window in seconds.
  ///
  /// Tags count as scanned when at least half of their instants have ranges to at least three
  /// anchors. If tags have fewer links on average, that number replaces three.
  package func seconds(isOnGrid: Bool) -> Double {
    let sizes = (sizes + together.filter { $0 > 0 }).sorted()
    let intervals = intervals.sorted()
    guard !sizes.isEmpty, !intervals.isEmpty else { return 0 }
    let links = Double(last.count { $0 != nil }) / Double(max(1, present.count))
    let window = 1.25 * intervals[intervals.count / 2]
    // Groups in turn: the median link misses at least every second scan, three of four are on time.
    let scans = scans.sorted()
    let pauses = !scans.isEmpty && intervals[intervals.count / 2] >= 1.8 * scans[scans.count / 2]
    let isInTurn = pauses && intervals[intervals.count * 3 / 4] <= window
    if !isOnGrid, !isInTurn, Double(sizes[sizes.count / 2]) >= min(3, links) { return 0 }
    return window
  }
}
