import DequeModule

/// Redundant epochs spread evenly over a recording, in bounded memory.
///
/// Each instant of a tag with enough ranges ends an epoch. When too many are kept, every second is
/// dropped, and from then on twice as many are skipped.
///
/// Every epoch knows how far its distances change until its middle. Without that, the order in which
/// anchors are polled would look like offsets of the anchors, because the instants that are kept often
/// end with the same anchor.
package struct SpreadEpochs: Sendable {
  /// An epoch with its ranges.
  private struct Kept: Sendable {
    /// The number of the epoch among all.
    var number: Int
    var epoch: RangeEpoch
    var ranges: [RecentRanges.Sample]
  }

  /// The ranges of each tag that can still be in the window, in the order of the anchors.
  private var newest: [[RecentRanges.Sample]]
  /// The ranges of each tag around the epochs whose motion is still to be found.
  private var recent: [RecentRanges]
  /// The epochs of each tag whose motion is still to be found, and the time at which it can be.
  private var open: [Deque<(number: Int, until: Timestamp)>]
  private var pending: [Timestamp?]
  private var kept: [Kept] = []
  private var stride = 1
  private var seen = 0
  private let window: Double
  private let fewest: Int
  /// Greatest number of ranges in one epoch so far.
  package private(set) var largest = 0

  /// The number of epochs at which every second is dropped.
  private static let most = 384
  /// The time around a range whose ranges show its motion, in windows: two and a half intervals of a
  /// link.
  private static let reach = 2.0

  package init(tags: Int, window: Double, fewest: Int) {
    newest = Array(repeating: [], count: tags)
    recent = Array(repeating: RecentRanges(), count: tags)
    open = Array(repeating: [], count: tags)
    pending = Array(repeating: nil, count: tags)
    self.window = window
    self.fewest = fewest
  }

  /// Adds a range; ranges must arrive in order of time.
  package mutating func add(_ distance: Double, tag: Int, anchor: Int, at time: Timestamp) {
    if let instant = pending[tag], instant < time { append(tag, at: instant, before: time) }
    pending[tag] = time
    let sample = RecentRanges.Sample(anchor: anchor, time: time, distance: distance)
    if window > 0 { recent[tag].append(sample) }
    let place = newest[tag].firstPlace { $0.anchor >= anchor }
    if place < newest[tag].count, newest[tag][place].anchor == anchor {
      newest[tag][place] = sample
    } else {
      newest[tag].insert(sample, at: place)
    }
  }

  /// Returns the epochs, in order of time; call once.
  package mutating func finished() -> [RangeEpoch] {
    for tag in pending.indices {
      if let instant = pending[tag] { append(tag, at: instant, before: nil) }
    }
    return kept.map(\.epoch)
  }

  /// Appends the epoch that ends at `time`, before the next range of the tag; nil after the last.
  private mutating func append(_ tag: Int, at time: Timestamp, before next: Timestamp?) {
    // Later epochs end later, so what is too old now stays too old.
    let limit = time.advanced(bySeconds: -window)
    newest[tag].removeAll { $0.time < limit }
    largest = max(largest, newest[tag].count)
    if newest[tag].count >= fewest {
      if seen.isMultiple(of: stride) { keep(tag, at: time) }
      seen += 1
    }
    guard window > 0 else { return }
    while let first = open[tag].first, next.map({ first.until < $0 }) ?? true {
      open[tag].removeFirst()
      addMotion(to: first.number, tag)
    }
    let oldest = open[tag].first?.until.advanced(bySeconds: -Self.reach * window) ?? time
    recent[tag].removeAll(before: oldest.advanced(bySeconds: -(1 + Self.reach) * window))
  }

  /// Keeps the newest ranges of the tag as an epoch.
  private mutating func keep(_ tag: Int, at time: Timestamp) {
    var epoch = RangeEpoch(
      anchors: newest[tag].map(\.anchor), distances: newest[tag].map(\.distance))
    epoch.time = time
    kept.append(Kept(number: seen, epoch: epoch, ranges: newest[tag]))
    if window > 0 { open[tag].append((seen, time.advanced(bySeconds: Self.reach * window))) }
    guard kept.count >= Self.most else { return }
    kept = kept.indices.filter { $0.isMultiple(of: 2) }.map { kept[$0] }
    stride *= 2
  }

  /// Finds how far the distances of an epoch change until its middle, unless it was dropped.
  private mutating func addMotion(to number: Int, _ tag: Int) {
    let place = kept.firstPlace { $0.number >= number }
    guard place < kept.count, kept[place].number == number else { return }
    let ranges = kept[place].ranges
    let rates = ranges.map {
      recent[tag].rate(of: $0.anchor, at: $0.time, within: Self.reach * window)
    }
    kept[place].epoch.motion = ranges.motion(rates)
  }
}

extension SpreadEpochs {
  /// Returns epochs of the ranges of some tags, in order of time, without ranges that have a standard
  /// deviation of their own.
  static func sample(
    _ tags: [[RangeMeasurement]], anchors: [Anchor], fewest: Int
  ) -> [RangeEpoch] {
    var window = EpochWindow(tags: tags.count)
    for (tag, ranges) in tags.enumerated() {
      for range in ranges where anchors.indices.contains(range.anchor) {
        window.add(tag: Int32(clamping: tag), anchor: Int32(clamping: range.anchor), at: range.time)
      }
    }
    var sample = Self(
      tags: tags.count, window: window.seconds(isOnGrid: false), fewest: fewest)
    for (tag, ranges) in tags.enumerated() {
      for range in ranges where range.sigma == nil && anchors.indices.contains(range.anchor) {
        sample.add(
          anchors[range.anchor].corrected(range.distance), tag: tag, anchor: range.anchor,
          at: range.time)
      }
    }
    let epochs = sample.finished()
    guard tags.count > 1 else { return epochs }
    // Of epochs at the same time, those of the first tag come first.
    return epochs.enumerated().sorted {
      guard let one = $0.element.time, let other = $1.element.time, one != other else {
        return $0.offset < $1.offset
      }
      return one < other
    }.map(\.element)
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that satisfies `isBehind`, in a collection with all such
  /// elements at its end.
  @inlinable
  package func firstPlace(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
