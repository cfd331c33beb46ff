import Fathom

/// Redundant epochs spread evenly over a recording, in bounded memory.
///
/// Each instant of a tag with enough ranges ends an epoch. When too many are kept, every second is
/// dropped, and from then on twice as many are skipped.
struct SpreadEpochs {
  /// The newest range of an anchor.
  private struct Sample {
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
  private(set) var largest = 0

  /// The number of epochs at which every second is dropped.
  private static let most = 384

  init(tags: Int, window: Double, fewest: Int) {
    newest = Array(repeating: [], count: tags)
    pending = Array(repeating: nil, count: tags)
    self.window = window
    self.fewest = fewest
  }

  /// Adds a range; ranges must arrive in order of time.
  mutating func add(_ distance: Double, tag: Int, anchor: Int, at time: Timestamp) {
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
  mutating func finished() -> [RangeErrorEstimate.Epoch] {
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
    kept.append(
      RangeErrorEstimate.Epoch(
        anchors: newest[tag].map(\.anchor), distances: newest[tag].map(\.distance)))
    guard kept.count >= Self.most else { return }
    kept = kept.indices.filter { $0.isMultiple(of: 2) }.map { kept[$0] }
    stride *= 2
  }
}
