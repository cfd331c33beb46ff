import Fathom

/// The ranges of a recording in groups that one position each explains.
package enum RangeEpochs {
  /// The ranges of one tag from one round.
  package struct Epoch {
    /// The last range's instant.
    package var time: Timestamp
    /// Index of the tag.
    package var tag: Int
    /// Indices of the ranges, in the order of their time.
    package var ranges: [Int]
  }

  /// The epochs, in the order of their last ranges.
  ///
  /// An epoch ends when one of its anchors comes again, or when its first range is older than `window`
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
    // Sorting by place keeps those of one instant in their order.
    let all = done + open.compactMap { $0 }
    return all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }.map { all[$0] }
  }
}

/// How long a range counts towards an epoch, taken from the recording itself.
///
/// Anchors polled one after the other: 1.25 times the median interval of a link, so that one round of
/// polling, with a little jitter, makes one epoch. Anchors measured in one scan, so that most instants
/// have ranges of several anchors: zero, and each instant is an epoch by itself. The instants of a fixed
/// grid fall between scans, so that there a scan counts until the next one, like a round of polling.
enum EpochWindow {
  /// The window for `recording`, seconds.
  ///
  /// Tags count as scanned where half of their instants or more have ranges to at least three anchors
  /// (or to as many as a tag ever sees in the mean).
  static func seconds(for recording: Recording, timeline: Timeline, isOnGrid: Bool) -> Double {
    let anchorCount = recording.anchorNames.count
    var last: [Int: Timestamp] = [:]
    var intervals: [Double] = []
    var present = [Timestamp?](repeating: nil, count: recording.tagNames.count)
    var together = [Int](repeating: 0, count: recording.tagNames.count)
    var sizes: [Int] = []
    for case .range(let index) in timeline.entries {
      let tag = Int(recording.ranges.tag[index])
      let time = recording.ranges.time[index]
      let link = tag * anchorCount + Int(recording.ranges.anchor[index])
      if let before = last[link] {
        // A second range of the link at one instant is no other anchor.
        if time == before { continue }
        intervals.append(time.seconds(since: before))
      }
      last[link] = time
      if present[tag] == time {
        together[tag] += 1
      } else {
        if together[tag] > 0 { sizes.append(together[tag]) }
        present[tag] = time
        together[tag] = 1
      }
    }
    sizes += together.filter { $0 > 0 }
    guard !sizes.isEmpty, !intervals.isEmpty else { return 0 }
    sizes.sort()
    intervals.sort()
    let links = Double(last.count) / Double(max(1, recording.tagNames.count))
    if !isOnGrid, Double(sizes[sizes.count / 2]) >= min(3, links) { return 0 }
    return 1.25 * intervals[intervals.count / 2]
  }
}
