/// Redundant epochs spread evenly over a recording, in bounded memory.
///
/// Each instant of a tag with enough ranges ends an epoch. When too many are kept, every second is
/// dropped, and from then on twice as many are skipped.
package struct SpreadEpochs {
  private var newest: [[(time: Timestamp, distance: Double)?]]
  private var pending: [Timestamp?]
  private var kept: [RangeErrorEstimate.Epoch] = []
  private var stride = 1
  private var seen = 0
  private let window: Double
  private let fewest: Int

  /// The number of epochs at which every second is dropped.
  private static let most = 384

  package init(tags: Int, anchors: Int, window: Double, fewest: Int) {
    newest = Array(repeating: Array(repeating: nil, count: anchors), count: tags)
    pending = Array(repeating: nil, count: tags)
    self.window = window
    self.fewest = fewest
  }

  package mutating func add(_ distance: Double, tag: Int, anchor: Int, at time: Timestamp) {
    if let instant = pending[tag], instant < time { take(tag, at: instant) }
    pending[tag] = time
    newest[tag][anchor] = (time, distance)
  }

  /// Returns the epochs, in order of time; call once.
  package mutating func finished() -> [RangeErrorEstimate.Epoch] {
    for tag in pending.indices {
      if let instant = pending[tag] { take(tag, at: instant) }
    }
    return kept
  }

  private mutating func take(_ tag: Int, at time: Timestamp) {
    // Counts what is in the window without allocation: most epochs are skipped.
    let limit = time.advanced(bySeconds: -window)
    var count = 0
    for sample in newest[tag] {
      if let sample, sample.time >= limit { count += 1 }
    }
    guard count >= fewest else { return }
    defer { seen += 1 }
    guard seen % stride == 0 else { return }
    var epoch = RangeErrorEstimate.Epoch(anchors: [], distances: [])
    epoch.time = time
    for (anchor, sample) in newest[tag].enumerated() {
      guard let sample, sample.time >= limit else { continue }
      epoch.anchors.append(anchor)
      epoch.distances.append(sample.distance)
    }
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
    var window = EpochWindow(tags: 1, anchors: anchors.count)
    for range in ranges where anchors.indices.contains(range.anchor) {
      window.add(tag: 0, anchor: range.anchor, at: range.time)
    }
    var sample = Self(
      tags: 1, anchors: anchors.count, window: window.seconds(isOnGrid: false), fewest: fewest)
    for range in ranges where range.sigma == nil && anchors.indices.contains(range.anchor) {
      sample.add(
        anchors[range.anchor].corrected(range.distance), tag: 0, anchor: range.anchor,
        at: range.time)
    }
    return sample.finished()
  }
}
