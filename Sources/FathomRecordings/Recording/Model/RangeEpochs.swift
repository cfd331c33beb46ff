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

extension EpochWindow {
  /// Returns the window for `recording`, in seconds.
  static func seconds(for recording: Recording, timeline: Timeline, isOnGrid: Bool) -> Double {
    var window = EpochWindow(tags: recording.tagNames.count)
    let ranges = recording.ranges
    for case .range(let index) in timeline.entries {
      window.add(tag: ranges.tag[index], anchor: ranges.anchor[index], at: ranges.time[index])
    }
    return window.seconds(isOnGrid: isOnGrid)
  }
}
