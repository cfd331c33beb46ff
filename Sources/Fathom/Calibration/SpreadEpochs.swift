/// Redundant epochs spread evenly over a recording, in bounded memory.
///
/// Each instant of a tag with enough ranges ends an epoch. When too many are kept, every second is
/// dropped, and from then on twice as many are skipped.
package struct SpreadEpochs: Sendable {
  /// The newest range of an anchor.
  private struct Sample: Sendable {
    var anchor: Int
    var time: Timestamp
    var distance: Double
  }

  /// The ranges of each tag that can still be in the window, in the order of the anchors.
  private var newest: [[Sample]]
  private var pending: [Timestamp?]
  private var kept: [RangeErrorEstimate.Epoch] = []
  private var stride = 1
  private var seen = 0
  private let window: Double
  private let fewest: Int
  /// Greatest number of ranges in one epoch so far.
  package private(set) var largest = 0

  /// The number of epochs at which every second is dropped.
  private static let most = 384

  package init(tags: Int, window: Double, fewest: Int) {
    newest = Array(repeating: [], count: tags)
    pending = Array(repeating: nil, count: tags)
    self.window = window
    self.fewest = fewest
  }

  /// Adds a range; ranges must arrive in order of time.
  package mutating func add(_ distance: Double, tag: Int, anchor: Int, at time: Timestamp) {
    if let instant = pending[tag], instant < time { take(tag, at: instant) }
    pending[tag] = time
    let sample = Sample(anchor: anchor, time: time, distance: distance)
    let place = newest[tag].firstPlace { $0.anchor >= anchor }
    if place < newest[tag].count, newest[tag][place].anchor == anchor {
      newest[tag][place] = sample
    } else {
      newest[tag].insert(sample, at: place)
    }
  }

  /// Returns the epochs, in order of time; call once.
  package mutating func finished() -> [RangeErrorEstimate.Epoch] {
    for tag in pending.indices {
      if let instant = pending[tag] { take(tag, at: instant) }
    }
    return kept
  }

  private mutating func take(_ tag: Int, at time: Timestamp) {
    // Later epochs end later, so what is too old now stays too old.
    let limit = time.advanced(bySeconds: -window)
    newest[tag].removeAll { $0.time < limit }
    largest = max(largest, newest[tag].count)
    guard newest[tag].count >= fewest else { return }
    defer { seen += 1 }
    guard seen % stride == 0 else { return }
    var epoch = RangeErrorEstimate.Epoch(
      anchors: newest[tag].map(\.anchor), distances: newest[tag].map(\.distance))
    epoch.time = time
    kept.append(epoch)
    guard kept.count >= Self.most else { return }
    kept = kept.indices.filter { $0.isMultiple(of: 2) }.map { kept[$0] }
    stride *= 2
  }
}

extension SpreadEpochs {
  /// Returns epochs of the ranges of one tag, without those that have a standard deviation of their
  /// own.
  static func sample(
    _ ranges: [RangeMeasurement], anchors: [Anchor], fewest: Int
  ) -> [RangeErrorEstimate.Epoch] {
    var window = EpochWindow(tags: 1)
    for range in ranges where anchors.indices.contains(range.anchor) {
      window.add(tag: 0, anchor: Int32(clamping: range.anchor), at: range.time)
    }
    var sample = Self(
      tags: 1, window: window.seconds(isOnGrid: false), fewest: fewest)
    for range in ranges where range.sigma == nil && anchors.indices.contains(range.anchor) {
      sample.add(
        anchors[range.anchor].corrected(range.distance), tag: 0, anchor: range.anchor,
        at: range.time)
    }
    return sample.finished()
  }
}

extension Array {
  /// Returns the index of the first element that satisfies `isBehind`, in an array with all such
  /// elements at its end.
  package func firstPlace(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
