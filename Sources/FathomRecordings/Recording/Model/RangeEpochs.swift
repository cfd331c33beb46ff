import Fathom

extension RowEpoch {
  /// Returns the epochs of a recording's ranges; one ends when one of its anchors repeats.
  package static func epochs(of recording: Recording, window: Double) -> [RowEpoch] {
    let ranges = recording.ranges
    return epochs(
      of: ranges.orderByTime() ?? Array(0..<ranges.count), tags: recording.tagNames.count,
      window: window, time: { ranges.time[$0] }, tag: { Int(ranges.tag[$0]) },
      repeats: { ranges.anchor[$0] == ranges.anchor[$1] })
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
