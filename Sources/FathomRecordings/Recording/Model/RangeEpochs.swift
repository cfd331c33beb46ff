import Fathom

/// Groups of a recording's ranges, each of which determines one position.
package enum RangeEpochs {
  /// The ranges of one tag from one measurement round.
  package struct Epoch {
    /// Time of the last range.
    package var time: Timestamp
    /// Index of the tag.
    package var tag: Int
    /// Indices of the ranges, in order of time.
    package var ranges: [Int]
  }

  /// Returns the epochs, in the order of their last ranges.
  ///
  /// An epoch ends when one of its anchors repeats, or when its first range is older than `window`
  /// seconds.
  package static func epochs(of recording: Recording, window: Double) -> [Epoch] {
    let ranges = recording.ranges
    var open = [Epoch?](repeating: nil, count: recording.tagNames.count)
    var done: [Epoch] = []
    for index in ranges.orderByTime() ?? Array(0..<ranges.count) {
      let tag = Int(ranges.tag[index])
      let time = ranges.time[index]
      if let epoch = open[tag] {
        let isNew = epoch.ranges.allSatisfy { ranges.anchor[$0] != ranges.anchor[index] }
        let first = epoch.ranges.first.map { ranges.time[$0] } ?? time
        if isNew, time.seconds(since: first) <= window {
          open[tag]?.time = time
          open[tag]?.ranges.append(index)
          continue
        }
        done.append(epoch)
      }
      open[tag] = Epoch(time: time, tag: tag, ranges: [index])
    }
    // Sorting by index preserves the order of simultaneous epochs.
    let all = done + open.compactMap { $0 }
    return all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }.map { all[$0] }
  }
}

/// The time for which a range belongs to an epoch, derived from the recording.
///
/// For anchors polled in turn, it is 1.25 times the median interval of a link: one polling round
/// with a little jitter forms one epoch. For anchors measured in one scan, so that most instants
/// have ranges of several anchors, it is zero: each instant is an epoch. Scans of groups of anchors
/// in turn are polling as well: links then are regular, and pause while the other groups have their
/// turn. The instants of a fixed grid fall between scans; a scan then counts until the next one,
/// like a polling round.
enum EpochWindow {
  /// Returns the window for `recording`, in seconds.
  ///
  /// Tags count as scanned when at least half of their instants have ranges to at least three
  /// anchors. If tags have fewer links on average, that number replaces three.
  static func seconds(for recording: Recording, timeline: Timeline, isOnGrid: Bool) -> Double {
    let anchorCount = recording.anchorNames.count
    var last: [Int: Timestamp] = [:]
    var intervals: [Double] = []
    var present = [Timestamp?](repeating: nil, count: recording.tagNames.count)
    var together = [Int](repeating: 0, count: recording.tagNames.count)
    var sizes: [Int] = []
    var scans: [Double] = []
    for case .range(let index) in timeline.entries {
      let tag = Int(recording.ranges.tag[index])
      let time = recording.ranges.time[index]
      let link = tag * anchorCount + Int(recording.ranges.anchor[index])
      if let before = last[link] {
        // A second simultaneous range of the link does not add an anchor.
        if time == before { continue }
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
    sizes += together.filter { $0 > 0 }
    guard !sizes.isEmpty, !intervals.isEmpty else { return 0 }
    sizes.sort()
    intervals.sort()
    let links = Double(last.count) / Double(max(1, recording.tagNames.count))
    let window = 1.25 * intervals[intervals.count / 2]
    // Groups in turn: the median link misses at least every second scan, three of four are on time.
    scans.sort()
    let pauses = !scans.isEmpty && intervals[intervals.count / 2] >= 1.8 * scans[scans.count / 2]
    let isInTurn = pauses && intervals[intervals.count * 3 / 4] <= window
    if !isOnGrid, !isInTurn, Double(sizes[sizes.count / 2]) >= min(3, links) { return 0 }
    return window
  }
}
